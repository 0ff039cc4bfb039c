import type { Action } from '../../../model/action.ts'
import { RECORD_ANNOTATION } from '../../../model/node-record.ts'
import type { Reason } from '../../../model/reason.ts'
import { isRunName } from '../../../model/run-name.ts'
import type { NodeOut } from '../../budget/snapshot.ts'
import { badNode, badNodes } from '../bad-nodes.ts'
import { baselineGreen } from '../guards.ts'
import { type NodeSnapshot, ownRecord } from '../node-snapshot.ts'
import { act, done, hold, type StepAnswer, type StepRule } from '../step-rule.ts'
import { waysBack } from '../ways-back.ts'
import { foreignRecord } from './record.ts'

/**
 * Step 1: one unit of the node budget. Bad nodes use it up too, so it is asked again until the intent is written. Who
 * resumes a node that bears the run's record has its slot back first: what a reload forgets meanwhile is said again.
 */
export const slot: StepRule<NodeSnapshot> = {
  step: 'slot',
  next(s) {
    if (ownRecord(s) !== undefined && s.slot.state !== 'mine') return takeIt(s)
    const unmeasured = baselineGreen(s)
    if (unmeasured.length > 0) return hold(unmeasured)
    if (s.cluster.staleForMs > 0) return hold([apiLost])
    const bad = badNodes(s)
    if (bad.length > 0) return hold(mostNotReady(s, bad) ? [heartbeatsLost, ...bad.map(badNode)] : bad.map(badNode))
    // A Lease may be gone that the other run still counts on, and would have to make anew.
    const foreign = s.slot.state === 'mine' ? undefined : foreignRecord(s)
    return foreign === undefined ? takeIt(s) : hold([foreign])
  },
}

/** The same for a node that is out already: it holds its unit whatever became of the others. */
export const slotHeld: StepRule<NodeSnapshot> = { step: 'slot', next: takeIt }

/** A process that takes up a node that is out, and has not heard yet what else there is. */
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
  switch (s.slot.state) {
    case 'mine':
      return done
    case 'free':
      return act([take(s, false)], free)
    case 'stale':
      return mayTakeStale(s) ? act([take(s, true)], abandoned(s)) : act([take(s, false)], owned(s))
    case 'lost':
      return hold([owned(s)])
    case 'other':
      return act([take(s, false)], owned(s))
  }
}

const take = (s: NodeSnapshot, takeStale: boolean): Action => ({
  kind: 'takeSlot',
  node: s.current.node.name,
  takeStale,
  restores: ownRecord(s) !== undefined,
})

const free: Reason = { code: 'SlotFree', text: 'a slot of the node budget is free' }
const apiLost: Reason = { code: 'ApiUnreachable', text: 'the API server cannot be followed' }
const heartbeatsLost: Reason = {
  code: 'MostNodesNotReady',
  text: 'most nodes turned NotReady together, which says more about their heartbeats than about them',
}

const mostNotReady = (s: NodeSnapshot, bad: readonly NodeOut[]): boolean =>
  bad.filter(({ why }) => why.some(({ kind }) => kind === 'notReady')).length * 2 > s.cluster.nodes.length

/** Stale alone is no licence: a record on any node means that something is still to be restored by its owner. */
const mayTakeStale = (s: NodeSnapshot): boolean =>
  s.slot.holderRun === s.run.id || s.cluster.nodes.every((node) => !(RECORD_ANNOTATION in node.annotations))

const abandoned = (s: NodeSnapshot): Reason => ({
  code: 'SlotAbandoned',
  text:
    s.slot.holderRun === s.run.id
      ? 'the process of this run that held it renews it no more'
      : 'its last owner renews no more and left nothing on a node',
})

function owned(s: NodeSnapshot): Reason {
  const { holderRun = 'somebody unknown', holderNode = 'a node' } = s.slot
  const stale = s.slot.state === 'stale'
  if (holderRun === s.run.id && s.slot.state === 'other') {
    const text = `another process holds the slot of run ${holderRun} for ${holderNode}; it is taken over once it was not renewed for its duration`
    return { code: 'SlotTaken', object: holderNode, text, next: 'stop that process, wherever it runs' }
  }
  return {
    code: stale ? 'SlotStale' : 'SlotTaken',
    object: holderNode,
    text: stale
      ? `run ${holderRun} left ${holderNode} out and renews its slot no more`
      : `the node budget is used up: run ${holderRun} has ${holderNode} out`,
    ...(stale && isRunName(holderRun) ? { next: waysBack(holderRun) } : {}),
  }
}
