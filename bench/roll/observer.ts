import type { RollBed } from '../../test/support/roll-bed/roll-bed.ts'
import { Flags } from './flags.ts'
import { observeMachines } from './machine-observer.ts'
import { NodeObserver } from './node-observer.ts'
import { PodObserver } from './pod-observer.ts'
import { watchApi } from './watch-api.ts'

/** Watches a cluster from outside during any roll: the API as an administrator, HAProxy's socket, the machines' logs. */
export class Observer {
  readonly flags = new Flags()
  readonly #over = new AbortController()
  readonly #pods = new PodObserver(this.flags)
  readonly #watching: Promise<unknown>

  constructor({ bed, lb }: RollBed) {
    const nodes = new NodeObserver(this.flags, (node) => this.#pods.booted(node))
    const { signal } = this.#over
    const { kubeconfig } = bed
    const leases = '/apis/coordination.k8s.io/v1/namespaces'
    this.#watching = Promise.all([
      watchApi({ kubeconfig, path: '/api/v1/nodes' }, (event) => nodes.takeNode(event), signal),
      watchApi({ kubeconfig, path: '/api/v1/pods' }, (event) => this.#pods.take(event), signal),
      watchApi({ kubeconfig, path: `${leases}/kube-node-lease/leases` }, (event) => nodes.takeLease(event), signal),
      watchApi({ kubeconfig, path: `${leases}/evenkeel/leases` }, (event) => nodes.takeLease(event), signal),
      observeMachines(this.flags, { socket: lb.socket, dir: bed.dir, nodes: bed.nodes, signal }),
    ])
  }

  /** What the cluster shows now is how it is meant to be. */
  baseline(): void {
    this.#pods.baseline()
  }

  async stop(): Promise<Flags> {
    this.#over.abort()
    await this.#watching
    return this.flags
  }
}
