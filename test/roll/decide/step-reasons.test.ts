import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProbeStatus } from '../../../src/ground/model/probe.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { badNode, badNodes } from '../../../src/roll/decide/bad-nodes.ts'
import type { NodeSnapshot, RecordedSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import type { StepRule } from '../../../src/roll/decide/step-rule.ts'
import { attach } from '../../../src/roll/decide/steps/attach.ts'
import { detach } from '../../../src/roll/decide/steps/detach.ts'
import { drain } from '../../../src/roll/decide/steps/drain.ts'
import { proof } from '../../../src/roll/decide/steps/proof.ts'
import { reboot } from '../../../src/roll/decide/steps/reboot.ts'
import { settle } from '../../../src/roll/decide/steps/settle.ts'
import { slot } from '../../../src/roll/decide/steps/slot.ts'
import { soak } from '../../../src/roll/decide/steps/soak.ts'
import { uncordon } from '../../../src/roll/decide/steps/uncordon.ts'
import { OUT_TAINT, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { plain } from '../../support/plain.ts'
import { announced, back, cordoned, out, proven, settled, uncordoned, withPort } from '../../support/roll-stages.ts'
import {
  aNode,
  anInstance,
  aPod,
  aRecord,
  aServer,
  aSnapshot,
  aSpec,
  aWorkload,
  detachedEvidence,
  drained,
} from '../../support/roll-world.ts'

const WALL = 1_700_000_000_000
const verdict = { kind: 'aborted', keepOut: false, reasons: [] } as const

type World = NonNullable<Parameters<typeof aSnapshot>[0]>
const given = (world: World, change: Partial<RollSnapshot> = {}): RecordedSnapshot => {
  const record = world.record ?? aRecord()
  return { ...aSnapshot({ ...world, record }), ...change, record } as RecordedSnapshot
}
/** What a step answers: what it waits for or does, and why. */
function asked(rule: StepRule, s: RecordedSnapshot): readonly unknown[] {
  const answer = rule.next(s)
  if (answer.kind === 'done') return ['done']
  const what = answer.kind === 'hold' ? answer.recheckAfterMs : answer.actions
  return [what, ...answer.reasons]
}
const red: ProbeStatus = {
  startedAt: wallMs(WALL),
  lastVerdictAt: wallMs(WALL),
  lanes: [],
  windows: [],
  notMeasured: [],
  greenStreak: 0,
}
const PROBE = { targets: [], baselineMs: 10_000, baselineLimitMs: 60_000 }
const SHORT = { code: 'BaselineShort', text: 'traffic is measured before the roll begins' }
const unmeasured = (s: RecordedSnapshot): RecordedSnapshot => ({ ...s, spec: aSpec({ probe: PROBE }), probe: red })
const stopped = (s: RecordedSnapshot): RecordedSnapshot => ({ ...s, run: { ...s.run, verdict } })

test('a node that is bad says why, with the way back where its run has left it; the node under way is never one', () => {
  const LEFT = '20260101T000000Z-abcd'
  const owner = { holder: 'run-2/a', run: 'run-2', node: 'n7' }
  const budget: NodeSnapshot['budget'] = {
    limit: { kind: 'count', count: 3 },
    cordons: 'noBrake',
    slots: [{ index: 1, owner, isStale: false, renewTime: '2026-01-01T00:00:00Z', durationMs: 120_000 }],
  }
  const nodes = [
    aNode('n1', { ready: 'False' }),
    aNode('n2', { ready: 'Unknown' }),
    aNode('n3', { annotations: { [RECORD_ANNOTATION]: '{}' } }),
    aNode('n4'),
    aNode('n5'),
    aNode('n6', { annotations: { [RECORD_ANNOTATION]: JSON.stringify(aRecord({ run: LEFT })) } }),
    aNode('n7', { annotations: { [RECORD_ANNOTATION]: JSON.stringify(aRecord({ run: 'run-2' })) } }),
  ]
  const s = aSnapshot({ servers: [aServer('n4', { adminState: 'drain' }), aServer('n5')], change: { budget } })
  const seen = { ...s, cluster: { ...s.cluster, nodes } }
  const said = badNodes(seen).map((one) => badNode(seen, one))
  assert.deepEqual(plain(said), [
    { code: 'OtherNodeBad', object: 'n2', text: 'n2 is not Ready (Ready is Unknown)' },
    { code: 'OtherNodeBad', object: 'n3', text: 'n3 has a record that cannot be read' },
    { code: 'OtherNodeBad', object: 'n4', text: 'n4 is detached from every balancer' },
    {
      code: 'OtherNodeBad',
      object: 'n6',
      text: `n6 has the record of run ${LEFT}`,
      next: `evenkeel roll resume ${LEFT}, or evenkeel roll abort ${LEFT} (if its journal is lost: evenkeel roll abort ${LEFT} -f roll.yaml)`,
    },
    { code: 'OtherNodeBad', object: 'n7', text: 'n7 has the record of run run-2' },
  ])
})

test('a slot says why it is asked for, and why it is not', () => {
  const of = (change: Partial<RollSnapshot>) => {
    const answer = slot.next({ ...aSnapshot(), ...change })
    return answer.kind === 'done' ? undefined : answer.reasons[0]
  }
  const { cluster } = aSnapshot()
  const unready = cluster.nodes.map((node) => ({ ...node, ready: 'Unknown' as const }))
  const held = { mayAct: false, holderRun: 'run-1', holderNode: 'n3' }
  assert.deepEqual(of({ slot: { state: 'free', mayAct: false } }), {
    code: 'SlotFree',
    text: 'a slot of the node budget is free',
  })
  assert.deepEqual(of({ cluster: { ...cluster, staleForMs: 1 } }), {
    code: 'ApiUnreachable',
    text: 'the API server cannot be followed',
  })
  assert.deepEqual(of({ cluster: { ...cluster, nodes: unready } }), {
    code: 'MostNodesNotReady',
    text: 'most nodes turned NotReady together, so their heartbeats are more likely lost than the nodes',
  })
  assert.deepEqual(of({ slot: { ...held, state: 'stale' } }), {
    code: 'SlotAbandoned',
    text: 'the process of this run that held the slot no longer renews it',
  })
  assert.deepEqual(of({ slot: { ...held, state: 'stale', holderRun: 'run-2' } }), {
    code: 'SlotAbandoned',
    text: 'the last owner no longer renews the slot and left no record on a node',
  })
  assert.deepEqual(of({ slot: { ...held, state: 'lost' } }), {
    code: 'SlotTaken',
    object: 'n3',
    text: 'the node budget is used up: run run-1 has n3 out',
  })
})

test('a detach says what is left of sessions and connections, and what an instance does not list', () => {
  const at = (world: World) => asked(detach, given({ ...out, ...world }))
  const left = { code: 'SessionsLeft', object: 'web/n1' }
  assert.deepEqual(at({ servers: drained({ currentSessions: 1 }) }), [
    250,
    { ...left, text: 'web/n1 on lb-1 has 1 session left' },
  ])
  assert.deepEqual(at({ servers: drained({ currentSessions: 1, queued: 1 }) }), [
    250,
    { ...left, text: 'web/n1 on lb-1 has 2 sessions left' },
  ])
  assert.deepEqual(asked(detach, given({ ...cordoned, servers: drained() })), [
    250,
    { code: 'InBalancer', object: 'web/n1', text: 'web/n1 on lb-1 is drain' },
  ])
  assert.deepEqual(at({ servers: [aServer('n2')] }), [
    500,
    {
      code: 'ServerNotListed',
      object: 'web/n1',
      text: 'lb-1 does not list web/n1 at the recorded address any more',
    },
  ])
  const purged = { purgedAt: { 'web/n1 on lb-1': monoMs(999_000) } }
  assert.deepEqual(at({ servers: drained({ idleConnections: 2 }), evidence: { ...detachedEvidence(), ...purged } }), [
    500,
    {
      code: 'ConnectionsPooled',
      object: 'web/n1',
      text: 'web/n1 on lb-1 keeps 2 idle connections open, which would be dead after the reboot',
    },
  ])
})

test('a drain evicts one pod of a workload at a time and says how many are here', () => {
  const replicas = [aPod('cart-a', 'n1'), aPod('cart-b', 'n1'), aPod('cart-c', 'n2')]
  const workloads = [aWorkload()]
  const [what, ...why] = asked(drain, given({ ...out, pods: replicas, workloads }))
  assert.equal(Array.isArray(what) ? what.length : undefined, 1)
  assert.deepEqual(why, [{ code: 'PodsHere', text: '2 pods of stage 2 are here' }])
})

test('the taint that keeps pods away is looked for among others, and taken off again', () => {
  const theirs = { key: 'example.com/gpu', effect: 'NoSchedule' }
  const tainted = (taints: readonly (typeof theirs)[]) => given({ ...proven, node: { ...proven.node, taints } })
  const removal = { kind: 'removeTaint', node: 'n1', taint: OUT_TAINT }
  const ours = { code: 'CordonedByUs', text: 'the cordon is ours' }
  const uncordoning = { kind: 'uncordon', node: 'n1' }
  assert.deepEqual(asked(uncordon, tainted([theirs, OUT_TAINT])), [[removal, uncordoning], ours])
  assert.deepEqual(asked(uncordon, tainted([theirs])), [[uncordoning], ours])
  assert.deepEqual(asked(proof, tainted([theirs, OUT_TAINT])), [
    [removal],
    { code: 'StillShut', text: 'the taint against returning pods is still on the node' },
  ])
})

test('a node with its old boot id is not proven, and one with another is not rebooted again', () => {
  const sameBoot = { code: 'SameBootId', object: 'n1', text: 'n1 still has its old boot id' }
  assert.deepEqual(asked(proof, given(out)), [500, sameBoot])
  assert.deepEqual(asked(proof, given({ ...out, node: { taints: [OUT_TAINT] } })), [500, sameBoot])
  assert.deepEqual(asked(proof, given(back)), [
    500,
    { code: 'HeartbeatOld', object: 'n1', text: 'n1 has sent no heartbeat since its new boot id appeared' },
  ])
  assert.deepEqual(asked(reboot, given(back)), ['done'])
})

test('a node whose cordon was lifted before its reboot is cordoned again first', () => {
  const s = given({ ...announced, node: {}, evidence: { ...detachedEvidence(), intentByUs: true } })
  assert.deepEqual(asked(reboot, s), [
    [{ kind: 'cordon', node: 'n1' }],
    { code: 'UncordonedByOthers', text: 'the cordon was lifted meanwhile' },
  ])
})

test('a node settles by what its record has, once traffic is measured and the API is heard', () => {
  const s = withPort(given(uncordoned)) as RecordedSnapshot
  const once = { code: 'SettledOnce', text: 'settled 0 of 3 times in a row' }
  assert.deepEqual(asked(settle, s), [250, once])
  assert.deepEqual(asked(settle, unmeasured(s)), [500, SHORT])
  assert.deepEqual(asked(settle, stopped(unmeasured(s))), [250, once])
  assert.deepEqual(asked(settle, { ...s, cluster: { ...s.cluster, staleForMs: 1 } }), [
    500,
    { code: 'ApiUnreachable', text: 'the API server cannot be followed, so the known state of the cluster is old' },
  ])
  const away = { ...s.cluster, workloads: [aWorkload()] }
  assert.deepEqual(asked(settle, { ...s, cluster: away }), [250, once], 'it was not recorded')
  const silent = { code: 'DataPortSilent', object: '10.0.0.1:30080', text: 'nothing answers at 10.0.0.1:30080 yet' }
  assert.deepEqual(asked(settle, given(uncordoned)), [500, silent])
  const ports = aSpec({ settle: { ...aSpec().settle, dataPort: false } })
  assert.deepEqual(asked(settle, given(uncordoned, { spec: ports })), [250, once])
  assert.deepEqual(asked(settle, given({})), [250, once], 'it was not rebooted')
})

test('cluster DNS without an endpoint holds a node where it had one before', () => {
  const s = withPort(given(uncordoned)) as RecordedSnapshot
  const endpoint = { addresses: ['10.1.0.1'], ready: true, serving: true, terminating: false }
  const slice = { namespace: 'kube-system', name: 'x', serviceName: 'kube-dns', ports: [53], endpoints: [endpoint] }
  const had = { ...s, record: aRecord({ dnsReady: 2 }) }
  const once = { code: 'SettledOnce', text: 'settled 0 of 3 times in a row' }
  assert.deepEqual(asked(settle, had), [
    500,
    { code: 'DnsNotReady', object: 'kube-system/kube-dns', text: 'no endpoint of the cluster DNS is Ready' },
  ])
  assert.deepEqual(asked(settle, { ...had, cluster: { ...had.cluster, slices: [slice] } }), [250, once])
  assert.deepEqual(asked(settle, s), [250, once])
})

test('a server that is put back says what it is and what its check says', () => {
  const failing = drained({ check: 'failing', checkText: 'L4CON' })
  assert.deepEqual(asked(attach, given({ ...settled, servers: failing })), [
    250,
    { code: 'NotUpYet', object: 'web/n1', text: 'web/n1 on lb-1 is drain, its check failing (L4CON)' },
  ])
  assert.deepEqual(asked(attach, given({ ...settled, servers: [aServer('n2')] })), [
    250,
    { code: 'NotUpYet', object: 'web/n1', text: 'lb-1 does not list web/n1' },
  ])
  const { reading: _, ...never } = anInstance([])
  assert.deepEqual(asked(attach, given(settled, { instances: [never] })).slice(0, 2), [
    250,
    { code: 'InstanceSilent', object: 'lb-1', text: 'lb-1 of edge does not answer: not queried yet' },
  ])
})

test('a soak says what is watched, and lasts only while the roll goes on', () => {
  const soaking = given({ ...settled, evidence: { ...settled.evidence, attachedAt: monoMs(999_500) } })
  const removal = [
    [{ kind: 'removeRecord', node: 'n1' }],
    { code: 'BackInService', object: 'n1', text: 'n1 is back as it was' },
  ]
  const watched = { code: 'Soaking', text: 'traffic is watched for the soak time' }
  assert.deepEqual(asked(soak, soaking), [1000, watched])
  assert.deepEqual(asked(soak, { ...soaking, now: monoMs(1_009_000) }), [500, watched])
  assert.deepEqual(asked(soak, { ...soaking, now: monoMs(1_009_450) }), [100, watched])
  assert.deepEqual(asked(soak, { ...soaking, now: monoMs(1_009_500) }), removal)
  assert.deepEqual(asked(soak, stopped(soaking)), removal)
  assert.deepEqual(asked(soak, unmeasured(soaking)), [500, SHORT])
  assert.deepEqual(asked(soak, stopped(unmeasured(soaking))), removal)
})
