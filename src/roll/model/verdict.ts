import type { Reason } from '../../ground/model/reason.ts'

/**
 * Why a roll goes no further. Its cause may pass, but the verdict stays.
 * - stopped: the proof failed · held: a limit of waiting was reached · aborted: a person asked for it
 */
export interface Verdict {
  readonly kind: 'stopped' | 'held' | 'aborted'
  /** The node under way cannot be put back: it stays out of every balancer. */
  readonly keepOut: boolean
  readonly reasons: readonly Reason[]
  /** It ends only the work on the node under way, and the roll goes on after that node. */
  readonly ofNode?: true
}
