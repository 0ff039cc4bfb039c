/** How much of what a stop rule allows is used up; the roll stops once `used` is more than `allowed`. */
export type StopUse =
  | { readonly rule: 'failedRequests'; readonly used: number; readonly allowed: number }
  /** For the node that is blamed for most. Absent in the list: no node is blamed for any. */
  | { readonly rule: 'failedRequestsOfNode'; readonly node: string; readonly used: number; readonly allowed: number }
  /** Shares, 0 to 1; the highest share so far. */
  | {
      readonly rule: 'latency'
      readonly target: string
      readonly slowerThanMs: number
      readonly overMs: number
      readonly used: number
      readonly allowed: number
    }
  /** Milliseconds, an upper bound. */
  | { readonly rule: 'downtime'; readonly target: string; readonly used: number; readonly allowed: number }

export const isUsedUp = ({ used, allowed }: Pick<StopUse, 'used' | 'allowed'>): boolean => used > allowed
