import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import {
  announced,
  back,
  beat,
  cordoned,
  out,
  proven,
  settled,
  uncordoned,
  withPort,
} from '../../support/roll-stages.ts'
import {
  aNode,
  aPod,
  aRecord,
  aServer,
  aSnapshot,
  aWorkload,
  detachedEvidence,
  drained,
  NEW_BOOT,
} from '../../support/roll-world.ts'
import { shortDecision as short } from '../../support/short-decision.ts'

const stopped = (keepOut: boolean): Verdict => ({
  kind: 'stopped',
  keepOut,
  reasons: [{ code: 'RequestsFailed', text: 'x' }],
})
const withVerdict = (s: RollSnapshot, verdict: Verdict): RollSnapshot => ({ ...s, run: { ...s.run, verdict } })

/** Back, without a heartbeat but for those of its Lease: at the first sight of the boot id, and now. */
function leased(first: string | undefined, now: string | undefined): RollSnapshot {
  const { heartbeat } = aNode('n1')
  const lease = first === undefined ? {} : { leaseRenewTime: first }
  const s = aSnapshot({
    ...back,
    evidence: { returned: { bootId: NEW_BOOT, at: monoMs(900_000), heartbeat, ...lease } },
  })
  return { ...s, current: { ...s.current, ...(now === undefined ? {} : { leaseRenewTime: now }) } }
}

const TABLE: readonly (readonly [title: string, snapshot: RollSnapshot, decision: string])[] = [
  ['asks for a slot first', aSnapshot({ change: { slot: { state: 'free', mayAct: false } } }), 'act slot: takeSlot'],
  ['writes down what was there before it changes anything', aSnapshot(), 'act record: writeRecord'],
  ['cordons once that is written', aSnapshot({ record: aRecord() }), 'act cordon: cordon'],
  ['detaches a cordoned node', aSnapshot(cordoned), 'act detach: setServer drain'],
  [
    'waits until the running process confirms',
    aSnapshot({ ...cordoned, servers: drained() }),
    'hold detach: InBalancer',
  ],
  [
    'takes no confirmation of a process that is no more',
    aSnapshot({ ...out, evidence: detachedEvidence({ process: '99' }) }),
    'hold detach: InBalancer',
  ],
  [
    'waits for sessions to end',
    aSnapshot({ ...out, servers: drained({ currentSessions: 2 }) }),
    'hold detach: SessionsLeft',
  ],
  [
    'waits for requests that still wait in its queue',
    aSnapshot({ ...out, servers: drained({ queued: 1 }) }),
    'hold detach: SessionsLeft',
  ],
  [
    'cuts what is left at the idle limit',
    aSnapshot({
      ...out,
      servers: drained({ currentSessions: 2 }),
      evidence: detachedEvidence({ since: monoMs(800_000) }),
    }),
    'act detach: cutSessions',
  ],
  [
    'drops pooled connections that would be dead after the reboot',
    aSnapshot({ ...out, servers: drained({ idleConnections: 2 }) }),
    'act detach: setServer maint',
  ],
  [
    'waits for pooled connections that were dropped a moment ago and are still there',
    aSnapshot({
      ...out,
      servers: drained({ idleConnections: 2 }),
      evidence: { ...detachedEvidence(), purgedAt: { 'web/n1 on lb-1': monoMs(999_000) } },
    }),
    'hold detach: ConnectionsPooled',
  ],
  [
    'drops them again where they are there two seconds later',
    aSnapshot({
      ...out,
      servers: drained({ idleConnections: 2 }),
      evidence: { ...detachedEvidence(), purgedAt: { 'web/n1 on lb-1': monoMs(998_000) } },
    }),
    'act detach: setServer maint',
  ],
  [
    'goes on to drain again after dropping them',
    aSnapshot({
      ...out,
      servers: [aServer('n1', { adminState: 'maint' }), aServer('n2'), aServer('n3')],
      evidence: { ...out.evidence, purgedAt: { 'web/n1 on lb-1': monoMs(999_000) } },
    }),
    'act detach: setServer drain',
  ],
  [
    'takes no server out whose backend would be left without one, also where the node was cordoned before',
    aSnapshot({
      ...cordoned,
      servers: [
        aServer('n1'),
        aServer('n2', { operational: 'down', totalSessions: 0 }),
        aServer('n3', { operational: 'down', totalSessions: 0 }),
      ],
    }),
    'hold detach: LastUsableServer',
  ],
  ['announces the reboot on an empty node', aSnapshot(out), 'act reboot: writeIntent'],
  [
    'sends what this process announced',
    aSnapshot({ ...announced, evidence: { ...detachedEvidence(), intentByUs: true } }),
    'act reboot: sendReboot',
  ],
  ['waits where an earlier process may have sent it', aSnapshot(announced), 'hold reboot: RebootUnknown'],
  [
    'sends again after the limit of not knowing',
    aSnapshot({ ...announced, evidence: { ...detachedEvidence(), awaySince: monoMs(900_000) } }),
    'act reboot: sendReboot',
  ],
  [
    'cordons again before it sends again',
    aSnapshot({ ...announced, node: {}, evidence: { ...detachedEvidence(), awaySince: monoMs(900_000) } }),
    'act reboot: cordon',
  ],
  [
    'says the state again that a reload forgot, before the reboot',
    aSnapshot({ ...announced, servers: [aServer('n1'), aServer('n2')] }),
    'act detach: setServer drain',
  ],
  [
    'trusts no Ready without a heartbeat after the new boot id',
    aSnapshot({
      ...back,
      evidence: { returned: { bootId: NEW_BOOT, at: monoMs(900_000), heartbeat: '2026-01-01T00:00:00Z' } },
    }),
    'hold proof: HeartbeatOld',
  ],
  ['trusts a Lease that was renewed since', leased('beat-7', 'beat-8'), 'act uncordon: uncordon'],
  ['trusts no Lease that is as it was', leased('beat-7', 'beat-7'), 'hold proof: HeartbeatOld'],
  [
    'takes a Lease that is not known any more for no heartbeat',
    leased('beat-7', undefined),
    'hold proof: HeartbeatOld',
  ],
  [
    'takes the first that is known of a Lease for no heartbeat',
    leased(undefined, 'beat-7'),
    'hold proof: HeartbeatOld',
  ],
  [
    'trusts no pod whose containers are those from before',
    aSnapshot({
      ...proven,
      record: aRecord({
        daemons: [
          { kind: 'mirror', namespace: 'kube-system', name: 'etcd-n1', containerIds: ['containerd://a'], ready: true },
        ],
      }),
      pods: [
        aPod('etcd-n1', 'n1', { namespace: 'kube-system', mirror: true, containerIds: { etcd: 'containerd://a' } }),
      ],
    }),
    'hold proof: DaemonNotBack',
  ],
  ['uncordons a proven node', aSnapshot(proven), 'act uncordon: uncordon'],
  [
    'leaves a cordon that was there before',
    withPort(aSnapshot({ ...proven, record: aRecord({ unschedulable: true }) })),
    'hold settle: SettledOnce',
  ],
  ['waits for the data port', aSnapshot(uncordoned), 'hold settle: DataPortSilent'],
  ['attaches when settled often enough in a row', withPort(aSnapshot(settled)), 'act attach: setServer ready'],
  [
    'waits for the balancer’s own checks before it attaches',
    withPort(aSnapshot({ ...settled, servers: drained({ check: 'failing' }) })),
    'hold attach: NotUpYet',
  ],
  [
    'soaks once every server is up',
    aSnapshot({
      ...uncordoned,
      servers: [aServer('n1'), aServer('n2')],
      evidence: { ...beat, attachingSince: monoMs(999_000) },
    }),
    'hold soak: Soaking',
  ],
  [
    'takes the record away after the soak',
    aSnapshot({
      ...uncordoned,
      servers: [aServer('n1'), aServer('n2')],
      evidence: { ...beat, attachingSince: monoMs(980_000), attachedAt: monoMs(990_000) },
    }),
    'act soak: removeRecord',
  ],
  ['releases the slot last', aSnapshot({ evidence: { attachedAt: monoMs(990_000) } }), 'act soak: releaseSlot'],
  [
    'is through when slot and record are gone',
    aSnapshot({ evidence: { attachedAt: monoMs(990_000) }, change: { slot: { state: 'free', mayAct: false } } }),
    'settled: NodeDone',
  ],
  [
    'restores before the intent when it has to stop',
    withVerdict(aSnapshot(out), stopped(false)),
    'act uncordon: uncordon',
  ],
  [
    'goes on to the reboot after the intent, stop or not',
    withVerdict(
      aSnapshot({ ...announced, evidence: { ...detachedEvidence(), awaySince: monoMs(900_000) } }),
      stopped(false),
    ),
    'act reboot: sendReboot',
  ],
  [
    'detaches again a node that failed in its soak',
    withVerdict(
      aSnapshot({
        ...uncordoned,
        servers: [aServer('n1'), aServer('n2')],
        evidence: { ...beat, attachedAt: monoMs(999_000), attachingSince: monoMs(999_000) },
      }),
      stopped(true),
    ),
    'act detach: setServer drain',
  ],
  ['leaves a node out that must stay out', withVerdict(aSnapshot(back), stopped(true)), 'settled: RequestsFailed'],
  [
    'begins nothing after a stop',
    withVerdict(aSnapshot({ change: { slot: { state: 'free', mayAct: false } } }), stopped(false)),
    'settled: NodeDone',
  ],
]

for (const [title, snapshot, decision] of TABLE) {
  test(title, () => assert.equal(short(decide(snapshot)), decision))
}

test('takes one pod of a workload at a time', () => {
  const pods = [aPod('cart-a', 'n1'), aPod('cart-b', 'n1')]
  const decision = decide(
    aSnapshot({
      ...out,
      record: aRecord({ workloads: { 'ReplicaSet shop/cart': 2 } }),
      pods,
      workloads: [aWorkload()],
    }),
  )
  assert.deepEqual(
    decision.kind === 'act' && decision.actions.map((action) => action.kind === 'evict' && action.name),
    ['cart-a'],
  )
})

test('evicts pods with volumes before all others', () => {
  const pods = [
    aPod('api-a', 'n1', { controller: { kind: 'Job', name: 'j', uid: 'uid-j' } }),
    aPod('db-0', 'n1', { claims: ['data-db-0'] }),
  ]
  const decision = decide(aSnapshot({ ...out, pods }))
  assert.deepEqual(
    decision.kind === 'act' && decision.actions.map((action) => action.kind === 'evict' && action.name),
    ['db-0'],
  )
})

test('evicts no pod until every client that follows the API server has had time to come back to it', () => {
  const pods = [aPod('cart-a', 'n1')]
  const after = (ms: number): string => {
    const s = aSnapshot({ ...out, pods })
    return short(decide({ ...s, cluster: { ...s.cluster, lostAt: monoMs(s.now - ms) } }))
  }
  assert.equal(after(74_999), 'hold drain: ApiWasAway')
  assert.equal(after(75_000), 'act drain: evict')
})

test('tries nothing again before its back-off is over', () => {
  const retries = { 'cordon n1': { failures: 1, notBefore: monoMs(1_000_300), error: 'the API server is busy' } }
  const decision = decide(aSnapshot({ record: aRecord(), evidence: { retries } }))
  assert.deepEqual(decision.kind === 'hold' && decision.recheckAfterMs, 300)
})
