import type { FailureWindow } from '../../../ground/model/probe.ts'
import type { ReasonCode } from '../../../ground/model/reason.ts'
import type { Step } from '../../model/step.ts'
import type { RollSnapshot } from '../snapshot.ts'
import { blameOf, type StopSnapshot } from './judged-failures.ts'

/** A node that is taken out again is out well before that. */
const OUT_WITHIN_MS = 3_000

const COMING_BACK: ReadonlySet<Step> = new Set<Step>(['attach', 'soak'])

/**
 * A node of another lane that is being put back is blamed for a window, and is taken out again for it. Failures that go on after that
 * are not that node's alone: then each node that is being put back is taken out.
 *
 * Law: with several nodes in work, a failed request takes out the node that is blamed for it, and further ones only if failures go on.
 */
export function isOfOtherLane(s: StopSnapshot, window: FailureWindow): boolean {
  const { beside = [] } = s.run
  if (beside.length === 0 || window.lastBadAt - window.firstBadAt >= OUT_WITHIN_MS) return false
  const blame = blameOf(s, window)
  return blame !== undefined && COMING_BACK.has(blame.step) && beside.some(({ node }) => node === blame.node)
}

const OF_REQUESTS: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'RequestsFailed',
  'TooManyFailed',
  'TooSlow',
  'ErrorBudgetUsedUp',
])

/**
 * The roll has stopped for requests, and this node is not blamed for them as far as is known: while other lanes have a node in work it is
 * watched for its whole soak time all the same.
 */
export const isStoppedBeside = ({ run: { verdict, beside = [] } }: Pick<RollSnapshot, 'run'>): boolean =>
  verdict?.keepOut === false && beside.length > 0 && verdict.reasons.some(({ code }) => OF_REQUESTS.has(code))
