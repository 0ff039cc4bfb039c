import type { AdminState, InstanceReading, ServerRef } from '../model/balancer.ts'
import type { InstanceInspection } from '../model/balancer-inspection.ts'

/** What can be read of a balancer: from itself, or from those who know its state, such as the agents of the nodes. */
export interface BalancerReader {
  readonly name: string
  readonly instances: readonly string[]
  /** How long an answer may take; absent: two seconds. */
  readonly answerLimitMs?: number
  /**
   * Every server of the allow-list; BALANCER_NO_BACKEND where one of its backends is absent or disabled. `own` are servers that
   * a decision is made by: they are read after this call, where others may be a moment old.
   */
  read(instance: string, signal: AbortSignal, own?: readonly ServerRef[]): Promise<InstanceReading>
  /**
   * The last reading, with new counters of these servers. Undefined where anything else of them has changed, or another process
   * answers: then `read` is needed. Absent where this would cost as much as `read`.
   */
  readCounters?(
    instance: string,
    servers: readonly ServerRef[],
    signal: AbortSignal,
  ): Promise<InstanceReading | undefined>
  /** What the plan must know before a roll. Changes nothing; an absent backend is a result here, and no error. */
  inspect(instance: string, signal: AbortSignal): Promise<InstanceInspection>
}

/**
 * One balancer, which may be several instances that do not know of each other. Rejects with WorldError: BALANCER_UNREACHABLE,
 * BALANCER_TIMEOUT, BALANCER_REPLY (an answer that makes no sense), BALANCER_PERMISSION, BALANCER_NO_BACKEND,
 * BALANCER_NO_SERVER. Nothing outside the allow-list of backends is read as ours or can be set.
 */
export interface Balancer extends BalancerReader {
  /** Sets the state, and does not read it back: the next reading shows it. */
  setState(ref: ServerRef, state: AdminState, signal: AbortSignal): Promise<void>
  /** Sets the weight of a server, likewise. Absent where servers have no weight. */
  setWeight?(ref: ServerRef, weight: number, signal: AbortSignal): Promise<void>
  /** Connections that clients have to the frontends of an instance now. Absent where that cannot be read. */
  clientConnections?(instance: string, signal: AbortSignal): Promise<number>
  /** Cuts the sessions that are left on a server. */
  cutSessions(ref: ServerRef, signal: AbortSignal): Promise<void>
}
