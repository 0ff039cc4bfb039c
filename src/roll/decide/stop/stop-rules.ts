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
import { isOfOthers, type Returning } from './other-lane.ts'

/** What a verdict about requests needs to know; `attachingSinceWall`: since when the node or machine is being put back. */
export interface Measured extends Returning {
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

/** How much of each limit of the roll file is used up. Empty: the file has none. */
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

/** Windows whose control must answer before the roll goes on: they would stop it if none of their failures is excused. */
export function awaitedWindows(s: StopSnapshot): readonly FailureWindow[] {
  if (s.spec.stop === undefined) return awaitingWindows(s)
  const undecided = countedWindows(s).filter((window) => judgedFailed(s, window) < countedFailed(window))
  return undecided.length > 0 && brokenRules(s, true).length > 0 ? undecided : []
}

/**
 * The verdict by the rules of the file. If a rule was broken after the attach of the node began, the node is taken out again,
 * as with the first failed request where the file allows none.
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
    backSince !== undefined && window.lastBadAt >= backSince && !isOfOthers(s, window)
  const isSlowSince = backSince !== undefined && latencyRules(s, backSince).some(({ use }) => isUsedUp(use))
  return {
    kind: 'stopped',
    keepOut: (failed.length > 0 && failures.some(isSince)) || (slow.length > 0 && isSlowSince),
    reasons: [...failed, ...slow].map(({ reason }) => reason()).concat(failed.length > 0 ? requestsFailed(s) : []),
  }
}
