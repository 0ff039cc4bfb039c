import type { FleetLockCall, FleetLockReply } from '../model/fleet-lock-call.ts'

/** Answers the calls of clients. */
export interface FleetLockAnswers {
  /** Neither throws nor rejects, but with the signal's reason. */
  answer(call: FleetLockCall, signal: AbortSignal): Promise<FleetLockReply>
}
