import type { Reason } from '../../../ground/model/reason.ts'
import { isRunName } from '../../../ground/model/run-name.ts'
import { type Command, evenkeel, type Sentence, say } from '../../../ground/model/sentence.ts'
import { type SeenSlot, SLOTS_NAMESPACE } from '../../../ground/model/slot.ts'
import { ownerText } from '../../../service/decide/budget/owner-text.ts'
import type { NodeOut } from '../../../service/decide/budget/snapshot.ts'
import { act, done, hold, type StepAnswer } from '../../../service/decide/step-answer.ts'
import type { Action } from '../../../service/model/action.ts'
import { badNode, badNodes } from '../bad-nodes.ts'
import { heldUp, stuck } from '../blocked.ts'
import { gatesHold } from '../gates/gates-hold.ts'
import { baselineGreen } from '../guards.ts'
import { isBeside, isShutOut, mayBeOut, mayTakeStale, sharer, slotToTake, yieldsTo } from '../node-budget.ts'
import { type NodeSnapshot, ownIntent, ownRecord } from '../node-snapshot.ts'
import { returning } from '../returning.ts'
import type { SlotReading } from '../snapshot.ts'
import type { StepRule } from '../step-rule.ts'
import { waysBack } from '../ways-back.ts'
import { windowAgainst } from '../window/time-windows.ts'
import { foreignRecord } from './record.ts'

/**
 * Step 1: one unit of the node budget. Bad nodes use it up too, so the budget is counted again until the intent is written. A process
 * that resumes a node takes its slot back first: only with the slot may it repeat the commands that a reload forgot.
 *
 * Law: no roll begins a node that would be one more out than the budget allows.
 * Law: all nodes are counted again between the slot and the first touch, and of several owners that are too many the one
 * of the lowest slot goes on.
 * Law: a process that resumes a node has its slot back before anything else.
 */
export const slot: StepRule<NodeSnapshot> = {
  step: 'slot',
  next(s) {
    // An announcement cannot be taken back: another node that turns bad would only keep this one out.
    if (ownRecord(s) !== undefined && (s.slot.state !== 'mine' || ownIntent(s) !== undefined)) return takeIt(s)
    const outside = ownRecord(s) === undefined ? windowAgainst(s) : undefined
    if (outside !== undefined) return beforeWindow(s, outside)
    const unmeasured = baselineGreen(s)
    if (unmeasured.length > 0) return hold(unmeasured)
    if (s.cluster.staleForMs > 0) return hold([apiLost])
    return overBudget(s) ?? gatesFirst(s) ?? mayTake(s)
  },
  // A process that resumes waits for the slot first, and for the machine after that.
  remember: (s, decision) => ({
    ...stuck(s, decision),
    ...(s.evidence.intentByUs ? heldUp(s, decision) : {}),
    ...returning(s, decision),
  }),
}

/** A time window is waited for by the hour. */
const WINDOW_RECHECK_MS = 5000

/** While a time window is waited for, the slot is given back: the wait may take hours. */
const beforeWindow = (s: NodeSnapshot, outside: Reason): StepAnswer =>
  s.slot.state === 'mine'
    ? act([{ kind: 'releaseSlot', node: s.current.node.name }], outside)
    : hold([outside], WINDOW_RECHECK_MS)

/** Gates may hold a node for hours, and other owners need the slot meanwhile. */
function gatesFirst(s: NodeSnapshot): StepAnswer | undefined {
  if (ownRecord(s) !== undefined) return undefined
  const reasons = gatesHold(s, 'node')
  const [failing] = reasons.filter(({ code }) => code !== 'GateAsked')
  if (s.slot.state === 'free' && reasons.length > 0) return hold(reasons)
  if (s.slot.state === 'mine' && failing !== undefined)
    return act([{ kind: 'releaseSlot', node: s.current.node.name }], failing)
  return undefined
}

/** Undefined: one more may be out, as far as is known. */
function overBudget(s: NodeSnapshot): StepAnswer | undefined {
  const fault = ownRecord(s) === undefined ? s.budget?.fault : undefined
  if (fault !== undefined) return hold([fault])
  const bad = badNodes(s)
  const twice = ownRecord(s) === undefined ? sharer(s) : undefined
  const max = mayBeOut(s)
  if (bad.length < max && twice === undefined) return undefined
  const back = s.slot.state === 'mine' && ownRecord(s) === undefined ? givenBack(s, bad) : undefined
  if (back !== undefined) return act([{ kind: 'releaseSlot', node: s.current.node.name }], back)
  if (twice !== undefined) return hold([shared(s, twice)])
  const named = bad.map((one) => badNode(s, one))
  const reasons = max === 1 ? named : [usedUp(s, bad, max), ...named]
  const own = bad.find(({ node }) => isBeside(s, node))
  if (own !== undefined) return hold([awaitsOwn(s, own.node), ...reasons])
  return hold(mostNotReady(s, bad) ? [heartbeatsLost, ...reasons] : reasons)
}

/** The other node comes back, or ends this roll. So the wait for it has no limit of its own. */
const awaitsOwn = (s: NodeSnapshot, node: string): Reason => ({
  code: 'OtherNodeOfRoll',
  object: node,
  text: `${node} of the same roll is out or about to be, and the budget has no room for ${s.current.node.name} until it is back`,
})

function mayTake(s: NodeSnapshot): StepAnswer {
  // The Lease of the other run may be deleted: the run relies on it all the same, and creates it again.
  const foreign = s.slot.state === 'mine' ? undefined : foreignRecord(s)
  return foreign === undefined ? takeIt(s) : hold([foreign])
}

const usedUp = (s: NodeSnapshot, { length }: readonly NodeOut[], max: number): Reason => ({
  code: 'BudgetUsedUp',
  text: `${length} nodes are out or about to be, and the budget allows at most ${max}`,
  next: say`${lookCommand(s.spec.slots)} shows which nodes are out, and for which owner`,
})

/** Names the namespaces only where the command would take other ones by itself. */
function lookCommand(
  { namespace, grantsNamespace = namespace }: NodeSnapshot['spec']['slots'],
  options: readonly string[] = [],
): Command {
  const slots = namespace === SLOTS_NAMESPACE ? [] : ['--namespace', namespace]
  const grants = grantsNamespace === namespace ? [] : ['--grants-namespace', grantsNamespace]
  return evenkeel`budget ${slots} ${grants} ${options}`
}

/** Why a run that has touched nothing gives its slot back. It takes one again once there is room. */
function givenBack(s: NodeSnapshot, bad: readonly NodeOut[]): Reason | undefined {
  const first = yieldsTo(s)
  if (first !== undefined) return yielded(first)
  return isShutOut(s, bad) ? shutOut : undefined
}

const yielded = (first: SeenSlot): Reason => ({
  code: 'SlotYielded',
  text: `the slot is given back, because ${ownerText(first)} took slot ${first.index} at the same time and goes first`,
})

const shutOut: Reason = {
  code: 'SlotYielded',
  text: 'the slot is given back, because nodes that are out without a slot use up the budget',
}

const shared = (s: NodeSnapshot, slot: SeenSlot): Reason => ({
  code: 'SlotTaken',
  object: s.current.node.name,
  text: `${ownerText(slot)} holds slot ${slot.index} for ${s.current.node.name} itself`,
})

/** Step 1 of a node that is out already: it keeps its slot, however many other nodes are out. */
export const slotHeld: StepRule<NodeSnapshot> = { step: 'slot', next: takeIt }

/** A process resumes with a node that is out, and has not listed yet what else there is. */
export const listsAwaited: StepRule<NodeSnapshot> = {
  step: 'slot',
  next(s) {
    const { kinds = [], error } = s.cluster.unlisted ?? {}
    const { name } = s.current.node
    const why = error === undefined ? '' : ` (${error})`
    const what = `the API server has not listed ${kinds.join(', ')} yet${why}`
    return hold([
      { code: 'NotListedYet', object: name, text: `${what}; until then ${name} is kept out and nothing else is done` },
    ])
  },
}

function takeIt(s: NodeSnapshot): StepAnswer {
  const slot = slotToTake(s)
  if (slot.state === 'mine') return done
  if (slot.state === 'lost') return hold([owned(s, slot)])
  // An earlier process of this run may hold any of the slots: another one would be the second of this node.
  if (s.budget?.isUnread === true && s.budget.fault !== undefined) return hold([s.budget.fault])
  switch (slot.state) {
    case 'free':
      return act([take(s, slot.index, false)], free)
    case 'stale':
      return mayTakeStale(s, slot)
        ? act([take(s, slot.index, true)], abandoned(s, slot))
        : act([take(s, slot.index, false)], owned(s, slot))
    case 'other':
      return act([take(s, slot.index, false)], owned(s, slot))
  }
}

const take = (s: NodeSnapshot, index: number, takeStale: boolean): Action => ({
  kind: 'takeSlot',
  node: s.current.node.name,
  takeStale,
  ...(index === 0 ? {} : { slot: index }),
  restores: ownRecord(s) !== undefined,
})

const free: Reason = { code: 'SlotFree', text: 'a slot of the node budget is free' }
const apiLost: Reason = { code: 'ApiUnreachable', text: 'the API server cannot be followed' }
const heartbeatsLost: Reason = {
  code: 'MostNodesNotReady',
  text: 'most nodes turned NotReady together, so their heartbeats are more likely lost than the nodes',
}

/** The node under way is one of them: its heartbeats are lost with the others. */
function mostNotReady({ cluster, current }: NodeSnapshot, bad: readonly NodeOut[]): boolean {
  const others = bad.filter(({ why }) => why.some(({ kind }) => kind === 'notReady')).length
  return (others + (current.node.ready === 'True' ? 0 : 1)) * 2 > cluster.nodes.length
}

const abandoned = (s: NodeSnapshot, slot: SlotReading): Reason => ({
  code: 'SlotAbandoned',
  text:
    slot.holderRun === s.run.id
      ? 'the process of this run that held the slot no longer renews it'
      : 'the last owner no longer renews the slot and left no record on a node',
})

function owned(s: NodeSnapshot, slot: SlotReading): Reason {
  const { holderRun = 'of an unknown owner', holderNode = 'a node' } = slot
  if (holderRun === s.run.id && isBeside(s, holderNode)) return awaitsOwn(s, holderNode)
  const stale = slot.state === 'stale'
  if (holderRun === s.run.id && slot.state === 'other') {
    const text = `another process holds the slot of run ${holderRun} for ${holderNode}; this process takes the slot over once it has not been renewed for its duration`
    return { code: 'SlotTaken', object: holderNode, text, next: 'stop that process, wherever it runs' }
  }
  return {
    code: stale ? 'SlotStale' : 'SlotTaken',
    object: holderNode,
    text: stale
      ? `run ${holderRun} left ${holderNode} out and no longer renews its slot`
      : `the node budget is used up: run ${holderRun} has ${holderNode} out`,
    ...(stale && isRunName(holderRun)
      ? { next: slot.holderIsMachine === true ? waysToMachine(s, holderNode, holderRun) : waysBack(holderRun) }
      : {}),
  }
}

/** Without the journal of the run, nothing says what was done to the machine. So a person has to check it. */
function waysToMachine({ spec }: NodeSnapshot, machine: string, run: string): Sentence {
  const budget = lookCommand(spec.slots, ['--watch', '2min'])
  return say`${evenkeel`roll resume ${run}`}, or ${evenkeel`roll abort ${run}`}; if its journal is lost, see that ${machine} is well, then release its slot as ${budget} says`
}
