import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { Granting } from './grants.ts'
import { mayGo } from './may-go.ts'
import { type GroupNode, type GuardPass, isAway, type Member } from './pass.ts'

type GuardState = 'Armed' | 'Requested' | 'Held' | 'Granted' | 'Draining' | 'Degraded' | 'Conflict'

/** The state of one guard of a node. */
export interface MemberState {
  readonly state: GuardState
  readonly reason?: Reason
}

interface Of {
  readonly member: Member
  /** The decision of this pass. */
  readonly granting: Granting
}

const WAITING_CHARACTERS = 200

/** Shared by nearly all of thousands of nodes. */
const ARMED: MemberState = { state: 'Armed' }

/** The state of a guard of a node, for the status. */
export function memberStateOf(pass: GuardPass, x: GroupNode, { member, granting }: Of): MemberState {
  const first = firstReasons(granting).get(x.name)
  if (member.view.foreignBudgets.length > 0) return { state: 'Conflict', ...present({ reason: first }) }
  if (x.asks !== undefined) {
    const state = ofAsking(pass, x, member)
    return first === undefined || state.state === 'Granted' ? state : { ...state, reason: first }
  }
  if (granting.lead === x && isAway(x)) return { state: 'Draining', ...present({ reason: first }) }
  if (member.isReady) return ARMED
  const { name, waiting } = member.n.pods.find((pod) => pod.waiting !== undefined && !pod.isFinished) ?? {}
  const why = waiting === undefined ? '' : `: ${name} does not start: ${escapeForeign(waiting, WAITING_CHARACTERS)}`
  const text = `the guard of ${x.name} is not ready${why}`
  return { state: 'Degraded', reason: first ?? { code: 'GuardMissing', object: x.name, text } }
}

/** The first reason of each node, indexed once for each decision. */
const FIRST = new WeakMap<Granting, ReadonlyMap<string, Reason>>()

function firstReasons(granting: Granting): ReadonlyMap<string, Reason> {
  const known = FIRST.get(granting)
  if (known !== undefined) return known
  const first = new Map(granting.reasons.toReversed().map((reason) => [reason.object ?? '', reason] as const))
  FIRST.set(granting, first)
  return first
}

function ofAsking(pass: GuardPass, x: GroupNode, member: Member): MemberState {
  if (!member.isThere) {
    const others = pass.nodes.filter((other) => other !== x && other.asks !== undefined && isBare(other))
    const text = `${x.name} has no guard, and gets none while it ${x.asks}`
    return {
      state: others.length > 0 ? 'Conflict' : 'Draining',
      reason: { code: 'GuardMissing', object: x.name, text },
    }
  }
  if (member.isOpen) {
    const text = `${x.name} is granted: its guard may be evicted`
    return { state: 'Granted', reason: { code: 'NodeGranted', object: x.name, text } }
  }
  return { state: mayGo(pass, x).kind === 'held' ? 'Held' : 'Requested' }
}

/** None of the node's guards exists. */
const isBare = ({ wanted }: GroupNode): boolean => wanted.length > 0 && wanted.every(({ isThere }) => !isThere)
