import type { Reason } from '../../ground/model/reason.ts'

/**
 * Why a roll goes no further. It sticks: what led to it may pass, the verdict does not.
 * - stopped: the proof failed · held: a limit of waiting was reached · aborted: a person asked for it
 */
export interface Verdict {
  readonly kind: 'stopped' | 'held' | 'aborted'
  /** The node under way cannot be put back: it stays out of every balancer. */
  readonly keepOut: boolean
  readonly reasons: readonly Reason[]
  /** It ends the work on the node under way alone, and the roll goes on after it. */
  readonly ofNode?: true
}
