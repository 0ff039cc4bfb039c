import type { MonoMs } from '../../ground/model/time.ts'
import type { Answer } from './answer.ts'

/**
 * How the balancers behind a health endpoint check it. They cannot be asked, so the roll uses this: the longest interval and
 * the largest `fall` and `rise` of any of them.
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
  /** Added to the computed time: for clocks, steps and networks. */
  readonly slackMs: number
}

/** Load balancers that have nothing but a health check, which the agents of the nodes answer. */
export interface HealthEndpointSpec {
  /** Where each agent serves `/healthz`. */
  readonly agentPort: number
  /** Where the node serves what the balancers send it. */
  readonly dataPort: number
  readonly checks: EndpointChecks
  /**
   * Checkers behind each source address: backends times processes. Every source that sends traffic has to be listed, or a wait
   * would end before all have noticed. With no source listed, only time ends the wait.
   */
  readonly checkers: Readonly<Record<string, number>>
}

/** The answer of a node's agent at the last poll. */
export interface EndpointReading {
  /** When the agent was asked. */
  readonly at: MonoMs
  /** False: the agent did not answer, and the other fields are what is known then. */
  readonly heard: boolean
  /** What the agent answered last. Absent: it answers now, or it never did. */
  readonly lastHeard?: Pick<EndpointReading, 'answer' | 'onlyClosed'>
  readonly answer: Answer
  /** When it first answered `up` to this process, without a break since; absent while it does not. */
  readonly upSince?: MonoMs
  /** The only thing that keeps the agent from `up` is that nothing answers at the node's data port. */
  readonly onlyClosed: boolean
  /** Ids of the claims that the agent has on disk and answers by. */
  readonly acknowledged: readonly string[]
  /** Whose claims the agent keeps on its disk, and on which Node object it saw each. Absent: none. */
  readonly kept?: readonly { readonly owner: string; readonly uid: string }[]
  /** Open connections to the data port; `unknown` where the agent cannot see them. */
  readonly connections: number | 'unknown'
  /** Source address → how many of its polls got the present answer, since it is the present one. */
  readonly polls: Readonly<Record<string, number>>
}
