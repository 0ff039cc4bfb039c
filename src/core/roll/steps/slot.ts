import { RECORD_ANNOTATION } from '../../../model/node-record.ts'
import type { Reason } from '../../../model/reason.ts'
import { badNodes } from '../bad-nodes.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import { act, done, hold, RECHECK_MS, type StepRule } from '../step-rule.ts'

/** Step 1: one unit of the node budget. Bad nodes use it up too, so it is asked again until the intent is written. */
export const slot: StepRule<NodeSnapshot> = {
  step: 'slot',
  next(s) {
    if (s.cluster.staleForMs > 0) return hold([apiLost])
    const bad = badNodes(s)
    if (bad.length > 0) return hold(mostNodesBad(s, bad) ? [heartbeatsLost, ...bad] : bad)
    switch (s.slot.state) {
      case 'mine':
        return done
      case 'free':
        return act([{ kind: 'takeSlot', node: s.current.node.name }], free)
      case 'stale':
        return mayTakeStale(s) ? act([{ kind: 'takeSlot', node: s.current.node.name }], abandoned) : hold([owned(s)])
      case 'other':
        return hold([owned(s)], 4 * RECHECK_MS)
      case 'unknown':
        return hold([{ code: 'SlotUnknown', text: 'the slot of the node budget was not read yet' }])
    }
  },
}

const free: Reason = { code: 'SlotFree', text: 'a slot of the node budget is free' }
const abandoned: Reason = { code: 'SlotAbandoned', text: 'its last owner renews no more and left nothing on a node' }
const apiLost: Reason = { code: 'ApiUnreachable', text: 'the API server cannot be followed' }
const heartbeatsLost: Reason = {
  code: 'MostNodesNotReady',
  text: 'most nodes turned NotReady together, which says more about their heartbeats than about them',
}

const mostNodesBad = (s: NodeSnapshot, bad: readonly Reason[]): boolean => bad.length * 2 > s.cluster.nodes.length

/** Stale alone is no licence: a record on any node means that something is still to be restored by its owner. */
const mayTakeStale = (s: NodeSnapshot): boolean =>
  s.slot.holderRun === s.run.id || s.cluster.nodes.every((node) => !(RECORD_ANNOTATION in node.annotations))

function owned(s: NodeSnapshot): Reason {
  const { holderRun = 'somebody unknown', holderNode = 'a node' } = s.slot
  const stale = s.slot.state === 'stale'
  return {
    code: stale ? 'SlotStale' : 'SlotTaken',
    object: holderNode,
    text: stale
      ? `run ${holderRun} left ${holderNode} out and renews its slot no more`
      : `the node budget is used up: run ${holderRun} has ${holderNode} out`,
    ...(stale ? { next: `evenkeel roll resume ${holderRun}, or evenkeel roll abort ${holderRun}` } : {}),
  }
}
