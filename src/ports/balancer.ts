import type { AdminState, InstanceReading, ServerRef } from '../model/balancer.ts'

/**
 * One balancer, which may be several instances that know nothing of each other. Rejects with WorldError BALANCER_*.
 * Nothing outside the allow-list of backends is reported as ours or can be set.
 */
export interface Balancer {
  readonly name: string
  readonly instances: readonly string[]
  read(instance: string, signal: AbortSignal): Promise<InstanceReading>
  /** Sets and reads nothing back: the next reading tells. */
  setState(ref: ServerRef, state: AdminState, signal: AbortSignal): Promise<void>
  /** Cuts what is left on a server. */
  cutSessions(ref: ServerRef, signal: AbortSignal): Promise<void>
}
