import type { AdminState, InstanceReading, ServerRef } from '../model/balancer.ts'
import type { InstanceInspection } from '../model/balancer-inspection.ts'

/** What can be asked of a balancer, or of those who know what it is told: the agents of the nodes. */
export interface BalancerReader {
  readonly name: string
  readonly instances: readonly string[]
  /** How long an answer may take; absent: two seconds. */
  readonly answerLimitMs?: number
  /**
   * Every server of the allow-list; BALANCER_NO_BACKEND where one of its backends is absent or disabled. `own`: servers that a
   * decision is made by, which are read after this call where others may be as they were a moment ago.
   */
  read(instance: string, signal: AbortSignal, own?: readonly ServerRef[]): Promise<InstanceReading>
  /**
   * The last reading, with what these servers of the instance count now. Undefined where anything else of them has changed, or
   * another process answers: then `read` tells. Absent where a look would cost as much.
   */
  readCounters?(
    instance: string,
    servers: readonly ServerRef[],
    signal: AbortSignal,
  ): Promise<InstanceReading | undefined>
  /** What the plan must know before a roll. Changes nothing; an absent backend is a fact here, not an error. */
  inspect(instance: string, signal: AbortSignal): Promise<InstanceInspection>
}

/**
 * One balancer, which may be several instances that know nothing of each other. Rejects with WorldError:
 * BALANCER_UNREACHABLE, BALANCER_TIMEOUT, BALANCER_REPLY (an answer that makes no sense), BALANCER_PERMISSION,
 * BALANCER_NO_BACKEND, BALANCER_NO_SERVER. Nothing outside the allow-list of backends is reported as ours or can be set.
 */
export interface Balancer extends BalancerReader {
  /** Sets and reads nothing back: the next reading tells. */
  setState(ref: ServerRef, state: AdminState, signal: AbortSignal): Promise<void>
  /** Sets the weight of a server, likewise. Absent where its servers have none. */
  setWeight?(ref: ServerRef, weight: number, signal: AbortSignal): Promise<void>
  /** Connections that clients have to the frontends of an instance now. Absent where it cannot tell. */
  clientConnections?(instance: string, signal: AbortSignal): Promise<number>
  /** Cuts what is left on a server. */
  cutSessions(ref: ServerRef, signal: AbortSignal): Promise<void>
}
