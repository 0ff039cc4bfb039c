import type { ConditionWords } from '../../ground/model/condition.ts'
import { present } from '../../ground/model/present.ts'
import { isReasonCode, type Reason } from '../../ground/model/reason.ts'
import type { RollJob } from '../model/roll-job.ts'
import { BEGUN_ANNOTATION, ROLL_FINALIZER, type RollObject } from '../model/roll-object.ts'
import { keepsOut } from '../model/run-state.ts'
import type { RollAction } from './action.ts'
import { BEGIN_GATE } from './file-with-requests.ts'
import type { RollObjectSnapshot } from './snapshot.ts'

/** The state of a Roll in one word, as `kubectl get` shows it. */
export const ROLL_STATES = ['Waiting', 'Running', 'Held', 'Stopped', 'Succeeded', 'Aborting', 'Aborted'] as const

export type RollState = (typeof ROLL_STATES)[number]

/** What a Roll is doing, why, and what is to be written next. */
export interface RollAnswer {
  readonly state: RollState
  readonly reasons: readonly Reason[]
  readonly actions: readonly RollAction[]
  /** When it is to be looked at again without an event. Absent: only events matter. */
  readonly againMs?: number
}

/** While a pod works, its journal grows without an event. */
const FOLLOW_MS = 2_000
/** It may be held for hours, in which requests are counted on. */
const FOLLOW_HELD_MS = 5_000
/** A plan that was blocked, and a pod that ended without a reason of its own, are tried again so late. */
const BLOCKED_AGAIN_MS = 300_000
const FAILED_AGAIN_MS = 60_000
const UNREADABLE_AGAIN_MS = 30_000

const EXIT_USAGE = 2
const EXIT_HELD = 3

/** Whether a run of this Roll may have begun. `kubectl replace` removes the mark, and its Jobs stay. */
export const isBegun = ({ annotations, uid }: RollObject, jobs: readonly RollJob[]): boolean =>
  annotations[BEGUN_ANNOTATION] === uid || jobs.length > 0

/**
 * The rule of a Roll: begin once, follow the pod, take up what was interrupted, and put everything back where a person ends it.
 *
 * Law: a Roll whose run has come to an end is never begun again.
 */
export function answerOf(s: RollObjectSnapshot): RollAnswer {
  const { roll, journalFault } = s
  const isEnding = roll.deleting || roll.abort
  if (journalFault !== undefined) {
    const why = reason(s, 'RollJournalUnreadable', journalFault)
    return { state: isEnding ? 'Aborting' : 'Held', reasons: [why], actions: [], againMs: UNREADABLE_AGAIN_MS }
  }
  const before = endedBefore(s)
  if (before !== undefined) return { ...before, actions: leavesNothing(s, before) ? released(s) : releases(s) }
  if (isEnding) return aborting(s)
  if (isBegun(roll, s.jobs)) return withMark(s, withEdit(s, working(s)))
  return s.faults.length > 0 ? over('Stopped', refused(s)) : waiting(s)
}

/** Without its mark and its finalizer, another Roll would begin beside it, and a deletion would leave its nodes out. */
function withMark({ roll, jobs }: RollObjectSnapshot, answer: RollAnswer): RollAnswer {
  if (roll.annotations[BEGUN_ANNOTATION] === roll.uid && roll.finalizers.includes(ROLL_FINALIZER)) return answer
  return { ...answer, actions: [{ kind: 'mark' }, ...(jobs.length === 0 ? [] : answer.actions)] }
}

/** The file of a run cannot be changed, and nobody should believe that it was. */
function withEdit(s: RollObjectSnapshot, answer: RollAnswer): RollAnswer {
  if (s.isEdited !== true) return answer
  const text = 'fields of its file were changed after it began: the run goes on with the file that it began with'
  return { ...answer, reasons: [...answer.reasons, reason(s, 'RollEdited', text)] }
}

/** A Roll that its status calls ended: nothing has to be read for it any more. The status outlives journals and Jobs. */
export function endOfStatus(
  { annotations, uid, status, deleting, abort }: RollObject,
  jobs: readonly RollJob[],
): { readonly state: RollState; readonly words: ConditionWords } | undefined {
  if (annotations[BEGUN_ANNOTATION] !== uid || jobs.some(isAtWork)) return undefined
  const is = (type: string) => status.conditions.find((one) => one.type === type && one.status === 'True')
  const succeeded = is('Succeeded')
  if (succeeded !== undefined) return { state: 'Succeeded', words: succeeded }
  const stopped = is('Stopped')
  const state = status.fields.state === 'Aborted' ? 'Aborted' : 'Stopped'
  // One that was stopped may have left a node out.
  const isEnding = (deleting || abort) && state === 'Stopped'
  return stopped === undefined || isEnding ? undefined : { state, words: stopped }
}

function endedBefore(s: RollObjectSnapshot): RollAnswer | undefined {
  const found = endOfStatus(s.roll, s.jobs)
  return found && over(found.state, reason(s, codeOf(found.words.reason), found.words.message))
}

/** A status can be edited by hand. */
const codeOf = (text: string): Reason['code'] => (isReasonCode(text) ? text : 'RollStopped')

function waiting(s: RollObjectSnapshot): RollAnswer {
  const { roll } = s
  const other = roll.annotations[BEGUN_ANNOTATION]
  if (other !== undefined) {
    const text = `this is a copy of a Roll that was run (${other}): nothing is begun; to run it, remove the annotation ${BEGUN_ANNOTATION}`
    return over('Stopped', reason(s, 'RollCopied', text))
  }
  if (roll.paused) return { state: 'Waiting', reasons: [paused(s)], actions: [] }
  return inTurn(s, { state: 'Waiting', reasons: [beginning(s)], actions: [{ kind: 'mark' }] })
}

/** One Roll works at a time. */
function inTurn(s: RollObjectSnapshot, answer: RollAnswer): RollAnswer {
  if (s.goesFirst === undefined || answer.actions.length === 0) return answer
  const why = reason(s, 'RollWaits', `Roll ${s.goesFirst} goes first: one Roll works at a time`)
  return { ...answer, reasons: [why, ...answer.reasons], actions: [] }
}

function working(s: RollObjectSnapshot): RollAnswer {
  const job = s.jobs.at(-1)
  if (job !== undefined && isAtWork(job)) return followed(ofEnd(s))
  if (s.run === undefined && runOfStatus(s) !== undefined) return over('Stopped', journalGone(s))
  if (!s.hasFile && s.faults.length > 0) return withoutFile(s)
  if (!s.hasFile) return { state: 'Running', reasons: [beginning(s)], actions: [{ kind: 'createFile' }] }
  if (job === undefined) {
    const first: RollAnswer = { state: 'Running', reasons: [beginning(s)], actions: [begin(s)] }
    return s.run === undefined ? inTurn(s, first) : first
  }
  if (s.run?.end !== undefined) return inTurn(s, { ...ofEnd(s), ...resumed(s, job) })
  // A run that was interrupted may have a node out, and goes on whoever else works.
  return s.run === undefined ? inTurn(s, unfinished(s, job)) : unfinished(s, job)
}

/** No file can be made of it. A run that has not ended is no end of the Roll: it goes on once its fields are right. */
function withoutFile(s: RollObjectSnapshot): RollAnswer {
  if (s.run?.end !== undefined) return ofEnd(s)
  return over(s.run === undefined ? 'Stopped' : 'Held', refused(s))
}

const followed = (answer: RollAnswer): RollAnswer => ({
  ...answer,
  againMs: answer.state === 'Running' ? FOLLOW_MS : FOLLOW_HELD_MS,
})

/** The run that the status names. A journal that is gone since was deleted by a person, or after many later runs. */
function runOfStatus({ roll }: RollObjectSnapshot): string | undefined {
  const { run } = roll.status.fields
  return typeof run === 'string' && run !== '' ? run : undefined
}

/** By the journal: how the run stands or has ended. */
function ofEnd(s: RollObjectSnapshot): RollAnswer {
  const { run } = s
  const end = run?.end
  if (end === undefined) {
    const held = heldBy(s)
    if (held.length > 0) return { state: 'Held', reasons: held, actions: [] }
    return { state: 'Running', reasons: [reason(s, 'RollRuns', progress(s))], actions: [] }
  }
  const [first] = end.reasons
  const why = first ?? reason(s, end.outcome === 'completed' ? 'RollDone' : 'RollStopped', progress(s))
  switch (end.outcome) {
    case 'completed':
      return over('Succeeded', reason(s, 'RollDone', progress(s)))
    case 'held':
      return over('Held', why)
    case 'aborted':
      return over('Aborted', why)
    case 'stopped':
      return over('Stopped', why)
  }
}

/** What holds the run. The gate that stands for the requests of the Roll is named by the request. */
function heldBy(s: RollObjectSnapshot): readonly Reason[] {
  const { held = [], nodes = [] } = s.run ?? {}
  const names = nodes.filter(({ state }) => state === 'inWork').map(({ name }) => name)
  const text = `${names.join(', ')} waits for an approval: add it to spec.approved`
  return held.map((one) => {
    if (one.object !== BEGIN_GATE) return one
    if (s.roll.paused) return paused(s)
    return s.roll.asksApproval ? reason(s, 'RollNotApproved', text) : one
  })
}

/** A run that ended held goes on when its Roll was changed since, as by an approval. */
function resumed(s: RollObjectSnapshot, job: RollJob): Pick<RollAnswer, 'actions'> {
  const { run, roll } = s
  if (run?.end?.outcome !== 'held' || roll.paused || job.ofGeneration >= roll.generation) return { actions: [] }
  return { actions: [{ kind: 'createJob', task: 'resume', attempt: job.attempt + 1, run: run.name }] }
}

/** A Job has ended, and the journal has no end: the plan was refused, or the pod was lost. */
function unfinished(s: RollObjectSnapshot, job: RollJob): RollAnswer {
  if (job.state === 'suspended')
    return { state: 'Running', reasons: [beginning(s)], actions: [{ kind: 'continueJob', job }] }
  if (job.state === 'complete') return over('Succeeded', reason(s, 'RollDone', 'no node needs it: nothing was begun'))
  const { exitCode, message } = s.podEnd ?? { exitCode: 1, message: `Job ${job.name} ${job.state}` }
  if (exitCode === EXIT_USAGE && s.run === undefined) return over('Stopped', reason(s, 'RollRefused', message))
  const isBlocked = exitCode === EXIT_HELD && s.run === undefined
  const pauseMs = isBlocked ? BLOCKED_AGAIN_MS : FAILED_AGAIN_MS
  const wasChanged = job.ofGeneration < s.roll.generation
  const waitMs = wasChanged ? 0 : Date.parse(job.endedAt) + pauseMs - s.now
  const why = reason(s, isBlocked ? 'RollBlocked' : 'RunnerFailed', message)
  if (waitMs > 0) return { state: 'Held', reasons: [why], actions: [], againMs: waitMs }
  return { state: 'Held', reasons: [why], actions: [begin(s)] }
}

/** Stops the pod, and has another one put back what is out. Then nothing is left to do. */
function aborting(s: RollObjectSnapshot): RollAnswer {
  const { roll, run } = s
  const what = 'nodes that are out are put back'
  const why = reason(s, 'RollAborting', roll.deleting ? `the Roll is being deleted: ${what}` : what)
  const answer = (rest: Partial<RollAnswer>): RollAnswer => ({
    state: 'Aborting',
    reasons: [why],
    actions: [],
    ...rest,
  })
  const job = s.jobs.at(-1)
  if (job !== undefined && isAtWork(job)) {
    const isStopped = job.task === 'abort' || job.state === 'stopping' || (run?.end?.out.length ?? 1) === 0
    return answer(isStopped ? { againMs: FOLLOW_MS } : { actions: [{ kind: 'suspendJob', job }] })
  }
  if (isPutBack(s, job)) return { ...ended(s), actions: releases(s) }
  // Without a journal, the pod goes by the file.
  if (!s.hasFile && run === undefined && s.faults.length > 0) return answer({ reasons: [refused(s), why] })
  if (!s.hasFile) return answer({ actions: [{ kind: 'createFile' }] })
  const waitMs = job?.task === 'abort' ? Date.parse(job.endedAt) + FAILED_AGAIN_MS - s.now : 0
  if (waitMs > 0) {
    const failed = reason(s, 'RunnerFailed', s.podEnd?.message ?? `Job ${job?.name ?? ''} failed`)
    return answer({ reasons: [failed, why], againMs: waitMs })
  }
  const [named, isLost] = [run?.name ?? runOfStatus(s), run === undefined]
  const attempt = (job?.attempt ?? 0) + 1
  return answer({ actions: [{ kind: 'createJob', task: 'abort', attempt, ...present({ run: named }), isLost }] })
}

const releases = (s: RollObjectSnapshot): readonly RollAction[] => (s.roll.deleting ? released(s) : [])

const released = ({ roll }: RollObjectSnapshot): readonly RollAction[] =>
  roll.finalizers.includes(ROLL_FINALIZER) ? [{ kind: 'release' }] : []

/** Its status says so, and its deletion has nothing to put back. A namespace that is deleted together with the controller waits for it no longer. */
const leavesNothing = ({ roll }: RollObjectSnapshot, { state }: RollAnswer): boolean =>
  (state === 'Succeeded' || state === 'Aborted') && !keepsOut(roll.status.fields)

/** What an abort says that finds no record of its run on any node. Other wrong input has the same exit code. */
const NOTHING_OUT = /\(abort\.(nothing-out|which-run)\)/

/** No node is out by this Roll. Where the journal is gone, the abort by records says so. */
function isPutBack(s: RollObjectSnapshot, job: RollJob | undefined): boolean {
  const { run } = s
  if (run?.end !== undefined && run.end.out.length === 0) return true
  if (job?.task === 'abort' && job.state === 'complete') return true
  if (run !== undefined) return false
  return runOfStatus(s) === undefined || (job?.task === 'abort' && NOTHING_OUT.test(s.podEnd?.message ?? ''))
}

/** A run that had ended before anybody asked to abort it keeps its end. */
function ended(s: RollObjectSnapshot): RollAnswer {
  if (s.run?.end !== undefined) return ofEnd(s)
  const { conditions } = s.roll.status
  if (conditions.some(({ type, status }) => type === 'Succeeded' && status === 'True'))
    return over('Succeeded', reason(s, 'RollDone', progress(s)))
  return over('Aborted', reason(s, 'RollStopped', isBegun(s.roll, s.jobs) ? 'nothing is out' : 'nothing was begun'))
}

/** Its pod runs, or may still run. */
export const isAtWork = ({ state }: RollJob): boolean => state === 'active' || state === 'stopping'

const begin = ({ jobs }: RollObjectSnapshot): RollAction => ({
  kind: 'createJob',
  task: 'begin',
  attempt: (jobs.at(-1)?.attempt ?? 0) + 1,
})

const refused = (s: RollObjectSnapshot): Reason => reason(s, 'RollRefused', s.faults.join('. '))

const beginning = (s: RollObjectSnapshot): Reason => reason(s, 'RollBegins', 'its run is being begun')

const journalGone = (s: RollObjectSnapshot): Reason =>
  reason(
    s,
    'RollJournalGone',
    `the journal of run ${runOfStatus(s) ?? ''} is gone, so it is not continued; to put nodes back that it left out, set spec.abort to true`,
  )

const over = (state: RollState, why: Reason): RollAnswer => ({ state, reasons: [why], actions: [] })

const paused = (s: RollObjectSnapshot): Reason =>
  reason(s, 'RollPaused', 'spec.paused is true: no node is begun until it is false')

function progress({ run }: RollObjectSnapshot): string {
  if (run === undefined) return 'its pod makes the plan'
  const { total, done, sent, failed = 0 } = run
  return `${done} of ${total} nodes are done${sent === undefined ? '' : `; ${failed} of ${sent} requests failed`}`
}

const reason = ({ roll }: RollObjectSnapshot, code: Reason['code'], text: string): Reason => ({
  code,
  object: roll.name,
  text,
})
