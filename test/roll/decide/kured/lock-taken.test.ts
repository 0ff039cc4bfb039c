import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newLock } from '../../../../src/ground/model/kured-lock.ts'
import { plainText } from '../../../../src/ground/model/sentence.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { decide } from '../../../../src/roll/decide/decide.ts'
import type { KuredLockState } from '../../../../src/roll/decide/kured/lock-state.ts'
import { kuredLockWanted } from '../../../../src/roll/decide/kured/lock-taken.ts'
import type { NodeSnapshot } from '../../../../src/roll/decide/node-snapshot.ts'
import type { GateSpec } from '../../../../src/roll/model/gate-spec.ts'
import { announced, out } from '../../../support/roll-stages.ts'
import { aSnapshot, aWorkload } from '../../../support/roll-world.ts'
import { shortDecision } from '../../../support/short-decision.ts'

const NOW = wallMs(1_700_000_000_000)
const REF = { namespace: 'kube-system', name: 'kured' }
const MIN = 60_000

interface Lock {
  readonly lock?: string
  readonly facts?: KuredLockState | undefined
  readonly name?: string
}

function asking(s: NodeSnapshot, { lock, name = 'kured', ...more }: Lock = {}): NodeSnapshot {
  const set = aWorkload({ ...REF, kind: 'DaemonSet', name, ...(lock === undefined ? {} : { rebootLock: lock }) })
  const facts = 'facts' in more ? more.facts : {}
  return {
    ...s,
    wall: NOW,
    spec: { ...s.spec, reboot: { ...s.spec.reboot, kuredLock: REF } },
    cluster: { ...s.cluster, workloads: [...s.cluster.workloads, set] },
    ...(facts === undefined ? {} : { kuredLock: facts }),
  }
}

const ofRun = (ageMs: number, run = aSnapshot().run.id): string =>
  newLock({ run, wall: wallMs(NOW - ageMs), concurrency: 1 })
const OF_NODE = JSON.stringify({ nodeID: 'n2', created: '2020-01-01T00:00:00Z', TTL: 0 })

const BEGIN: readonly (readonly [title: string, lock: Lock, decision: string])[] = [
  ['is free', {}, 'hold record: KuredLockDue'],
  ['is ours', { lock: ofRun(0) }, 'act record: writeRecord'],
  ['was ours and is over', { lock: ofRun(16 * MIN) }, 'hold record: KuredLockDue'],
  ['is held by kured', { lock: OF_NODE }, 'hold record: KuredLockHeld'],
  ['is held by another run', { lock: ofRun(0, 'run-9') }, 'act record: writeRecord'],
  ['was held by another run that died', { lock: ofRun(16 * MIN, 'run-9') }, 'hold record: KuredLockDue'],
  ['could not be written', { facts: { failure: 'forbidden' } }, 'hold record: KuredLockNotTaken'],
  ['is ours, and could not be renewed', { lock: ofRun(0), facts: { failure: 'x' } }, 'act record: writeRecord'],
  ['is of no DaemonSet', { name: 'other' }, 'hold record: KuredLockNotTaken'],
  ['can be written by no part of the process', { facts: undefined }, 'hold record: KuredLockNotTaken'],
]

for (const [title, lock, decision] of BEGIN)
  test(`before a node is begun, where the lock of kured ${title}`, () =>
    assert.equal(shortDecision(decide(asking(aSnapshot(), lock))), decision))

test('the lock is asked for when nothing else stands against the node', () => {
  const node = { ...aSnapshot().current.node, ready: 'False' as const }
  const s = aSnapshot()
  const notReady = asking({ ...s, current: { ...s.current, node } })
  assert.equal(shortDecision(decide(notReady)), 'hold record: NodeNotReady')
})

const GATE: GateSpec = {
  name: 'calm',
  before: ['node'],
  question: { kind: 'command', argv: ['calm'] },
  intervalMs: 15_000,
  timesInARow: 1,
  timeoutMs: 10_000,
  limitMs: 86_400_000,
}

const gated = (s: NodeSnapshot, kind?: 'passes' | 'fails' | 'unknown'): NodeSnapshot => ({
  ...s,
  spec: { ...s.spec, gates: [GATE] },
  gates: {
    about: { node: s.current.node.name, moment: 'node' },
    readings: kind === undefined ? {} : { calm: [{ kind, text: 'x', begunAt: s.now, endedAt: s.now }] },
  },
})

test('the lock is asked for after the gates of the operator, and given back while one of them does not pass', () => {
  const s = asking(aSnapshot())
  const decided = (one: NodeSnapshot) => [shortDecision(decide(one)), kuredLockWanted(one, decide(one))]
  assert.deepEqual(decided(gated(s)), ['hold record: GateAsked', undefined])
  const withoutSlot: NodeSnapshot = { ...s, slot: { state: 'free', mayAct: false } }
  assert.deepEqual(decided(gated(s, 'fails')), ['act slot: releaseSlot', undefined])
  assert.deepEqual(decided(gated(withoutSlot, 'fails')), ['hold slot: GateFails', false])
  assert.deepEqual(decided(gated(withoutSlot, 'unknown')), ['hold slot: GateUnknown', false])
  assert.deepEqual(decided(gated(s, 'passes')), ['hold record: KuredLockDue', true])
  assert.deepEqual(kuredLockWanted(asking(aSnapshot(out)), decide(gated(s, 'fails'))), true)
})

test('a node that is under way does not wait for the lock, only for others that hold it', () => {
  assert.equal(shortDecision(decide(asking(aSnapshot(out)))), 'act reboot: writeIntent')
  assert.equal(shortDecision(decide(asking(aSnapshot(out), { lock: OF_NODE }))), 'hold reboot: KuredLockHeld')
  assert.equal(shortDecision(decide(asking(aSnapshot(out), { lock: ofRun(0) }))), 'act reboot: writeIntent')
})

test('the annotation with which kured waits for its lock does not hold a roll that takes the lock', () => {
  const annotations = { 'weave.works/kured-reboot-in-progress': '2026-01-01T00:00:00Z' }
  const marked = (s: NodeSnapshot): NodeSnapshot => ({
    ...s,
    current: {
      ...s.current,
      node: { ...s.current.node, annotations: { ...s.current.node.annotations, ...annotations } },
    },
  })
  const lock = ofRun(0)
  assert.equal(shortDecision(decide(marked(aSnapshot()))), 'hold record: NodeInOthersWork')
  assert.equal(shortDecision(decide(asking(marked(aSnapshot()), { lock }))), 'act record: writeRecord')
  assert.equal(shortDecision(decide(asking(marked(aSnapshot())))), 'hold record: KuredLockDue')
  assert.equal(shortDecision(decide(asking(marked(aSnapshot(out)), { lock }))), 'act reboot: writeIntent')
  assert.equal(shortDecision(decide(asking(marked(aSnapshot()), { lock: OF_NODE }))), 'hold record: KuredLockHeld')
})

test('a hold says which right may be missing', () => {
  const decision = decide(asking(aSnapshot(), { facts: { failure: 'daemonsets.apps "kured" is forbidden' } }))
  const [reason] = decision.reasons
  assert.equal(
    reason?.text,
    'the lock of kured (DaemonSet kube-system/kured) could not be taken: daemonsets.apps "kured" is forbidden',
  )
  assert.match(plainText(reason?.next ?? ''), /^kubectl auth can-i patch daemonset\/kured -n kube-system/)
})

test('the lock of another run holds no roll, whether or not its file asks for the lock: the node budget orders them', () => {
  const lock = ofRun(0, 'run-9')
  const withoutLock = (s: NodeSnapshot): NodeSnapshot => ({ ...s, spec: aSnapshot().spec })
  for (const world of [asking, (s: NodeSnapshot, one: Lock) => withoutLock(asking(s, one))]) {
    assert.equal(shortDecision(decide(world(aSnapshot(), { lock }))), 'act record: writeRecord')
    assert.equal(shortDecision(decide(world(aSnapshot(out), { lock }))), 'act reboot: writeIntent')
  }
})

const wanted = (s: NodeSnapshot): boolean | undefined => kuredLockWanted(s, decide(s))

test('the lock is wanted once the first node may be begun, and for each node that is under way', () => {
  const s = aSnapshot()
  assert.equal(wanted(s), undefined)
  assert.equal(wanted(asking(s)), true)
  assert.equal(wanted(asking(s, { facts: { failure: 'x' } })), true)
  assert.equal(wanted(asking(s, { lock: OF_NODE })), undefined)
  assert.equal(wanted(asking(s, { lock: ofRun(0) })), true, 'it is recorded now')
  assert.equal(wanted(asking(aSnapshot(out))), true)
  assert.equal(wanted(asking(aSnapshot(announced))), true)
})

test('it is given back while a time window is waited for, and no node is out', () => {
  const closed = { code: 'WindowClosed', text: 'the next time window opens later' } as const
  const waits = { kind: 'hold', step: 'slot', reasons: [closed], recheckAfterMs: 1 } as const
  assert.equal(kuredLockWanted(asking(aSnapshot()), waits), false)
  assert.equal(kuredLockWanted(asking(aSnapshot(out)), waits), true)
})
