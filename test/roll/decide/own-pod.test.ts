import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeTerm } from '../../../src/ground/model/node-affinity.ts'
import type { PodPlacement } from '../../../src/ground/model/pod-placement.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { ownNodeLast } from '../../../src/roll/decide/own-pod.ts'
import { makePlan } from '../../../src/roll/decide/plan/make-plan.ts'
import { onceAnswer } from '../../../src/roll/decide/resume/once.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import type { OwnPod } from '../../../src/roll/model/own-pod.ts'
import type { RollEvent, RollOutcome, StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { announced, back, cordoned, out } from '../../support/roll-stages.ts'
import { aNode, aPod, aRecord, aSnapshot } from '../../support/roll-world.ts'
import { shortDecision as short } from '../../support/short-decision.ts'
import { findingCodes, planSnapshot } from './plan-snapshot.ts'

const JOB = { kind: 'Job', name: 'evenkeel-roll', uid: 'uid-job' }
const ownPod: OwnPod = { namespace: 'evenkeel', name: 'evenkeel-roll-a', uid: 'uid-roll', node: 'n1' }
const ITSELF = aPod(ownPod.name, 'n1', {
  namespace: 'evenkeel',
  uid: 'uid-roll',
  labels: {},
  controller: JOB,
  claims: ['journal'],
  usesEmptyDir: true,
})

type World = Parameters<typeof aSnapshot>[0]

const inPod = (world: World, own = ownPod): RollSnapshot => {
  const s = aSnapshot({ pods: [ITSELF], ...world })
  return { ...s, run: { ...s.run, ownPod: own } }
}

const evicted = (uid: string): Pick<Evidence, 'evicted'> => ({
  evicted: { [uid]: { name: 'evenkeel/evenkeel-roll-a', stage: 0 } },
})

const othersShut = (): RollSnapshot => {
  const s = inPod(cordoned)
  const nodes = s.cluster.nodes.map((node) => (node.name === 'n1' ? node : { ...node, unschedulable: true }))
  return { ...s, cluster: { ...s.cluster, nodes } }
}

const TABLE: readonly (readonly [title: string, snapshot: RollSnapshot, decision: string])[] = [
  ['cordons its own node as any other', inPod({ record: aRecord() }), 'act cordon: cordon'],
  ['leaves its cordoned node before the balancers are told', inPod(cordoned), 'act cordon: evict'],
  [
    'leaves one that others had cordoned',
    inPod({ ...cordoned, record: aRecord({ unschedulable: true }) }),
    'act cordon: evict',
  ],
  [
    'waits for its end once its eviction was accepted',
    inPod({ ...cordoned, evidence: { evictions: { 'uid-roll': { kind: 'accepted' } }, ...evicted('uid-roll') } }),
    'hold cordon: OwnPodLeaves',
  ],
  [
    'waits likewise where another evicted it',
    inPod({ ...cordoned, pods: [{ ...ITSELF, terminating: true }] }),
    'hold cordon: OwnPodLeaves',
  ],
  ['leaves again where the answer to its eviction was lost', inPod({ ...cordoned, pods: [] }), 'act cordon: evict'],
  [
    'leaves again where it is still here after an eviction that was not answered',
    inPod({ ...cordoned, evidence: evicted('uid-roll') }),
    'act cordon: evict',
  ],
  ['does not move in a circle', inPod({ ...cordoned, evidence: evicted('uid-before') }), 'hold cordon: OwnPodReturned'],
  ['does not leave where no other node takes pods', othersShut(), 'hold cordon: OwnPodHasNoNode'],
  [
    'does not leave before its journal can be written',
    { ...inPod(cordoned), journalWritable: false },
    'hold cordon: JournalNotWritable',
  ],
  ['moves also where an earlier process had detached the node', inPod(out), 'act cordon: evict'],
  [
    'goes on with the detach of a node where it is not',
    inPod({ ...cordoned, pods: [] }, { ...ownPod, node: 'n2' }),
    'act detach: setServer drain',
  ],
  ['goes on as ever in no pod', aSnapshot({ ...cordoned, pods: [] }), 'act detach: setServer drain'],
]

test('law: the pod of a roll leaves a node before the roll takes that node out of its balancers', () => {
  for (const [title, snapshot, decision] of TABLE) assert.equal(short(decide(snapshot)), decision, title)
})

test('after the reboot was announced the pod of the roll stops nothing', () => {
  for (const world of [announced, back])
    assert.equal(short(decide(inPod(world))), short(decide(aSnapshot({ pods: [ITSELF], ...world }))))
})

test('the node of its own pod comes last, wherever it stood', () => {
  const TABLE: readonly (readonly [order: string, node: string | undefined, ordered: string])[] = [
    ['n1 n2 n3', 'n1', 'n2 n3 n1'],
    ['n1 n2 n3', 'n3', 'n1 n2 n3'],
    ['n1 n2 n3', 'n9', 'n1 n2 n3'],
    ['n1 n2 n3', undefined, 'n1 n2 n3'],
    ['n1', 'n1', 'n1'],
    ['', 'n1', ''],
  ]
  for (const [order, node, ordered] of TABLE) {
    const own = node === undefined ? undefined : { ...ownPod, node }
    assert.equal(ownNodeLast(order.split(' ').filter(Boolean), own).join(' '), ordered)
  }
})

const PLACEMENT: PodPlacement = {
  requests: { cpuMilli: 0, memoryBytes: 0 },
  priority: 2_000_000_000,
  nodeSelector: {},
  tolerations: [],
  hostPorts: [],
  apart: [],
  spread: [],
}
const ON_N1: readonly NodeTerm[] = [[{ of: 'label', key: 'kubernetes.io/hostname', operator: 'In', values: ['n1'] }]]

test('a journal on a volume of one node is found before anything is begun, where the roll would come to that node', () => {
  const nodes = ['n1', 'n2', 'n3'].map((name) => aNode(name, { labels: { 'kubernetes.io/hostname': name } }))
  const claim = { namespace: 'evenkeel', name: 'journal', volumeName: 'pv-1' }
  const cluster = { nodes, pods: [{ ...ITSELF, placement: PLACEMENT }], claims: [claim] }
  const bound = { ownPod, volumes: [{ name: 'pv-1', terms: ON_N1 }] }
  const [finding] = makePlan(planSnapshot(bound, cluster)).findings
  assert.deepEqual([finding?.severity, finding?.code], ['block', 'OwnPodBound'])
  assert.match(
    finding?.text ?? '',
    /^the pod of this roll cannot leave its node: no other node takes .* reaches the volume/,
  )
  assert.deepEqual(findingCodes(makePlan(planSnapshot({ ...bound, volumes: [{ name: 'pv-1' }] }, cluster))), [])
})

test('a plan has that node last, and nothing against what the pod of the roll keeps', () => {
  const cluster = { pods: [ITSELF] }
  const plan = makePlan(planSnapshot({ ownPod }, cluster))
  assert.deepEqual(
    plan.nodes.map(({ node }) => node),
    ['n2', 'n3', 'n1'],
  )
  assert.deepEqual(findingCodes(plan), [])
  assert.deepEqual(findingCodes(makePlan(planSnapshot({}, cluster))), ['error PodEmptyDir'])
})

const started: RollEvent = { type: 'roll.started', run: 'r', cluster: 'c', nodes: ['n1'], resumed: false }
const endedAs = (outcome: RollOutcome): RollEvent => ({
  type: 'roll.ended',
  outcome,
  exitCode: 0,
  reasons: [],
  standings: [],
  next: [],
})

test('a run of a key goes on where its last process was cut off, and is over where it ended by itself', () => {
  const TABLE: readonly (readonly [title: string, events: readonly RollEvent[], answer: string])[] = [
    ['killed before its first event', [], 'goOn'],
    ['killed', [started], 'goOn'],
    ['interrupted', [started, endedAs('interrupted')], 'goOn'],
    ['interrupted, taken up and killed', [started, endedAs('interrupted'), started], 'goOn'],
    ['completed', [started, endedAs('completed')], 'over'],
    ['completed by its second process', [started, endedAs('interrupted'), started, endedAs('completed')], 'over'],
    ['stopped', [started, endedAs('stopped')], 'over'],
    ['stopped, and its node then watched over', [started, endedAs('stopped'), { type: 'warning', text: 'x' }], 'over'],
    ['held', [started, endedAs('held')], 'over'],
    ['aborted', [started, endedAs('aborted')], 'over'],
    ['stopped, resumed by a person and killed', [started, endedAs('stopped'), started], 'goOn'],
  ]
  for (const [title, events, answer] of TABLE) {
    const stamped = events.map(
      (event, seq): StampedEvent => ({ ...event, v: '1.0', seq, at: '2026-11-21T06:31:11.000Z' }),
    )
    assert.equal(onceAnswer(stamped).kind, answer, title)
  }
})
