import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import { EVENTS, heal } from '../../support/ingress-events.ts'
import { IngressToy } from '../../support/ingress-toy.ts'
import { ACKNOWLEDGEMENT, NODE_MARK, type SpecChange } from '../../support/ingress-world.ts'

const setups = fc
  .record({
    nodes: fc.integer({ min: 1, max: 6 }),
    maxOut: fc.integer({ min: 1, max: 3 }),
    most: fc.integer({ min: 1, max: 3 }),
    min: fc.integer({ min: 0, max: 2 }),
    inPlace: fc.boolean(),
    byNode: fc.boolean(),
    onTimeout: fc.constantFrom('Pause', 'Proceed', 'Abort'),
    onCordon: fc.constantFrom('Detach', 'DetachAndScaleDown', 'Ignore'),
    first: fc.boolean(),
  } as const)
  .map(({ nodes, maxOut, most, min, inPlace, byNode, onTimeout, onCordon, first }) => {
    const spec: SpecChange = {
      onCordon,
      strategy: inPlace
        ? {
            kind: 'inPlace',
            maxDegradedNodes: { kind: 'count', count: most },
            maxUnavailablePods: { kind: 'count', count: 1 },
            maxSurgedPods: { kind: 'count', count: 0 },
          }
        : { kind: 'detach', maxUnavailableNodes: { kind: 'count', count: most } },
      rollout: { minInServiceNodes: Math.min(min, nodes - 1), replaceUnavailableFirst: first },
      detach: { onTimeout, ...(byNode ? { node: NODE_MARK, acknowledgement: ACKNOWLEDGEMENT } : {}) },
    }
    return { nodes, maxOut, spec }
  })

const lives = fc.array(
  fc.record({
    event: fc.constantFrom('nothing', ...Object.keys(EVENTS)),
    node: fc.nat({ max: 5 }),
    /** How many of the writes are done before the process is killed. */
    writes: fc.constantFrom(0, 1, 2, 9, 9, 9),
    passes: fc.integer({ min: 1, max: 6 }),
  }),
  { maxLength: 40 },
)

type Life = typeof lives extends fc.Arbitrary<infer L> ? L : never
type Setup = typeof setups extends fc.Arbitrary<infer S> ? S : never

function pass(toy: IngressToy, writes = 99): boolean {
  toy.tick()
  const decision = decideIngress(toy.snapshot())
  assert.ok(decision.reasons.length > 0)
  if (decision.kind !== 'act') return false
  for (const action of decision.actions.slice(0, writes)) toy.perform(action)
  return true
}

function live(setup: Setup, life: Life): IngressToy {
  const toy = new IngressToy(setup)
  for (let i = 0; i < 20; i += 1) pass(toy)
  for (const { event, node, writes, passes } of life) {
    const one = toy.nodes[node % toy.nodes.length]
    assert.ok(one !== undefined)
    EVENTS[event]?.(toy, one)
    for (let i = 0; i < passes; i += 1) pass(toy, writes)
  }
  return toy
}

const runs = { numRuns: 400 }

test('law: a rollout takes no node out beyond the limit of its object or the node budget, whatever has the others out; and none whose pods change before it is detached', () => {
  fc.assert(
    fc.property(setups, lives, (setup, life) => assert.deepEqual(live(setup, life).faults, [])),
    runs,
  )
})

const ONE_NODE: Setup = {
  ...{ nodes: 1, maxOut: 1 },
  spec: {
    onCordon: 'Detach',
    strategy: { kind: 'detach', maxUnavailableNodes: { kind: 'count', count: 1 } },
    rollout: { minInServiceNodes: 0, replaceUnavailableFirst: false },
    detach: { onTimeout: 'Pause' },
  },
}

test('a mark and then the operation are removed by others: the gate of a cordoned node waits for the grace of the mark that was set again', () => {
  const life: Life = [
    { event: 'cordon', node: 0, writes: 2, passes: 3 },
    { event: 'lost mark', node: 0, writes: 9, passes: 1 },
    { event: 'lost operation', node: 0, writes: 1, passes: 12 },
  ]
  const toy = live(ONE_NODE, life)
  assert.deepEqual(toy.faults, [])
  assert.equal(toy.nodes[0]?.deployment?.gate, 'open')
})

test('the claim of a node is removed before its pods change, and then no claim there can be read: its pods wait until it is claimed anew', () => {
  const life: Life = [
    { event: 'new revision', node: 0, writes: 0, passes: 1 },
    { event: 'nothing', node: 0, writes: 9, passes: 9 },
    { event: 'no claims', node: 0, writes: 0, passes: 1 },
    { event: 'torn claims', node: 0, writes: 0, passes: 1 },
    { event: 'nothing', node: 0, writes: 9, passes: 9 },
  ]
  const toy = live(ONE_NODE, life)
  assert.deepEqual(toy.faults, [])
  assert.equal(toy.nodes[0]?.deployment?.revision, 'r1')
})

test('once faults stop, every node has the wanted revision and nothing of ours is left on it', () => {
  fc.assert(
    fc.property(setups, lives, (setup, life) => {
      const toy = live(setup, life)
      heal(toy)
      for (let i = 0; i < 600; i += 1) pass(toy)
      assert.deepEqual(toy.left(), [])
      assert.deepEqual(toy.faults, [])
      assert.deepEqual(
        toy.nodes.map(({ deployment }) => [deployment?.revision, deployment?.available, deployment?.gate]),
        toy.nodes.map(() => ['good', 2, 'closed']),
      )
      assert.ok(toy.nodes.every((one) => toy.isServing(one) && !toy.isUnderWay(one)))
    }),
    { numRuns: 150 },
  )
})

test('law: nothing of an IngressDaemonSet is left on a Node once the object is gone', () => {
  fc.assert(
    fc.property(setups, lives, (setup, life) => {
      const toy = live(setup, life)
      toy.deleting = true
      for (let i = 0; i < 40; i += 1) pass(toy)
      assert.ok(toy.finalized)
      assert.deepEqual(toy.left(), [])
      assert.deepEqual(toy.faults, [])
    }),
    runs,
  )
})
