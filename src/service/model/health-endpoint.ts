import type { MonoMs } from '../../ground/model/time.ts'
import type { Answer } from './answer.ts'

/**
 * How the balancers behind a health endpoint check it. They cannot be asked, so this is what a roll goes by: the longest
 * interval, the largest `fall` and `rise` of any of them.
 */
export interface EndpointChecks {
  readonly intervalMs: number
  /** Between checks of a server that has failed or passed one (HAProxy: `fastinter`); absent: `intervalMs`. */
  readonly fastIntervalMs?: number
  /** Between checks of a server that is down (HAProxy: `downinter`); absent: `intervalMs`. */
  readonly downIntervalMs?: number
  readonly fall: number
  readonly rise: number
  /** One answer is enough to leave: HAProxy's `disable-on-404` and agent-check. */
  readonly drainsAtOnce: boolean
  /** On top of what is computed: for clocks, steps and networks. */
  readonly slackMs: number
}

/** Load balancers that have nothing but a health check, told by the agents of the nodes. */
export interface HealthEndpointSpec {
  /** Where each agent serves `/healthz`. */
  readonly agentPort: number
  /** Where the node serves what the balancers send it. */
  readonly dataPort: number
  readonly checks: EndpointChecks
  /**
   * Checkers behind each source address: backends times processes. Every source that sends traffic has to be here, or a
   * wait would end before all have noticed; where there is none, time alone ends it.
   */
  readonly checkers: Readonly<Record<string, number>>
}

/** What a node's agent told at the last poll. */
export interface EndpointReading {
  /** When the agent was asked for the rest. */
  readonly at: MonoMs
  /** False: it did not answer, and the rest is what is known of one that does not. */
  readonly heard: boolean
  readonly answer: Answer
  /** When it first answered `up` to this process, without a break since; absent while it does not. */
  readonly upSince?: MonoMs
  /** Nothing keeps it from `up` but that nothing answers at the node's data port. */
  readonly onlyClosed: boolean
  /** Ids of the claims that it has on disk and answers by. */
  readonly acknowledged: readonly string[]
  /** Open connections to the data port; `unknown` where the agent cannot see them. */
  readonly connections: number | 'unknown'
  /** Source address → how often it was told this answer, since it became this one. */
  readonly polls: Readonly<Record<string, number>>
}
