import type { AdminState } from '../../../model/balancer.ts'
import { badReply } from './socket-error.ts'

const OWN_MAINT = 0x01
const OWN_DRAIN = 0x08
/** Maint by command, by the tracked server, or by failed name resolution. 0x04 only remembers `disabled` in the file. */
const ANY_MAINT = 0x01 | 0x02 | 0x20
const ANY_DRAIN = 0x08 | 0x10
const INHERITED = 0x02 | 0x10 | 0x20
/**
 * With 0x40 (the name was set by a command) these are all bits from 1.8 to 3.5; any other may be a state that we cannot judge.
 */
const KNOWN = 0x7f

interface AdminStates {
  readonly adminState: AdminState
  readonly ownState: AdminState
  readonly inherited: boolean
}

/** `srv_admin_state` (management.txt 9.3 `show servers state`). Maint wins over drain wherever each comes from. */
export function adminStates(bits: number): AdminStates {
  if ((bits & ~KNOWN) !== 0) throw badReply(`srv_admin_state ${bits} has a bit that has no known meaning`)
  return {
    adminState: (bits & ANY_MAINT) !== 0 ? 'maint' : (bits & ANY_DRAIN) !== 0 ? 'drain' : 'ready',
    ownState: (bits & OWN_MAINT) !== 0 ? 'maint' : (bits & OWN_DRAIN) !== 0 ? 'drain' : 'ready',
    inherited: (bits & INHERITED) !== 0,
  }
}
