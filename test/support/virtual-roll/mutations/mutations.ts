import { FLEET_MUTATIONS } from './fleet-mutations.ts'
import { GUARD_MUTATIONS } from './guard-mutations.ts'
import { INGRESS_MUTATIONS } from './ingress-mutations.ts'
import type { Edit, Mutation } from './mutation.ts'
import { OPERATOR_MUTATIONS } from './operator-mutations.ts'
import { POLITE_MUTATIONS } from './polite-mutations.ts'
import { SURROUNDINGS_MUTATIONS } from './surroundings-mutations.ts'

const LADDER = 'src/roll/decide/ladder.ts'
const LATE_ANSWERS = 'test/virtual/late-answers.test.ts'
const STEPS = 'src/roll/decide/steps'

const mutation = (
  name: string,
  ...edits: readonly (readonly [file: string, from: string, to: string])[]
): Mutation => ({
  name,
  edits: edits.map(([file, from, to]): Edit => ({ file, from, to })),
})

/** What rolls have got wrong, or could: each is the engine as it is but for a line or two. */
export const MUTATIONS: readonly Mutation[] = [
  mutation('drains before it detaches', [
    LADDER,
    '[slot, cordon, detach, drain, reboot]',
    '[slot, cordon, drain, detach, reboot]',
  ]),
  mutation('reboots before it drains', [
    LADDER,
    '[slot, cordon, detach, drain, reboot]',
    '[slot, cordon, detach, reboot, drain]',
  ]),
  mutation('does not cordon', [LADDER, '[slot, cordon, detach, drain, reboot]', '[slot, detach, drain, reboot]']),
  mutation('attaches before the proof', [
    LADDER,
    '[slotHeld, proof, politeEnd, uncordon, settle, attach, soak]',
    '[slotHeld, attach, proof, politeEnd, uncordon, settle, soak]',
  ]),
  mutation('asks for no proof', [LADDER, '[slotHeld, proof, politeEnd, uncordon,', '[slotHeld, politeEnd, uncordon,']),
  mutation('trusts Ready in place of a new boot id', [
    'src/roll/decide/node-snapshot.ts',
    's.current.node.bootId !== s.record.bootId',
    "s.current.node.bootId !== s.record.bootId || (ownIntent(s) !== undefined && s.current.node.ready === 'True')",
  ]),
  mutation(
    'writes no intent',
    [`${STEPS}/reboot.ts`, 'if (ownIntent(s) === undefined) {', 'if (s.now < 0) {'],
    [`${STEPS}/reboot.ts`, 'const mustSend = isUnsent(s)', 'const mustSend = sent === undefined || isUnsent(s)'],
  ),
  mutation('restores after the intent, where it does not know of the reboot', [
    LADDER,
    '? REOPENED : MUST_REBOOT',
    '? REOPENED : RESTORING',
  ]),
  mutation('takes a server for attached without reading it back', [
    'src/service/decide/attach.ts',
    'if (reading.ownState !== stateBefore(s, server)) return servesAsLast(s, server)',
    "if (reading.ownState === 'drain') return true",
  ]),
  mutation(
    'takes a server for detached without reading it back',
    [
      'src/service/decide/detach.ts',
      'const toTakeOut = servers.filter((server) => server.reading !== undefined && isNotSet(s, server))',
      "const toTakeOut = servers.filter((server) => isNotSet(s, server) && s.evidence.stuckStep !== 'detach')",
    ],
    [
      'src/service/decide/detach.ts',
      'const unconfirmed = servers.filter((server) => !isConfirmed(s, server)).map(inService)',
      'const unconfirmed = servers.filter((server) => s.now < 0 && !isConfirmed(s, server)).map(inService)',
    ],
  ),
  mutation('does not say again what a reload forgot', [
    'src/service/decide/keep-detached.ts',
    'mustBeOut(s).filter((server) => wasTaken(s, server)',
    'mustBeOut(s).filter((server) => s.now < 0 && wasTaken(s, server)',
  ]),
  mutation(
    'takes the word of a process for that of the next one',
    [
      'src/service/decide/detach.ts',
      'return seen !== undefined && seen.process === server.instance.reading?.process && !isNotSet(s, server)',
      'return seen !== undefined',
    ],
    [
      'src/service/decide/detach.ts',
      '.filter((server) => server.reading !== undefined && isNotSet(s, server))',
      '.filter((server) => isNotSet(s, server) && s.evidence.detached[serverKey(server.ref)] === undefined)',
    ],
    [
      'src/service/decide/keep-detached.ts',
      'mustBeOut(s).filter((server) => wasTaken(s, server)',
      'mustBeOut(s).filter((server) => s.now < 0 && wasTaken(s, server)',
    ],
  ),
  mutation('detaches from one backend alone', [
    'src/service/decide/node-servers.ts',
    'allowedRecorded(s).filter((server) => belongsTo(server.recorded, s.node))',
    'allowedRecorded(s).filter((server) => belongsTo(server.recorded, s.node)).slice(0, 1)',
  ]),
  mutation('takes the last usable server out of service', [
    'src/service/decide/may-be-taken.ts',
    'unheard.length > 0 ? unheard : lastUsable(s)',
    'unheard.length > 0 || s.now >= 0 ? unheard : lastUsable(s)',
  ]),
  mutation('relies on a server that only warms up', [
    'src/service/decide/last-usable-server.ts',
    "server.operational === 'up' && server.weight",
    "['up', 'starting'].includes(server.operational) && server.weight",
  ]),
  mutation('relies on a backup', [
    'src/service/decide/last-usable-server.ts',
    'server.weight > 0 && !server.backup',
    'server.weight > 0',
  ]),
  mutation('relies on a server of weight 0', [
    'src/service/decide/last-usable-server.ts',
    'server.weight > 0 && !server.backup',
    '!server.backup',
  ]),
  mutation('relies on a server that was not checked since its balancer began', [
    'src/service/decide/last-server.ts',
    'others.every(({ uncheckedYet }) => uncheckedYet === true)',
    'others.every(({ uncheckedYet }) => uncheckedYet !== uncheckedYet)',
  ]),
  mutation('keeps connections to a machine that is to go', [
    'src/service/actuators/haproxy/haproxy.ts',
    'isOurs && reading.idleConnections > 0',
    'isOurs && reading.idleConnections < 0',
  ]),
  mutation('evicts any pod that has the name', ['src/ground/kube/evict.ts', 'preconditions: { uid: pod.uid },', '']),
  mutation('does not wait for pods that a budget holds', [
    `${STEPS}/drain.ts`,
    "if (answer.kind !== 'done') return answer",
    "if (answer.kind === 'act') return answer",
  ]),
  mutation('does not wait for replacements', [
    `${STEPS}/drain.ts`,
    'waits.push(...workloadsNotBack(s), ...volumesHeld(s))',
    'waits.push(...volumesHeld(s))',
  ]),
  mutation('lets DaemonSets put their pods back', [
    `${STEPS}/drain.ts`,
    'if (stage === 3 && (left.length > 0 || haveDaemonsLeft(s)) && !isShut(s))',
    'if (stage === 3 && left.length < 0 && !isShut(s))',
  ]),
  mutation('uncordons what was cordoned before', [
    `${STEPS}/uncordon.ts`,
    'if (node.unschedulable && !s.record.unschedulable)',
    'if (node.unschedulable)',
  ]),
  mutation('sets every server ready, whatever it was before', [
    'src/roll/decide/build-record.ts',
    'state: reading.ownState,',
    "state: 'ready',",
  ]),
  mutation('leaves its intent on the node', [
    'src/roll/run/node-patch.ts',
    '...[INTENT_ANNOTATION, REQUEST_ANNOTATION, RECORD_ANNOTATION]\n    .filter',
    '...[RECORD_ANNOTATION]\n    .filter',
  ]),
  mutation(
    'leaves its taint on the node',
    [`${STEPS}/proof.ts`, 'if (shut !== undefined && hasRebooted(s)) {', 'if (shut !== undefined && s.now < 0) {'],
    [`${STEPS}/proof.ts`, "taint.key !== 'node.kubernetes.io/unschedulable')", "taint.key === '')"],
    [`${STEPS}/uncordon.ts`, 'if (shut !== undefined) actions', 'if (shut !== undefined && s.now < 0) actions'],
  ),
  mutation('keeps its slot', [
    'src/roll/decide/decide.ts',
    "if (s.slot.state === 'mine') {",
    "if (s.slot.state === 'mine' && s.now < 0) {",
  ]),
  mutation('keeps the slot that a process died with', [
    'src/roll/run/roll-engine.ts',
    'if (run.resumed && ',
    'if (run.order.length === 0 && ',
  ]),
  mutation('acts under a slot that it has not renewed', [
    'src/ground/loop/lease-holder.ts',
    'return Math.max(0, (durationMs * 2) / 3 - passedMs)',
    'return durationMs',
  ]),
  mutation('takes the slot of another run', [
    'src/service/run/lease-keeper.ts',
    'owner === undefined || owner.run === this.#parts.run\n',
    "owner === undefined || owner.run !== ''\n",
  ]),
  mutation('does not write down which nodes are through', [
    'src/roll/run/node-pass.ts',
    'if (through === undefined || this.#evidence?.returned === undefined) return',
    'if (through === undefined || this.#evidence !== undefined) return',
  ]),
  mutation('forgets which node a dead process had out', [
    'src/roll/run/choose-node.ts',
    "if (found !== undefined) return { kind: 'node', name: found }",
    "if (found !== undefined && parts.run.order.every((name) => parts.run.done.includes(name))) return { kind: 'node', name: found }",
  ]),
  mutation('goes on though requests fail', [
    'src/roll/decide/stop/measured-verdict.ts',
    'if (windows.length === 0) return undefined',
    'if (windows.length >= 0) return undefined',
  ]),
  mutation('begins a node again that is through', [
    'src/roll/decide/decide.ts',
    ' || s.run.done.includes(s.current.node.name)',
    '',
  ]),
  mutation('trusts a reading from before its last command', [
    'src/roll/run/keep-out-duty.ts',
    'return isAnswer ? instance',
    'return isAnswer || this.#sentAt.size >= 0 ? instance',
  ]),
  mutation('stamps by a clock that can be set', [
    'src/ground/loop/steady-clock.ts',
    'const now = wallMs(clock.monoMs() + offsetNow())',
    'const now = clock.wallMs()',
  ]),
  mutation('forgets the static pods of a node', [
    'src/roll/decide/recorded-daemons.ts',
    '.filter((daemon) => daemon.ready && !isObsolete(s, daemon))',
    ".filter((daemon) => daemon.ready && daemon.kind !== 'mirror' && !isObsolete(s, daemon))",
  ]),
  mutation('begins a node whatever is left of etcd', [
    'src/roll/decide/control-plane.ts',
    'if (carried.length === 0) return []',
    'if (carried.length === 0 || s.now >= 0) return []',
  ]),
  mutation(
    'takes pods that run after a boot for Ready',
    [
      `${STEPS}/proof.ts`,
      'pod.ready &&\n      !pod.terminating &&\n      hasOtherContainers(pod, daemon) &&',
      '!pod.terminating &&\n      hasOtherContainers(pod, daemon) &&',
    ],
    [
      `${STEPS}/settle.ts`,
      'pods.some((pod) => pod.ready && !pod.terminating && !isLeaving(s, pod))',
      'pods.some((pod) => !pod.terminating && !isLeaving(s, pod))',
    ],
  ),
  {
    ...mutation('evicts pods before kube-proxies follow again an API server that was away', [
      'src/service/decide/followers-back.ts',
      'const FOLLOWERS_BACK_MS = 75_000',
      'const FOLLOWERS_BACK_MS = 0',
    ]),
    inTest: LATE_ANSWERS,
  },
  {
    ...mutation('sends an eviction again until a watch shows it', [
      'src/roll/decide/drain/ready-pods.ts',
      'return (answer !== undefined && isAway(answer)) || s.run.leaving?.has(pod.uid) === true',
      'return answer !== undefined && s.now < 0 && isAway(answer)',
    ]),
    inTest: LATE_ANSWERS,
  },
  {
    ...mutation('counts a renewal from its answer', [
      'src/ground/loop/lease-holder.ts',
      'this.#held = { lease: await this.#write(lease, signal), sentAt, asleepMs }',
      'this.#held = { lease: await this.#write(lease, signal), sentAt: sentAt && clock.monoMs(), asleepMs }',
    ]),
    inTest: LATE_ANSWERS,
  },
  ...FLEET_MUTATIONS,
  ...INGRESS_MUTATIONS,
  ...GUARD_MUTATIONS,
  ...POLITE_MUTATIONS,
  ...SURROUNDINGS_MUTATIONS,
  ...OPERATOR_MUTATIONS,
]
