/** The part of a Node that the brake of a fleet uses. Nothing else is kept. */
export interface FleetNode {
  readonly name: string
  readonly uid: string
  readonly unschedulable: boolean
  /** It has a deletion timestamp. */
  readonly deleting: boolean
  /** Its Ready condition is True. */
  readonly ready: boolean
  /** It leaves its load balancers for a reason that needs no grant: a claim, a condition, a label, a taint. */
  readonly leaves: boolean
  /** It has the record of a roll, which took it out of its load balancers. */
  readonly recorded?: true
  /** The rest of the object cannot be parsed: whether it is cordoned is unknown. */
  readonly unreadable?: true
}
