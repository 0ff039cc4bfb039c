import type { DemoActions, DemoClusterOptions } from '../demo-actions.ts'

/** The Roll as its status shows it. */
export interface RollRow {
  readonly state: string
  readonly nodes: number
  readonly done: number
  readonly failed: number
  readonly sent: number
  readonly message: string
}

/** An embedded cluster with a controller of Rolls, and a Roll that is not applied yet. */
export interface OperatorDemoCluster {
  /** The URL of the service, through the balancer. */
  readonly url: string
  readonly kubeconfig: string
  /** Applies the Roll. */
  apply(): void
  row(): RollRow
  /** As `kubectl patch --type merge` of its spec. */
  patch(spec: object): void
  /** Rejects where the controller cannot go on, and otherwise never settles. */
  readonly failed: Promise<never>
  /** Nothing is left afterwards. */
  end(): Promise<void>
}

export interface OperatorDemoActions extends Pick<DemoActions, 'probeSource' | 'program'> {
  /** Settles once the service answers through the balancer. */
  open(options: Pick<DemoClusterOptions, 'balancer' | 'port'>, signal: AbortSignal): Promise<OperatorDemoCluster>
}
