import type { FailureWindow } from '../../../ground/model/probe.ts'
import type { ReasonCode } from '../../../ground/model/reason.ts'
import type { Step } from '../../model/step.ts'
import type { Verdict } from '../../model/verdict.ts'
import { lanePeriodMs } from '../availability/lane-period.ts'
import { isOfAway } from '../availability/reloads-of-window.ts'
import type { RollSnapshot } from '../snapshot.ts'
import { blameOf, type StopSnapshot } from './judged-failures.ts'

/** A node that is taken out again is out well within this time. */
const OUT_WITHIN_MS = 3_000

/** Steps that change where traffic goes, or what serves it. At any other step a node can fail no request. */
const MAY_FAIL: ReadonlySet<Step> = new Set<Step>(['cordon', 'detach', 'drain', 'uncordon', 'attach', 'soak'])

/**
 * A node of another lane is blamed for a window, at a step that may have failed requests: it is restored for it, or taken out again. If failures go on after
 * that, they are not that node's alone: then each node that is being put back is taken out.
 *
 * Law: with several nodes in work, a failed request takes out the node that is blamed for it, and further ones only if failures
 * go on.
 */
function isOfOtherLane(s: StopSnapshot, window: FailureWindow): boolean {
  const { beside = [] } = s.run
  if (beside.length === 0 || window.lastBadAt - window.firstBadAt >= OUT_WITHIN_MS) return false
  const blame = blameOf(s, window)
  return blame !== undefined && MAY_FAIL.has(blame.step) && beside.some(({ node }) => node === blame.node)
}

/** A node or a machine that may be on its way back. */
export interface Returning extends StopSnapshot {
  /** Where it is a machine of a pair: that its own balancers are away is its fault. */
  readonly host?: { readonly instances: readonly string[] }
}

/** What failed is not for what is being put back: another lane did it, or no process of a balancer was reached. */
export function isOfOthers(s: Returning, window: FailureWindow): boolean {
  const reloads = s.reloads.filter(({ instance }) => s.host?.instances.includes(instance) !== true)
  const periodMs = lanePeriodMs(s.spec.probe?.targets ?? [], window)
  return isOfOtherLane(s, window) || isOfAway({ window, periodMs, reloads })
}

const OF_REQUESTS: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'RequestsFailed',
  'TooManyFailed',
  'TooSlow',
  'ErrorBudgetUsedUp',
])

/** It says that requests failed or were slow. */
export const isOfTraffic = ({ reasons }: Verdict): boolean => reasons.some(({ code }) => OF_REQUESTS.has(code))

/**
 * The roll has stopped because of requests, and this node is not blamed for them as far as is known. While other lanes have a
 * node in work, it is still watched for its whole soak time.
 */
export const isStoppedBeside = ({ run: { verdict, beside = [] } }: Pick<RollSnapshot, 'run'>): boolean =>
  verdict?.keepOut === false && beside.length > 0 && isOfTraffic(verdict)
