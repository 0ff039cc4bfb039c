import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { distinct, evenkeel, type Sentence } from '../../ground/model/sentence.ts'
import { countOf } from '../../ground/text/count-text.ts'
import { leftOut, mayBeOut } from '../decide/node-gone.ts'
import { isOfTraffic } from '../decide/stop/other-lane.ts'
import { withFailures } from '../decide/with-failures.ts'
import type { NodeResult, RollOutcome } from '../model/roll-event.ts'
import type { Verdict } from '../model/verdict.ts'
import type { JournalGap } from './event-log.ts'
import type { RunState } from './run-state.ts'

export interface RollEnd {
  readonly outcome: RollOutcome
  readonly exitCode: number
  readonly reasons: readonly Reason[]
  readonly standings: readonly NodeResult[]
  /** Nodes that must not serve although their balancers may forget it. */
  readonly guarded: readonly string[]
  readonly next: readonly Sentence[]
  /** What the journal lacks, and what follows from it. Absent: it has everything. */
  readonly unwritten?: string
}

export interface EndSnapshot {
  readonly run: RunState
  readonly standings: readonly NodeResult[]
  readonly interrupted: boolean
  /** Failed requests that no control target excuses. */
  readonly failed: number
  /** The reasons for them, as far as they are known. */
  readonly failures: readonly Reason[]
  /** More failed requests: the end is not clean because of them, though no stop rule counts them. */
  readonly unjudged?: readonly Reason[]
  /** The roll file allows these failures. */
  readonly isAllowed?: true
  /** What the disk refused. */
  readonly gap?: JournalGap | undefined
}

/** `aborted`: where something is left that is not back, or requests failed. */
const EXIT_CODES: Readonly<Record<RollOutcome, number>> = {
  completed: 0,
  stopped: 1,
  aborted: 1,
  held: 3,
  interrupted: 130,
}

/** The end of a roll. Exit codes: 0 done, or aborted and all put back without a failed request; 1 stopped; 3 held at a limit; 130 interrupted. */
export function endOf(snapshot: EndSnapshot): RollEnd {
  const { run, standings, interrupted, failed, failures, unjudged = [], isAllowed = false, gap } = snapshot
  const out = standings.filter((node) => node.state === 'out')
  const gone = standings.filter((node) => node.state === 'gone').map(({ node }) => node)
  const wasInWork = (node: string): boolean => node === run.underWay || run.inWorkBefore?.includes(node) === true
  const begun = gone.filter(wasInWork).map(mayBeOut)
  const notBegun = gone.filter((node) => !wasInWork(node)).map(leftOut)
  const isLossy = failed > 0 || unjudged.length > 0 || (!isAllowed && standings.some((node) => node.failedRequests > 0))
  const isUnclean = isLossy || isUnfinished(run)
  const verdict = withLate(run.verdict, { failed, failures })
  const outcome = outcomeOf(verdict, { interrupted, isUnclean, isOut: out.length > 0 })
  const unclean = outcome === 'stopped' ? [...notBegun, ...unjudged, ...lateFailures(failed, failures)] : []
  const isAllBack = out.length === 0 && begun.length === 0
  const isWell = failed === 0 && unjudged.length === 0 && (verdict === undefined || !isOfTraffic(verdict))
  const reasons = [...(verdict === undefined ? unclean : withFailures(verdict, failures).reasons), ...begun]
  // The balancers of a machine forget nothing that a node needs.
  const nodesOut = out.map(({ node }) => node).filter((node) => run.hosts?.order.includes(node) !== true)
  const guarded = run.verdict?.keepOut === true ? nodesOut : []
  return {
    outcome,
    exitCode: outcome === 'aborted' && isAllBack && isWell ? 0 : EXIT_CODES[outcome],
    reasons,
    standings,
    guarded,
    next: nextCommands(run, { reasons, out, outcome }),
    ...present({ unwritten: gap && unwrittenText(gap) }),
  }
}

/** A process that goes by this journal does not know of what it lacks. */
function unwrittenText({ entries, since, why, owed, isOpen }: JournalGap): string {
  const lacks = `it lacks ${countOf(entries, 'line')} since ${since.slice(11, 19)}Z: ${why}`
  if (!isOpen) return `${lacks}; it has room again, and reports of this run are incomplete`
  const through = owed.flatMap(({ type, node }) => (type === 'through' && typeof node === 'string' ? [node] : []))
  const end = `${lacks}; it does not say how the roll ended`
  return through.length === 0
    ? end
    : `${end}, nor that ${through.join(', ')} ${through.length === 1 ? 'is' : 'are'} through: do not resume this run, which would begin ${through.length === 1 ? 'it' : 'them'} again`
}

const isUnfinished = ({ done, order, hosts }: RunState): boolean =>
  done.length < order.length || (hosts?.done.length ?? 0) < (hosts?.order.length ?? 0)

/** Failures after the last soak: the end is not clean because of them. */
function lateFailures(failed: number, failures: readonly Reason[]): readonly Reason[] {
  if (failed === 0) return []
  return [{ code: 'RequestsFailed', text: `${failed} requests failed after the last node was through` }, ...failures]
}

/** Requests that failed since the last pass: a roll that was held has stopped because of them. */
function withLate(
  verdict: Verdict | undefined,
  { failed, failures }: Pick<EndSnapshot, 'failed' | 'failures'>,
): Verdict | undefined {
  if (verdict?.kind !== 'held' || failed === 0 || isOfTraffic(verdict)) return verdict
  return { ...verdict, kind: 'stopped', reasons: [...verdict.reasons, ...failures] }
}

interface Leaving {
  readonly interrupted: boolean
  readonly isUnclean: boolean
  readonly isOut: boolean
}

function outcomeOf(verdict: Verdict | undefined, { interrupted, isUnclean, isOut }: Leaving): RollOutcome {
  if (verdict === undefined) {
    if (interrupted) return 'interrupted'
    return isUnclean ? 'stopped' : 'completed'
  }
  // `held` and `aborted` mean that nodes that were out are back, except for those in a reason. A user who interrupts the return
  // finds it unfinished.
  return interrupted && isOut && verdict.kind !== 'stopped' ? 'interrupted' : verdict.kind
}

function nextCommands(
  run: RunState,
  { reasons, out, outcome }: Pick<RollEnd, 'reasons' | 'outcome'> & { readonly out: readonly NodeResult[] },
): readonly Sentence[] {
  if (outcome === 'completed') return []
  const stated = distinct(reasons.flatMap(({ next = [] }) => next))
  // A person who aborts does not want to continue.
  const rest = isUnfinished(run) && run.restoresAs === undefined && outcome !== 'aborted'
  const resume = rest ? [evenkeel`roll resume ${run.id}`] : []
  const abort = out.length > 0 ? [evenkeel`roll abort ${run.id}`] : []
  return [...stated, ...resume, ...abort]
}
