import type { ProbeTarget } from '../ground/model/probe.ts'
import type { ProbeSource } from '../ground/ports/probe-source.ts'
import type { RollHistory } from '../roll/cli/roll-actions.ts'
import type { DemoPlan } from './demo-plan.ts'

export interface DemoClusterOptions {
  readonly plan: DemoPlan
  /** Where the balancer listens on 127.0.0.1; a free one where it is left out. */
  readonly port?: number
  readonly balancer: 'auto' | 'embedded'
}

/** What became of one plan, but for what its judge saw. */
export interface PlanEnd {
  /** Of a roll of ours. */
  readonly strays?: number
  /** Why the plan did not finish. */
  readonly failure?: string
}

/** A fresh embedded cluster with traffic's way in. */
export interface DemoCluster {
  readonly nodes: readonly string[]
  /** Of the service, through the balancer. */
  readonly url: string
  /** `HAProxy 2.6.12`, or that it is the embedded one and why. */
  readonly balancer: string
  readonly kubeconfig: string
  readonly balancerSocket: string
  readonly rollFile: string
  readonly stateDir: string
  /** Tells each node and what is done to it, `done` last. */
  run(tell: (node: string, step: string) => void, signal: AbortSignal): Promise<PlanEnd>
  /** What the journal of the roll tells; undefined for a plan without one. */
  history(): Promise<RollHistory | undefined>
  /** Everything is gone afterwards. */
  end(): Promise<void>
}

/** What a demo does to this machine. */
export interface DemoActions {
  /** UserError `demo.port` where the balancer cannot listen there; before anything is begun. */
  checkPort(port: number): Promise<void>
  /** Wrong input is a UserError, and leaves nothing behind. Settles once the service answers through the balancer. */
  open(options: DemoClusterOptions, signal: AbortSignal): Promise<DemoCluster>
  probeSource(targets: readonly ProbeTarget[]): ProbeSource
  /** The command line of this program, for people to paste. */
  readonly program: string
}
