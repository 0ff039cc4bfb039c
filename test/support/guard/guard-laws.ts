import { claimsOf, MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { NODE_ANNOTATION } from '../../../src/ground/model/slot.ts'
import type { GuardAction } from '../../../src/guard/decide/action.ts'
import { type GuardToy, isOpen, type ToyGuard } from './guard-toy.ts'

/** What is wrong with an action at the moment before it is done, by the toy alone. */
export function faultsOf(toy: GuardToy, action: GuardAction): readonly string[] {
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
