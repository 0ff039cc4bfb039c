import type { DemoActions } from '../demo-actions.ts'

/** In the order in which they are shown. */
export const ROLLOUT_KINDS = ['DaemonSet', 'IngressDaemonSet'] as const
export type RolloutKind = (typeof ROLLOUT_KINDS)[number]

/** The health check of either balancer, by which alone it notices changes of a node. */
export const ROLLOUT_CHECK = { interMs: 500, fall: 3, rise: 2 } as const

export interface RolloutOptions {
  readonly kind: RolloutKind
  readonly balancer: 'auto' | 'embedded'
}

/** Why a rollout did not finish; empty where it did. */
export interface RolloutEnd {
  readonly failure?: string
}

/** An embedded cluster whose pods have v1, and serve through a load balancer. */
export interface RolloutCluster {
  readonly nodes: readonly string[]
  /** Of the service, through the balancer. */
  readonly url: string
  /** `HAProxy 2.6.12`, or that it is the embedded one and why. */
  readonly balancer: string
  readonly kubeconfig: string
  /** To v2. Tells each node and what is done to it, `done` last. */
  rollOut(tell: (node: string, step: string) => void, signal: AbortSignal): Promise<RolloutEnd>
  /** Nothing is left afterwards. */
  end(): Promise<void>
}

export interface IngressDemoActions extends Pick<DemoActions, 'probeSource' | 'program'> {
  /** Settles once the service answers through the balancer; leaves nothing behind where it rejects. */
  open(options: RolloutOptions, signal: AbortSignal): Promise<RolloutCluster>
}
