import type { Reason } from '../../../ground/model/reason.ts'
import { evenkeel, kubectl, say } from '../../../ground/model/sentence.ts'
import { act, done, hold } from '../../../service/decide/step-answer.ts'
import { RECORD_ANNOTATION } from '../../../service/model/node-record.ts'
import { stuck } from '../blocked.ts'
import { buildRecord } from '../build-record.ts'
import { mayStart } from '../guards.ts'
import { lives } from '../node-budget.ts'
import { type NodeSnapshot, ownRecord } from '../node-snapshot.ts'
import { marksToSet } from '../nodes-to-come.ts'
import { beforeRecord } from '../requests.ts'
import type { StepRule } from '../step-rule.ts'
import { waysBack } from '../ways-back.ts'

/**
 * Step 2: the state of the node before this run, written once and never over the record of another run.
 *
 * Law: the record says what was there while the slot was held.
 */
export const record: StepRule<NodeSnapshot> = {
  step: 'record',
  next(s) {
    if (ownRecord(s) !== undefined) return done
    const foreign = foreignRecord(s)
    if (foreign !== undefined) return hold([foreign])
    const refusals = mayStart(s)
    if (refusals.length > 0) return hold(refusals)
    const requested = beforeRecord(s)
    if (requested !== undefined) return requested
    const marks = marksToSet(s)
    if (marks !== undefined) return marks
    const { name, resourceVersion } = s.current.node
    return act([{ kind: 'writeRecord', node: name, record: buildRecord(s), asOf: resourceVersion }], {
      code: 'NotRecorded',
      text: 'the state before the roll is not recorded on the node yet',
    })
  },
  remember: stuck,
}

/**
 * The node that this run has begun bears something else in the place of the run's record. Whoever wrote that may go on with the node by
 * it, so this run changes nothing more there. While its slot may still come, it waits for that first: nobody else renews it.
 *
 * Law: a node whose record was replaced while it was in work stays out and keeps its slot.
 */
export function recordReplaced(s: NodeSnapshot): Reason | undefined {
  const { inItsPlace, node } = s.current
  if (inItsPlace === undefined || (s.slot.state !== 'mine' && s.slot.state !== 'lost')) return undefined
  const found = foreignRecord(s, inItsPlace)
  if (found === undefined || inItsPlace.ok)
    return (
      found && { ...found, text: `${found.text} in the place of the record of this run, which has ${node.name} out` }
    )
  const { text, ...rest } = found
  return {
    ...rest,
    text: `${text}; this run has ${node.name} out, and did not write it`,
    next: say`take off what cannot be read: ${kubectl`annotate node ${node.name} ${RECORD_ANNOTATION}-`}; the journal of this run has the record, and ${evenkeel`roll resume ${s.run.id}`} writes it again (if the journal is lost: docs/put-a-node-back.md)`,
  }
}

/** The node bears the record of another run, or one that cannot be read: this run does not begin it. */
export function foreignRecord(s: NodeSnapshot, parsed = s.current.record): Reason | undefined {
  const { node } = s.current
  if (parsed === undefined) return undefined
  if (!parsed.ok) {
    return {
      code: 'RecordUnreadable',
      object: node.name,
      text: `the record on ${node.name} cannot be read: ${parsed.why}`,
      next: `look at the annotation evenkeel.dev/record of ${node.name}; restore the node by hand, then remove it`,
      never: true,
    }
  }
  return {
    code: 'RecordOfAnotherRun',
    object: node.name,
    text: `${node.name} carries the record of run ${parsed.value.run}`,
    next: lives(s, parsed.value.run)
      ? `wait until run ${parsed.value.run} is over, or stop it where it runs`
      : waysBack(parsed.value.run),
  }
}
