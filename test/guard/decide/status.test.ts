import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WantedStatus } from '../../../src/ground/model/object-status.ts'
import { listedNodes } from '../../../src/ground/model/owned/listed-nodes.ts'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideGuards } from '../../../src/guard/decide/decide.ts'
import { guardReasons } from '../../../src/guard/decide/event-reasons.ts'
import type { GuardSnapshot, GuardView } from '../../../src/guard/decide/snapshot.ts'
import { guardStatus, refusedGuardStatus } from '../../../src/guard/decide/status.ts'
import { aNode } from '../../support/guard/guard-objects.ts'
import { GuardToy } from '../../support/guard/guard-toy.ts'
import { readGuard } from './read-guard.ts'

const HOLDS = { holds: [{ name: 'volumes', volumes: {} }] }

/** With a guard on each of three nodes. */
function guarded(spec: object = HOLDS, annotations = {}): GuardToy {
  const toy = new GuardToy(
    [readGuard({ spec: { ...spec }, annotations })],
    ['n1', 'n2', 'n3'].map((name) => aNode(name)),
  )
  for (let i = 0; i < 4; i += 1) pass(toy)
  return toy
}

function pass(toy: GuardToy): void {
  toy.turn()
  const decision = decideGuards(toy.snapshot())
  if (decision.kind === 'act') for (const action of decision.actions) toy.perform(action)
}

interface Said {
  readonly view?: Partial<GuardView>
  readonly refusals?: readonly Reason[]
  readonly fields?: Readonly<Record<string, unknown>>
}

function statusOf(toy: GuardToy, { view: change, refusals = [], fields = {} }: Said = {}): WantedStatus {
  const found = toy.snapshot()
  const s: GuardSnapshot = { ...found, guards: found.guards.map((view) => ({ ...view, ...change })) }
  const [view] = s.guards
  assert.ok(view !== undefined)
  const decision = decideGuards(s)
  const actions = decision.kind === 'act' ? decision.actions : []
  const status = guardStatus(s, view, { before: { nodes: listedNodes(fields), fields }, actions, refusals })
  assert.ok(status !== undefined)
  return status
}

const wordsOf = ({ conditions }: WantedStatus): Readonly<Record<string, string>> =>
  Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]))

/** As `NODE STATE REASON`. */
const rowsOf = ({ fields }: WantedStatus): readonly string[] =>
  (fields.nodes as readonly { readonly name: string; readonly state: string; readonly reason?: string }[]).map(
    ({ name, state, reason = '' }) => `${name} ${state} ${reason}`.trim(),
  )

const ALL_WELL = {
  Ready: 'True AllGuarded',
  Held: 'False NotHeld',
  Degraded: 'False AsWanted',
  Conflict: 'False NoConflict',
  Stalled: 'False NotStalled',
}

const cordon = (toy: GuardToy, ...names: readonly string[]): void => {
  for (const name of names) Object.assign(toy.nodes.get(name) ?? {}, { unschedulable: true })
}
const hold = (toy: GuardToy, ...names: readonly string[]): void => {
  for (const name of names) toy.verdicts.set(`u1/${name}`, 'held')
}

const kill = (toy: GuardToy, ...names: readonly string[]): void => {
  for (const of of toy.guards) of.pods = of.pods.filter(({ nodeName = '' }) => !names.includes(nodeName))
}

interface Row {
  readonly title: string
  readonly spec?: object
  readonly prepare: (toy: GuardToy) => unknown
  readonly said?: Said
  readonly rows: readonly string[]
  readonly conditions: Readonly<Record<string, string>>
}

const ROWS: readonly Row[] = [
  { title: 'each node is guarded', prepare: () => undefined, rows: [], conditions: {} },
  {
    title: 'no node needs a guard',
    prepare: (toy) => {
      toy.nodes.clear()
      toy.turn()
      pass(toy)
    },
    rows: [],
    conditions: { Ready: 'False NoNodes' },
  },
  {
    title: 'a node asks and waits for its turn',
    prepare: (toy) => cordon(toy, 'n1'),
    rows: ['n1 Requested'],
    conditions: {},
  },
  {
    title: 'a node is granted',
    prepare: (toy) => {
      cordon(toy, 'n1', 'n2')
      for (let i = 0; i < 3; i += 1) pass(toy)
    },
    rows: ['n1 Granted NodeGranted', 'n2 Requested OtherNodeFirst'],
    conditions: {},
  },
  {
    title: 'a node lost its guard to the drain',
    prepare: (toy) => {
      cordon(toy, 'n1')
      for (let i = 0; i < 3; i += 1) pass(toy)
      toy.evict()
    },
    rows: ['n1 Draining NodeDraining'],
    conditions: { Ready: 'False NodesUnguarded', Degraded: 'True GuardsMissing' },
  },
  {
    title: 'a node is held',
    prepare: (toy) => {
      cordon(toy, 'n1')
      hold(toy, 'n1')
    },
    rows: ['n1 Held HoldStands'],
    conditions: { Held: 'True NodesHeld' },
  },
  {
    title: 'a hold is not known',
    prepare: (toy) => {
      cordon(toy, 'n1')
      toy.verdicts.set('u1/n1', 'unread')
    },
    rows: ['n1 Held HoldUnknown'],
    conditions: { Held: 'True NodesHeld' },
  },
  {
    title: 'a node is held for longer than maxHold',
    spec: { ...HOLDS, maxHold: { seconds: 60 } },
    prepare: (toy) => {
      cordon(toy, 'n1')
      hold(toy, 'n1')
      toy.snapshot()
      toy.now = wallMs(toy.now + 60_000)
    },
    rows: ['n1 Held HoldStands'],
    conditions: { Held: 'True HeldTooLong' },
  },
  {
    title: 'a node that does not ask has lost its guard',
    prepare: (toy) => kill(toy, 'n1'),
    rows: ['n1 Degraded GuardMissing'],
    conditions: { Ready: 'False NodesUnguarded', Degraded: 'True GuardsMissing' },
  },
  {
    title: 'two nodes that ask are without their guards',
    prepare: (toy) => {
      cordon(toy, 'n1', 'n2')
      kill(toy, 'n1', 'n2')
    },
    rows: ['n1 Conflict GuardMissing', 'n2 Conflict GuardMissing'],
    conditions: { Ready: 'False NodesUnguarded', Degraded: 'True GuardsMissing', Conflict: 'True Conflict' },
  },
  {
    title: 'another budget selects the guards',
    prepare: (toy) => {
      cordon(toy, 'n1')
    },
    said: { view: { foreignBudgets: ['web'] } },
    rows: ['n1 Conflict ForeignBudget', 'n2 Conflict', 'n3 Conflict'],
    conditions: { Degraded: 'True GuardsMissing', Conflict: 'True Conflict' },
  },
  {
    title: 'the DaemonSet is gone',
    prepare: () => undefined,
    said: { view: { isTargetGone: true } },
    rows: [],
    conditions: { Ready: 'False TargetGone' },
  },
  {
    title: 'a write is refused',
    prepare: () => undefined,
    said: { refusals: [{ code: 'WriteRefused', object: 'storage', text: 'it is refused' }] },
    rows: [],
    conditions: { Stalled: 'True WriteRefused' },
  },
]

for (const { title, spec, prepare, said, rows, conditions } of ROWS) {
  test(`what the status says where ${title}`, () => {
    const toy = guarded(spec)
    prepare(toy)
    const status = statusOf(toy, said)
    assert.deepEqual([rowsOf(status), wordsOf(status)], [rows, { ...ALL_WELL, ...conditions }])
  })
}

/** `CODE OBJECT` of each reason that Events of the guard say beside its grants. */
function toldOf(toy: GuardToy, view: Partial<GuardView> = {}): readonly string[] {
  const s = toy.snapshot()
  const [found] = s.guards
  assert.ok(found !== undefined)
  return guardReasons(s, { ...found, ...view }).map(({ code, object = '' }) => `${code} ${object}`)
}

test('Events tell why nodes of a guard wait, and once a node is held for longer than maxHold; nothing while the world is not known', () => {
  const toy = guarded({ ...HOLDS, maxHold: { seconds: 60, policy: 'Wait' } })
  cordon(toy, 'n1')
  hold(toy, 'n1')
  assert.deepEqual(toldOf(toy), ['HoldStands n1'])
  for (let i = 0; i < 13; i += 1) toy.turn()
  assert.deepEqual(toldOf(toy), ['HoldStands n1', 'HeldTooLong n1'])
  toy.isFresh = false
  assert.deepEqual(toldOf(toy), [])
})

test('Events tell that the DaemonSet of a guard is gone, and that its releases cannot be read', () => {
  const toy = guarded(HOLDS, { 'evenkeel.dev/guard-releases': '[' })
  assert.deepEqual(toldOf(toy, { isTargetGone: true }), ['TargetGone storage', 'ReleasesUnreadable storage'])
})

test('a foreign budget is named by the condition, with what to do', () => {
  const toy = guarded()
  cordon(toy, 'n1')
  const { conditions } = statusOf(toy, { view: { foreignBudgets: ['web'] } })
  assert.match(conditions.find(({ type }) => type === 'Conflict')?.message ?? '', /PodDisruptionBudget web selects/)
})

test('the counts and the granted node', () => {
  const toy = guarded()
  cordon(toy, 'n1', 'n2')
  hold(toy, 'n2')
  for (let i = 0; i < 3; i += 1) pass(toy)
  const { nodes: _, ...counts } = statusOf(toy).fields
  assert.deepEqual(counts, {
    ...{ desiredNodes: 3, guardedNodes: 3, requestedNodes: 1, heldNodes: 1, grantedNode: 'n1' },
  })
})

test('a grant that passes over a hold is recorded with who released it, the newest of ten first', () => {
  const until = '2026-01-01T13:00:00Z'
  const releases = JSON.stringify([{ node: 'n1', by: 'alice', until, why: 'disk is dead' }])
  const toy = guarded(HOLDS, { 'evenkeel.dev/guard-releases': releases })
  cordon(toy, 'n1')
  hold(toy, 'n1')
  pass(toy)
  pass(toy)
  const before = Array.from({ length: 10 }, (_, at) => ({ node: `m${at}`, by: 'bob', at: until, passedOver: 'x' }))
  const released = statusOf(toy, { fields: { released: before } }).fields.released as readonly object[]
  assert.deepEqual(released.slice(0, 2), [
    {
      ...{ node: 'n1', by: 'alice', why: 'disk is dead' },
      ...{ passedOver: 'n1 is held by volumes: a test', at: '2026-01-01T12:00:30.000Z' },
    },
    before[0],
  ])
  assert.equal(released.length, 10)
})

test('a release that is over, and one of another node, count for nothing', () => {
  const releases = JSON.stringify([
    { node: 'n1', by: 'alice', until: '2026-01-01T12:00:00Z' },
    { node: 'n2', by: 'alice', until: '2026-01-01T13:00:00Z' },
  ])
  const toy = guarded(HOLDS, { 'evenkeel.dev/guard-releases': releases })
  cordon(toy, 'n1')
  hold(toy, 'n1')
  assert.deepEqual(rowsOf(statusOf(toy)), ['n1 Held HoldStands'])
})

test('while the world is not known, the status stays as it stands', () => {
  const toy = guarded()
  toy.isFresh = false
  const s = toy.snapshot()
  const before = { nodes: listedNodes({}), fields: {} }
  assert.equal(s.guards[0] && guardStatus(s, s.guards[0], { before, actions: [], refusals: [] }), undefined)
})

test('a NodeGuard that makes no sense says so, and keeps its other fields while the world is not known', () => {
  const reasons: Reason[] = [
    { code: 'GuardRefused', object: 'storage', text: 'spec.mode: it is wrong', next: 'mend it' },
  ]
  const status = refusedGuardStatus({ known: undefined, fields: { desiredNodes: 3 } }, reasons)
  assert.deepEqual(wordsOf(status), { Stalled: 'True GuardRefused', Ready: 'False GuardRefused' })
  assert.deepEqual(
    [status.fields, status.conditions[0]?.message],
    [{ desiredNodes: 3 }, 'spec.mode: it is wrong; mend it'],
  )
})
