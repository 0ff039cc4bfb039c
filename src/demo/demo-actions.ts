import type { ProbeTarget } from '../ground/model/probe.ts'
import type { ProbeSource } from '../ground/ports/probe-source.ts'
import type { RollHistory } from '../roll/cli/roll-actions.ts'
import type { DemoPlan } from './demo-plan.ts'

export interface DemoClusterOptions {
  readonly plan: DemoPlan
  /** Where the balancer listens on 127.0.0.1; absent: a free port. */
  readonly port?: number
  readonly balancer: 'auto' | 'embedded'
}

/** The result of one plan, without the counts of its judge. */
export interface PlanEnd {
  /** Only for a roll of ours. */
  readonly strays?: number
  /** Why the plan did not finish. */
  readonly failure?: string
}

/** A fresh embedded cluster, with a URL for traffic. */
export interface DemoCluster {
  readonly nodes: readonly string[]
  /** The URL of the service, through the balancer. */
  readonly url: string
  /** `HAProxy 2.6.12`, or that it is the embedded one and why. */
  readonly balancer: string
  readonly kubeconfig: string
  readonly balancerSocket: string
  readonly rollFile: string
  readonly stateDir: string
  /** Calls `tell` for each step of a node, `done` last. */
  run(tell: (node: string, step: string) => void, signal: AbortSignal): Promise<PlanEnd>
  /** The journal of the roll; undefined for a plan without one. */
  history(): Promise<RollHistory | undefined>
  /** Nothing is left afterwards. */
  end(): Promise<void>
}

/** The actions of a demo on this machine. */
export interface DemoActions {
  /** UserError `demo.port` where the balancer cannot listen there; before any change. */
  checkPort(port: number): Promise<void>
  /** Wrong input is a UserError, and leaves nothing behind. Settles once the service answers through the balancer. */
  open(options: DemoClusterOptions, signal: AbortSignal): Promise<DemoCluster>
  probeSource(targets: readonly ProbeTarget[]): ProbeSource
  /** The command line of this program, for people to paste. */
  readonly program: string
}
