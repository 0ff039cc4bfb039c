import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import type { RecordedDaemon } from '../../../src/service/model/node-record.ts'
import { aPod, aRecord, aSnapshot, aWorkload, detachedEvidence, drained } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const EDGE: RecordedDaemon = {
  kind: 'DaemonSet',
  namespace: 'ingress',
  name: 'edge',
  containerIds: ['containerd://old'],
  ready: true,
}
const DAEMON_SET = aWorkload({ kind: 'DaemonSet', namespace: 'ingress', name: 'edge', uid: 'uid-edge' })
const verdict: Verdict = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] }

/** n1 was not rebooted and is to be put back; it is uncordoned, and was looked at often enough. */
function restored(pods: readonly Partial<Pod>[], { daemon = {}, workloads = [DAEMON_SET], evidence = {} } = {}) {
  const s: RollSnapshot = aSnapshot({
    record: aRecord({ daemons: [{ ...EDGE, ...daemon }] }),
    servers: drained(),
    evidence: { ...detachedEvidence(), settledInARow: 3, ...evidence },
    workloads,
    pods: pods.map((change) =>
      aPod('edge-a', 'n1', {
        namespace: 'ingress',
        controller: { kind: 'DaemonSet', name: 'edge', uid: 'uid-edge' },
        containerIds: { edge: 'containerd://new' },
        ...change,
      }),
    ),
  })
  return { ...s, run: { ...s.run, verdict } }
}

const TABLE: readonly (readonly [title: string, snapshot: RollSnapshot, decision: string])[] = [
  ['its pod is Ready again', restored([{}]), 'act attach: setServer ready'],
  ['its pod never left', restored([{ containerIds: { edge: 'containerd://old' } }]), 'act attach: setServer ready'],
  ['its pod was evicted and has no successor yet', restored([]), 'hold settle: DaemonNotBack'],
  ['its pod is on its way out', restored([{ terminating: true }]), 'hold settle: DaemonNotBack'],
  [
    'its pod was evicted a moment ago, and the watch does not show it yet',
    restored([{}], { evidence: { evictions: { 'uid-edge-a': { kind: 'accepted' } } } }),
    'hold settle: DaemonNotBack',
  ],
  [
    'the pod that was put back is not Ready yet',
    restored([{ terminating: true }, { name: 'edge-b', uid: 'uid-edge-b', ready: false }]),
    'hold settle: DaemonNotBack',
  ],
  ['its pod was not Ready before', restored([], { daemon: { ready: false } }), 'act attach: setServer ready'],
  ['the DaemonSet was deleted meanwhile', restored([], { workloads: [] }), 'act attach: setServer ready'],
]

test('of a DaemonSet that has no pod yet that is said; a pod beside it that nothing controls is none of its', () => {
  const s = restored([])
  const { controller: _, ...bare } = aPod('by-hand', 'n1', { namespace: 'ingress' })
  const decision = decide({ ...s, cluster: { ...s.cluster, pods: [bare] } })
  assert.deepEqual(
    decision.reasons.map(({ text }) => text),
    ['DaemonSet ingress/edge is not Ready again'],
  )
})

for (const [title, snapshot, decision] of TABLE) {
  test(`a node that is restored, where of a DaemonSet ${title}: ${decision}`, () => {
    assert.equal(shortDecision(decide(snapshot)), decision)
  })
}

test('of a controller that is known by its pods alone each pod that there is has to be Ready', () => {
  const key = 'CloneSet shop/web'
  const web = (name: string, ready: boolean) =>
    aPod(name, 'n2', { ready, controller: { kind: 'CloneSet', name: 'web', uid: 'uid-web' } })
  const decided = (pods: readonly Pod[]) => {
    const s = restored([{}], { evidence: { evicted: {} } })
    const record = aRecord({ daemons: [EDGE], workloads: { [key]: 3 } })
    const current = s.current && { ...s.current, record: { ok: true, value: record } as const }
    const all = { ...s.cluster, pods: [...s.cluster.pods, ...pods] }
    return shortDecision(decide({ ...s, ...(current === undefined ? {} : { current }), cluster: all }))
  }
  assert.equal(decided([web('web-a', true), web('web-b', false)]), 'hold settle: ReplacementNotReady')
  assert.equal(decided([web('web-a', true)]), 'act attach: setServer ready')
})
