import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainText } from '../../../../src/ground/model/sentence.ts'
import type { SeenSlot } from '../../../../src/ground/model/slot.ts'
import { type BudgetStatus, budgetStatus } from '../../../../src/service/decide/budget/budget-status.ts'
import { plain } from '../../../support/plain.ts'
import { aNode, aRecord } from '../../../support/roll-world.ts'

type Reading = Parameters<typeof budgetStatus>[0]

const RENEWED = '2026-01-01T00:00:00Z'
const WALL = Date.parse(RENEWED) + 60_000
const EXCLUDED = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' }
const CONTROLLER = { namespace: 'evenkeel', name: 'evenkeel-controller' }

const slot = (change: Partial<SeenSlot> = {}): SeenSlot => ({
  index: 0,
  owner: { holder: 'run-2/ab', run: 'run-2', node: 'n2' },
  isStale: false,
  renewTime: RENEWED,
  durationMs: 120_000,
  ...change,
})

const claimed = (...claims: readonly object[]) => ({
  'evenkeel.dev/maintenance': JSON.stringify({ version: 2, claims }),
})

const viewOf = (change: Partial<Reading> = {}): BudgetStatus =>
  budgetStatus({
    namespace: 'evenkeel',
    nodes: [aNode('n1'), aNode('n2'), aNode('n3'), aNode('n4')],
    unread: [],
    cordons: 'noBrake',
    slots: [],
    renewed: new Set(),
    wall: WALL,
    ...change,
  })

test('where no node is out all of the budget is left, and without a budget object one node may leave', () => {
  assert.deepEqual(viewOf(), {
    maxOut: 1,
    unread: [],
    nodes: 4,
    out: [],
    mayBeOut: [],
    slots: [],
    more: 1,
  })
  const { maxOut, says, more } = viewOf({ limit: { kind: 'percent', percent: 50 } })
  assert.deepEqual([maxOut, says, more], [2, '50%', 2])
  assert.equal(viewOf({ limit: { kind: 'count', count: 3 } }).says, '3')
})

test('a ConfigMap that may not be read is named', () =>
  assert.deepEqual(viewOf({ unread: [{ namespace: 'ops', name: 'evenkeel-budget' }] }).unread, ['ops/evenkeel-budget']))

test('a node that is out is named with its owner and since when, as its record, its claims or its slot say', () => {
  const nodes = [
    aNode('n1', { annotations: { 'evenkeel.dev/record': JSON.stringify(aRecord({ at: '2026-01-01T00:00:01Z' })) } }),
    aNode('n2', {
      annotations: claimed(
        { owner: 'person/alice', id: 'a1', at: '2026-01-02T00:00:00Z' },
        { owner: 'person/bob', id: 'b1', at: '2026-01-01T00:00:00Z' },
        { owner: 'person/carol', id: 'c1' },
      ),
    }),
    aNode('n3', { annotations: claimed({ owner: 'person/dave', id: 'd1' }) }),
    aNode('n4', { ready: 'False' }),
    aNode('n5'),
  ]
  const slots = [slot({ index: 2, owner: { holder: 'run-2/ab', run: 'run-2', node: 'n5' } })]
  assert.deepEqual(viewOf({ nodes, slots, limit: { kind: 'count', count: 2 } }).out, [
    { node: 'n1', why: ['has the record of run run-1'], owner: 'run run-1', since: '2026-01-01T00:00:01Z' },
    {
      node: 'n2',
      why: ['is claimed by person/alice and person/bob and person/carol'],
      owner: 'person/alice, person/bob, person/carol',
      since: '2026-01-01T00:00:00Z',
    },
    { node: 'n3', why: ['is claimed by person/dave'], owner: 'person/dave' },
    { node: 'n4', why: ['is not Ready (Ready is False)'] },
    { node: 'n5', why: ['is about to leave: run run-2 holds slot 2 for it'], owner: 'run run-2' },
  ])
})

test('of a node that is out already it is not said that it is about to leave, and its slot tells the owner', () => {
  const nodes = [aNode('n1'), aNode('n2', { ready: 'Unknown' })]
  assert.deepEqual(viewOf({ nodes, slots: [slot()] }).out, [
    { node: 'n2', why: ['is not Ready (Ready is Unknown)'], owner: 'run run-2' },
  ])
})

test('a node that only its balancers and agents could call out is listed separately, and reduces the number of nodes that may leave', () => {
  const nodes = [
    aNode('n1', { unschedulable: true }),
    aNode('n2', { labels: EXCLUDED }),
    aNode('n3', { labels: { ...EXCLUDED, 'node-role.kubernetes.io/control-plane': '' } }),
    aNode('n4', { unschedulable: true, ready: 'False' }),
    aNode('n5'),
  ]
  const { out, mayBeOut, more } = viewOf({ nodes, limit: { kind: 'count', count: 4 } })
  assert.deepEqual(
    out.map(({ node }) => node),
    ['n4'],
  )
  assert.deepEqual(mayBeOut, [
    { node: 'n1', why: ['is cordoned'] },
    { node: 'n2', why: ['has the label that keeps it out of load balancers'] },
  ])
  assert.equal(more, 1)
})

test('where a brake grants cordons a cordoned node is out if it is granted, and is not in doubt', () => {
  const cordons = { version: 1, granted: ['n1'], max: 1, of: 4 } as const
  const nodes = [aNode('n1', { unschedulable: true }), aNode('n2', { unschedulable: true })]
  const { out, mayBeOut, more } = viewOf({ nodes, cordons })
  assert.deepEqual([out.map(({ node }) => node), mayBeOut, more], [['n1'], [], 0])
})

const doubtOf = (change: Partial<SeenSlot>, reading: Partial<Reading> = {}): string | undefined => {
  const doubt = viewOf({ slots: [slot(change)], ...reading }).slots[0]?.doubt
  return doubt && plainText(doubt)
}

test('a slot is shown with its node, its owner and when it was renewed', () => {
  assert.deepEqual(viewOf({ slots: [slot()] }).slots, [
    { index: 0, node: 'n2', owner: 'run run-2', renewTime: RENEWED },
  ])
  const unnamed = slot({ owner: { holder: 'controller/evenkeel', run: 'controller' }, livesBy: CONTROLLER })
  assert.deepEqual(viewOf({ slots: [unnamed] }).slots, [
    { index: 0, owner: 'the controller of Lease evenkeel/evenkeel-controller', renewTime: RENEWED },
  ])
})

test('a slot whose renewal is old by the clock of its holder is doubted, unless it was seen to be renewed', () => {
  const late = { wall: Date.parse(RENEWED) + 120_001 }
  assert.equal(doubtOf({}, { wall: Date.parse(RENEWED) + 120_000 }), undefined)
  assert.equal(
    doubtOf({}, late),
    'it was renewed last at 2026-01-01T00:00:00Z, by the clock of its holder, and lasts 2 min; evenkeel budget --watch 2min shows whether it is renewed',
  )
  assert.equal(doubtOf({}, { ...late, renewed: new Set([0]) }), undefined)
  assert.match(doubtOf({ durationMs: 240_001 }, { wall: WALL + 240_000 }) ?? '', /evenkeel budget --watch 5min shows/)
  assert.match(doubtOf({ durationMs: 1_000 }) ?? '', /evenkeel budget --watch 2min shows/)
})

test('a slot of a controller is doubted where its Lease has no holder or may not be read', () => {
  assert.equal(
    doubtOf({ livesBy: CONTROLLER, isUnled: true }),
    'no controller holds Lease evenkeel/evenkeel-controller at this moment; evenkeel budget --watch 2min shows whether one takes over',
  )
  assert.equal(
    doubtOf({ livesBy: CONTROLLER, isHidden: true, renewTime: '', durationMs: 0 }),
    'whether its holder lives cannot be seen: this identity is not allowed to get Lease evenkeel/evenkeel-controller',
  )
})

test('a slot that was seen unrenewed is left behind, counts for nothing, and is released by the command that is shown', () => {
  const holder = `run-2/'$(x)\u001b`
  const stale = slot({ index: 1, isStale: true, owner: { holder, run: 'run-2', node: 'n2' } })
  const { out, more, slots } = viewOf({ slots: [stale] })
  assert.deepEqual([out, more], [[], 1])
  assert.deepEqual(plain(slots), [
    {
      index: 1,
      node: 'n2',
      owner: 'run run-2',
      renewTime: RENEWED,
      left: {
        why: 'it was not renewed for 2 min while this command looked',
        command:
          'kubectl -n evenkeel patch lease evenkeel-slot-1 --type json -p ' +
          `'[{"op":"test","path":"/spec/holderIdentity","value":"run-2/\\u0027$(x)\\u001b"},{"op":"replace","path":"/spec/holderIdentity","value":""}]'`,
      },
    },
  ])
  const unled = slot({ isStale: true, livesBy: CONTROLLER, isUnled: true })
  assert.equal(
    viewOf({ slots: [unled] }).slots[0]?.left?.why,
    'no controller held Lease evenkeel/evenkeel-controller while this command looked',
  )
  assert.equal(
    viewOf({ slots: [slot({ isStale: true, livesBy: CONTROLLER })] }).slots[0]?.left?.why,
    'it was not renewed for 2 min while this command looked',
  )
})
