import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { claimsOf, MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { NODE_ANNOTATION } from '../../../src/ground/model/slot.ts'
import type { GuardAction } from '../../../src/guard/decide/action.ts'
import { decideGuards } from '../../../src/guard/decide/decide.ts'
import { aNode } from '../../support/guard/guard-objects.ts'
import { aSlotOf, GuardToy, isOpen, type ToyGuard } from '../../support/guard/guard-toy.ts'
import { readGuard } from './read-guard.ts'

/** What is wrong with an action at the moment before it is done, by the toy alone. */
function faultsOf(toy: GuardToy, action: GuardAction): readonly string[] {
  if (action.kind === 'createDeployment') {
    const of = toy.guards.find(({ guard }) => guard === action.view.guard)
    return of?.gates.some(({ name }) => name === action.wanted.name) ? [] : ['a guard is made before its budget']
  }
  if (action.kind !== 'openGate' && action.kind !== 'letGo') return []
  const { node } = action
  const said = [
    [!toy.isFresh, 'nothing is known'],
    [toy.nodes.get(node)?.unschedulable !== true, 'it does not ask'],
    [!toy.slots.some(({ owner }) => owner.node === node), 'it has no slot'],
    [!isClaimed(toy, node), 'it has no claim'],
    [[...toy.nodes.keys()].some((other) => other !== node && isBare(toy, other)), 'another node is without its guard'],
    [toy.guards.some((of) => isOpenElsewhere(of, node)), 'the budget of another node is open'],
    [toy.guards.some((of) => isHeld(toy, of, node)), 'a hold is not clear'],
    [nodesOut(toy, node) >= toy.maxOut, 'the node budget has no room'],
  ] as const
  return said.flatMap(([is, text]) => (is ? [`${action.kind} of ${node}: ${text}`] : []))
}

const isClaimed = (toy: GuardToy, node: string): boolean =>
  claimsOf(toy.nodes.get(node)?.annotations[MAINTENANCE_ANNOTATION]).some(({ owner }) => owner === 'guard/default')

const isBare = (toy: GuardToy, node: string): boolean =>
  toy.guards.some(({ pods }) => !pods.some(({ nodeName, isReady }) => nodeName === node && isReady))

const isOpenElsewhere = ({ gates }: ToyGuard, node: string): boolean =>
  gates.some((gate) => gate.annotations[NODE_ANNOTATION] !== node && isOpen(gate))

/** A guard that has gone has nothing left to hold. */
const isHeld = (toy: GuardToy, { guard, pods }: ToyGuard, node: string): boolean =>
  guard.spec.holds.length > 0 &&
  toy.verdictOf(guard, node) !== 'clear' &&
  pods.some(({ nodeName }) => nodeName === node)

/** By slots, claims and heartbeats, without that node. Of two that have a slot and no more, the one of the lower slot goes on. */
function nodesOut({ nodes, slots }: GuardToy, node: string): number {
  const slotOf = (name: string): number => slots.find(({ owner }) => owner.node === name)?.index ?? -1
  return [...nodes.values()].filter(
    ({ name, ready, annotations }) =>
      name !== node &&
      (ready !== 'True' ||
        annotations[MAINTENANCE_ANNOTATION] !== undefined ||
        (slotOf(name) >= 0 && slotOf(name) < slotOf(node))),
  ).length
}

const HOLDS = { holds: [{ name: 'volumes', volumes: {} }] }

/** Guards of one group: in mode PerNode with holds, or in mode Budget. */
const guardOf = (at: number, mode: 'PerNode' | 'Budget') =>
  readGuard({
    metadata: { name: `g${at}`, uid: `u${at}` },
    spec: mode === 'PerNode' ? { mode, ...HOLDS } : { mode },
  })

const setups = fc.record({
  nodes: fc.integer({ min: 1, max: 5 }),
  maxOut: fc.integer({ min: 1, max: 2 }),
  modes: fc.array(fc.constantFrom('PerNode', 'Budget'), { minLength: 1, maxLength: 3 }),
} as const)

const EVENTS = ['nothing', 'cordon', 'uncordon', 'down', 'up', 'hold', 'unknown', 'unread', 'clear'] as const
const MORE = ['evict', 'kill', 'removed', 'othersSlot', 'othersEnd', 'stale', 'fresh'] as const

const lives = fc.array(
  fc.record({
    event: fc.constantFrom(...EVENTS, ...MORE, 'cordon', 'evict', 'uncordon'),
    node: fc.nat({ max: 4 }),
    guard: fc.nat({ max: 2 }),
    /** How many of the writes are done before the process is killed. */
    writes: fc.constantFrom(0, 1, 99, 99, 99),
    passes: fc.integer({ min: 1, max: 4 }),
  }),
  { maxLength: 25 },
)

type Life = typeof lives extends fc.Arbitrary<infer L> ? L : never
type Setup = typeof setups extends fc.Arbitrary<infer S> ? S : never
type Step = Life[number]

class Witness {
  readonly faults: string[] = []
  readonly toy: GuardToy

  constructor({ nodes, maxOut, modes }: Setup) {
    const names = Array.from({ length: nodes }, (_, at) => aNode(`n${at}`))
    this.toy = new GuardToy(
      modes.map((mode, at) => guardOf(at, mode)),
      names,
    )
    this.toy.maxOut = Math.min(maxOut, Math.max(1, nodes - 1))
    for (let i = 0; i < 6; i += 1) this.pass()
  }

  /** Whether anything was left to do. */
  pass(writes = 99): boolean {
    const { toy } = this
    toy.turn()
    const decision = decideGuards(toy.snapshot())
    if (decision.kind !== 'act') return false
    for (const action of decision.actions.slice(0, writes)) {
      this.faults.push(...faultsOf(toy, action))
      toy.perform(action)
    }
    return true
  }

  happen({ event, node: at, guard: of }: Step): void {
    const { toy } = this
    const node = [...toy.nodes.values()][at % Math.max(1, toy.nodes.size)]
    const guard = toy.guards[of % toy.guards.length]
    if (node === undefined || guard === undefined) return
    const verdict = (kind: 'held' | 'unknown' | 'unread' | 'clear') =>
      toy.verdicts.set(`${guard.guard.uid}/${node.name}`, kind)
    const kinds = { hold: 'held', unknown: 'unknown', unread: 'unread', clear: 'clear' } as const
    switch (event) {
      case 'cordon':
      case 'uncordon':
        node.unschedulable = event === 'cordon'
        return
      case 'down':
      case 'up':
        node.ready = event === 'up' ? 'True' : 'False'
        return
      case 'hold':
      case 'unknown':
      case 'unread':
      case 'clear':
        verdict(kinds[event])
        return
      case 'evict':
        toy.evict()
        return
      case 'kill':
        guard.pods = guard.pods.filter(({ nodeName }) => nodeName !== node.name)
        return
      case 'removed':
        if (toy.nodes.size > 1) toy.nodes.delete(node.name)
        return
      case 'othersSlot':
        if (!toy.slots.some(({ index }) => index === 1)) toy.slots.push(aSlotOf(node.name, 1, 'roll/x'))
        return
      case 'othersEnd':
        toy.slots = toy.slots.filter(({ owner }) => owner.holder !== 'roll/x')
        return
      case 'stale':
      case 'fresh':
        toy.isFresh = event === 'fresh'
    }
  }
}

function live(setup: Setup, life: Life): Witness {
  const witness = new Witness(setup)
  for (const step of life) {
    witness.happen(step)
    for (let i = 0; i < step.passes; i += 1) witness.pass(step.writes)
  }
  return witness
}

/** All that stood in the way of rest is over. */
function heal({ toy }: Witness): void {
  toy.isFresh = true
  toy.verdicts.clear()
  toy.slots = toy.slots.filter(({ owner }) => owner.holder !== 'roll/x')
  for (const node of toy.nodes.values()) Object.assign(node, { unschedulable: false, ready: 'True' })
}

const runs = { numRuns: 40 }
const faultless = (about: RegExp) =>
  fc.assert(
    fc.property(setups, lives, (setup, life) => {
      const { faults } = live(setup, life)
      assert.deepEqual(
        faults.filter((fault) => about.test(fault)),
        [],
      )
    }),
    runs,
  )

test('law: of all guards of a group one node is granted at a time; and none while another one is without its guard', () =>
  faultless(/another node/))

test('law: a hold that is not known to be clear holds its node; whatever the others say, and also once it was granted', () =>
  faultless(/hold/))

test('law: a node is granted only while fewer nodes than the budget allows are out, counted before its slot is taken and again after; and with a slot and a claim', () =>
  faultless(/slot|claim|room/))

test('law: while the world is not known as it is now, no node is granted; and none that does not ask', () =>
  faultless(/known|ask/))

test('law: no guard pod is made before the budget over it; after each kill between two writes', () =>
  faultless(/before its budget/))

test('guards come to rest once nothing stands in the way: each node is guarded, and no budget is open, no slot and no claim is left', () => {
  fc.assert(
    fc.property(setups, lives, (setup, life) => {
      const witness = live(setup, life)
      heal(witness)
      for (let i = 0; i < 60 && witness.pass(); i += 1);
      for (let i = 0; i < 3; i += 1) witness.pass()
      const { toy } = witness
      const gates = toy.guards.flatMap((of) => of.gates)
      const bare = toy.guards.flatMap(({ pods }) =>
        [...toy.nodes.keys()].filter((name) => !pods.some(({ nodeName, isReady }) => nodeName === name && isReady)),
      )
      const claims = [...toy.nodes.values()].filter(({ annotations }) => Object.keys(annotations).length > 0)
      assert.deepEqual(
        [bare, gates.filter(isOpen).length, toy.slots.map(({ owner }) => owner.node), claims.map(({ name }) => name)],
        [[], 0, [], []],
      )
      assert.equal(decideGuards(toy.snapshot()).kind, 'settled')
    }),
    runs,
  )
})

test('each node that asks is drained in its turn, whatever their number, once its holds are clear', () => {
  fc.assert(
    fc.property(setups, (setup) => {
      const witness = new Witness(setup)
      const { toy } = witness
      for (const node of toy.nodes.values()) node.unschedulable = true
      const drained: string[] = []
      for (let i = 0; i < 200 && drained.length < toy.nodes.size; i += 1) {
        witness.pass()
        toy.evict()
        for (const node of toy.nodes.values()) {
          const isLeft = toy.guards.some(({ pods }) => pods.some(({ nodeName }) => nodeName === node.name))
          if (isLeft || drained.includes(node.name)) continue
          drained.push(node.name)
          node.unschedulable = false
        }
      }
      assert.deepEqual([drained, witness.faults], [[...toy.nodes.keys()], []])
    }),
    { numRuns: 20 },
  )
})
