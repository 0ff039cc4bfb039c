import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { keepDetached, servesOn } from '../../service/decide/keep-detached.ts'
import { RECHECK_MS, type StepAnswer } from '../../service/decide/step-answer.ts'
import type { Decision } from '../model/decision.ts'
import { BEGIN, KEEPING_OUT, ladderOf } from './ladder.ts'
import { isLeftUndone } from './last-work.ts'
import { nodeGone } from './node-gone.ts'
import { hasCurrent, hasRebooted, type NodeSnapshot, ownRecord, type RecordedSnapshot } from './node-snapshot.ts'
import { serviceOf } from './service-of.ts'
import type { RollSnapshot } from './snapshot.ts'
import { climb, type StepRule } from './step-rule.ts'
import { isDue, whenDue } from './when-due.ts'

/** One pass: from all that was read to the one thing to do next, or to wait for. Pure. */
export function decide(s: RollSnapshot): Decision {
  if (!hasCurrent(s)) return { kind: 'settled', reasons: [{ code: 'NothingUnderWay', text: 'no node is under way' }] }
  const record = ownRecord(s)
  if (record === undefined) return withoutRecord(s)
  const recorded: RecordedSnapshot = { ...s, record }
  if (s.run.verdict?.keepOut === true) return keptOut(recorded, s.run.verdict.reasons)
  if (isOldNews(recorded)) return { kind: 'hold', step: 'record', reasons: [oldNews(s)], recheckAfterMs: RECHECK_MS }
  const ladder = s.cluster.unlisted === undefined ? ladderOf(recorded) : KEEPING_OUT
  const decision = withServesOn(recorded, climbed(ladder, recorded))
  if (decision.kind === 'settled') return decision
  if (s.current.absent === true)
    return { kind: 'hold', step: decision.step, reasons: [nodeGone(s)], recheckAfterMs: RECHECK_MS }
  // No process writes to a node without its slot. A process that resumes has to take the slot first.
  const isToRewrite = s.current.recordLost === true && decision.step !== 'slot'
  return isToRewrite ? whenDue({ ...rewrite(recorded), step: decision.step }, s) : decision
}

/** While the roll waits for its slot, the duty of step 4 may have yielded already; step 4 itself is not asked then. */
const withServesOn = (s: RecordedSnapshot, decision: Decision): Decision =>
  decision.kind === 'hold' && decision.step === 'slot' && s.run.verdict === undefined
    ? { ...decision, reasons: [...decision.reasons, ...servesOn(serviceOf(s))] }
    : decision

/** The run is through with a node only after its reboot, so this list is from before that. */
const isOldNews = (s: RecordedSnapshot): boolean => s.run.done.includes(s.current.node.name) && !hasRebooted(s)

const oldNews = ({ current: { node } }: NodeSnapshot): Reason => ({
  code: 'OldNews',
  object: node.name,
  text: `the API server shows ${node.name} as it was before its reboot, although the run has finished it`,
})

/** Nothing else is done to a node before it bears its record again. */
function rewrite({ current: { node, intentLost }, record }: RecordedSnapshot): Extract<StepAnswer, { kind: 'act' }> {
  const text = `${node.name} has lost the record of its state before the roll: it was registered again, or others took the record off`
  return {
    kind: 'act',
    actions: [{ kind: 'writeRecord', node: node.name, record, ...present({ announced: intentLost }) }],
    reasons: [{ code: 'RecordLost', object: node.name, text }],
  }
}

function climbed<S extends NodeSnapshot>(ladder: readonly StepRule<S>[], s: S): Decision {
  const decision = climb(ladder, s)
  if (decision !== undefined) return whenDue(decision, s)
  return isLeftUndone(s) ? { kind: 'settled', reasons: s.run.verdict?.reasons ?? [] } : nodeDone(s)
}

/**
 * The node bears no record of this run: it has not begun, or it is through, or it was given up before it began, or it is gone. An old
 * list may still show the record of a node that an earlier process brought through: it is not begun again.
 */
function withoutRecord(s: NodeSnapshot): Decision {
  const wasThrough = s.evidence.attachedAt !== undefined || s.run.done.includes(s.current.node.name)
  const through = s.current.absent === true || wasThrough || s.run.verdict !== undefined
  if (!through) return climbed(BEGIN, s)
  if (s.slot.state === 'mine') {
    const node = s.current.node.name
    const reasons: readonly Reason[] = [
      { code: 'NothingLeft', object: node, text: 'nothing of this run is left on the node' },
    ]
    // A node that was given up before its record was never taken out, and has nothing to be watched for.
    const step = s.evidence.attachedAt === undefined ? 'slot' : 'soak'
    return whenDue({ kind: 'act', step, actions: [{ kind: 'releaseSlot', node }], reasons }, s)
  }
  return nodeDone(s)
}

const nodeDone = ({ current: { node } }: NodeSnapshot): Decision => ({
  kind: 'settled',
  reasons: [{ code: 'NodeDone', object: node.name, text: 'every step is done' }],
})

/**
 * The node stays out. What the failed soak had put back in is taken out again, except a last usable server. KeepOutDuty repeats the
 * rest.
 */
function keptOut(s: RecordedSnapshot, reasons: readonly Reason[]): Decision {
  const actions = keepDetached(serviceOf(s)).filter((action) => isDue(action, s))
  if (actions.length > 0) return { kind: 'act', step: 'detach', actions, reasons }
  return { kind: 'settled', reasons: [...reasons, ...servesOn(serviceOf(s))] }
}
