/** What the brake of a fleet goes by of a Node: nothing else is kept of it. */
export interface FleetNode {
  readonly name: string
  readonly uid: string
  readonly unschedulable: boolean
  /** It has a deletion timestamp. */
  readonly deleting: boolean
  /** Its Ready condition is True. */
  readonly ready: boolean
  /** It leaves its load balancers for something that needs no grant: a claim, a condition, a label, a taint. */
  readonly leaves: boolean
  /** It has the record of a roll, which has it out of its load balancers. */
  readonly recorded?: true
  /** The rest of it makes no sense: whether it is cordoned is not known. */
  readonly unreadable?: true
}
