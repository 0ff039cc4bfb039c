import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import type { TroubleGround } from '../../support/trouble/trouble-ground.ts'

/** Something bad that comes about while a roll takes a node with a pod of `whoami` out. */
export interface TroubleRow {
  readonly title: string
  /** Merged over `drain` of the roll.yaml. */
  readonly drain?: Readonly<Record<string, unknown>>
  /** On the command line of the roll, where there is one. */
  readonly words?: readonly string[]
  /** Before the roll. */
  readonly before?: (ground: TroubleGround, pod: Released) => Promise<void>
  /** Once this event is seen, that is brought about; the roll goes on meanwhile. */
  readonly once?: readonly [
    seen: (event: StampedEvent) => boolean,
    bring: (ground: TroubleGround, at: Released) => Promise<void>,
  ]
  /** Code and words of a hold, and where explain names the same; absent: the roll goes through. */
  readonly held?: { readonly code: string; readonly says: RegExp; readonly explain?: readonly ToldThere[] }
  /** Takes away what was brought about, once the roll has ended. */
  readonly after?: (ground: TroubleGround, at: Released) => Promise<void>
  readonly exit: 0 | 1 | 3
  /** Pods of `whoami` are others in the end. */
  readonly movesPods?: true
}

interface ToldThere {
  readonly of: 'node' | 'pod'
  readonly code: string
  readonly says: RegExp
}

/** The pod of `whoami` on the node that is rolled. */
export interface Released {
  readonly node: string
  readonly pod: string
  readonly uid: string
}
