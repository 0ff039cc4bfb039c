import type { LabelSelector } from '../../ground/model/label-selector.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { EndpointChecks } from './health-endpoint.ts'
import type { NodeMark } from './node-mark.ts'

/** The health check of the load balancers, as the roll asks it too. */
export interface NodeCheck {
  /** `{node}` and `{address}` are replaced. */
  readonly url: string
  readonly expectStatus: readonly [low: number, high: number]
  readonly expectBody?: string
  /** Do not check the certificate. */
  readonly insecure?: boolean
  readonly timeoutMs: number
}

/** Load balancers that have nothing but a health check, which a mark on the Node makes fail. */
export interface HealthCheckSpec {
  readonly mark: NodeMark
  /** Absent: the roll cannot ask it, and only waits for the time. */
  readonly check?: NodeCheck
  /** How long it may take from the mark until the check fails. */
  readonly markDelayMs: number
  readonly checks: EndpointChecks
  /** The nodes that the load balancers send to; absent: all of them. */
  readonly nodes?: LabelSelector
  /** Where the nodes serve what the load balancers send them. */
  readonly dataPort: number
}

/** The last answer of a node's health check. */
export type CheckReading =
  /** The roll file does not say how to ask. */
  | { readonly asked: false }
  | {
      readonly asked: true
      /** When this question was begun. */
      readonly at: MonoMs
      /** `refused`: by an answer. `unheard`: there was no answer, which does not show what load balancers are answered. */
      readonly answer: 'good' | 'refused' | 'unheard'
      /** The answer in a few words, or why there was none. */
      readonly text: string
      /** Since when it is good without a break; absent while it is not. */
      readonly goodSince?: MonoMs
    }
