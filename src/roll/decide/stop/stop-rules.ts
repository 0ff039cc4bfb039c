import type { FailureWindow } from '../../../ground/model/probe.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import { isUsedUp, type StopUse } from '../../model/stop-use.ts'
import type { Verdict } from '../../model/verdict.ts'
import { countedFailed } from '../availability/not-counted.ts'
import { awaitingWindows, judgedFailed } from '../awaits-control.ts'
import { countedWindows } from '../counted-windows.ts'
import { requestsFailed } from '../requests-failed.ts'
import { countRules, type RuleState } from './count-rules.ts'
import { downtimeRules } from './downtime-rules.ts'
import { type JudgedFailure, judgedFailures, type StopSnapshot } from './judged-failures.ts'
import { latencyRules } from './latency-rules.ts'
import { isOfOtherLane } from './other-lane.ts'

/** What a verdict by requests goes by; `attachingSinceWall`: when the node, or the machine, was begun to be put back. */
export interface Measured extends StopSnapshot {
  readonly evidence: { readonly attachingSinceWall?: WallMs }
}

interface RuleStates {
  readonly failures: readonly JudgedFailure[]
  readonly ofFailures: readonly RuleState[]
  readonly ofLatency: readonly RuleState[]
}

function statesOf(s: StopSnapshot, isLast: boolean): RuleStates {
  const failures = judgedFailures(s, isLast)
  return {
    failures,
    ofFailures: [...countRules(s, failures), ...downtimeRules(s, failures)],
    ofLatency: latencyRules(s),
  }
}

/** How much of what the roll file allows is used up. Empty: it allows nothing. */
export function stopUse(s: StopSnapshot, isLast = false): readonly StopUse[] {
  if (s.spec.stop === undefined) return []
  const { ofFailures, ofLatency } = statesOf(s, isLast)
  return [...ofFailures, ...ofLatency].map(({ use }) => use)
}

/** The rules of the file that are broken. */
export function brokenRules(s: StopSnapshot, isLast = false): readonly RuleState[] {
  if (s.spec.stop === undefined) return []
  const { ofFailures, ofLatency } = statesOf(s, isLast)
  return [...ofFailures, ...ofLatency].filter(({ use }) => isUsedUp(use))
}

/** Windows whose control must be heard before the roll goes on: those that would stop it if none of their failures is excused. */
export function awaitedWindows(s: StopSnapshot): readonly FailureWindow[] {
  if (s.spec.stop === undefined) return awaitingWindows(s)
  const undecided = countedWindows(s).filter((window) => judgedFailed(s, window) < countedFailed(window))
  return undecided.length > 0 && brokenRules(s, true).length > 0 ? undecided : []
}

/**
 * The verdict by what the file allows. As with the first failed request of a file that allows none, what broke a rule since the node
 * was begun to be put back takes it out again.
 *
 * Law: a roll goes on with failed requests or slow ones only as far as its file allows, and stops with the first one beyond.
 */
export function stopVerdict(s: Measured): Verdict | undefined {
  const { failures, ofFailures, ofLatency } = statesOf(s, false)
  const failed = ofFailures.filter(({ use }) => isUsedUp(use))
  const slow = ofLatency.filter(({ use }) => isUsedUp(use))
  if (failed.length + slow.length === 0) return undefined
  const backSince = s.evidence.attachingSinceWall
  const isSince = ({ window }: JudgedFailure): boolean =>
    backSince !== undefined && window.lastBadAt >= backSince && !isOfOtherLane(s, window)
  const isSlowSince = backSince !== undefined && latencyRules(s, backSince).some(({ use }) => isUsedUp(use))
  return {
    kind: 'stopped',
    keepOut: (failed.length > 0 && failures.some(isSince)) || (slow.length > 0 && isSlowSince),
    reasons: [...failed, ...slow].map(({ reason }) => reason()).concat(failed.length > 0 ? requestsFailed(s) : []),
  }
}
