/** What DNS of a cluster may be ill of, one entry each: the page docs/dns-causes.md is made from this. */
export interface Cause {
  /** Of the decision table; those without one were added to it. */
  readonly row?: number
  /** `observed`: what was seen is well, and is indirect evidence alone. */
  readonly verdict: 'ok' | 'observed' | 'degraded' | 'bad' | 'unverified'
  /** What is the case, for a line of a table. */
  readonly is: string
  readonly cause: string
  readonly cure: string
  /** What `--repair` may do about it. */
  readonly repair: 'restartPod' | 'none'
}
