import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { logTail } from '../machine/log-tail.ts'
import { newAuthority } from '../pki/authority.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { ControlPlane } from './control-plane.ts'
import { corednsReplicas, createCoredns } from './coredns.ts'
import { writeCredentials } from './credentials.ts'
import { makeHub } from './network.ts'
import { installNode } from './node-disk.ts'
import { NodePower } from './node-power.ts'
import { controlPlaneNodes, logPath, nodeLog, type RackPlan } from './plan.ts'
import { controlPlaneReady, dnsReady, nodesReady, type ReadinessWait } from './readiness.ts'
import { makeSshAccess } from './ssh-access.ts'
import { startApiBalancer } from './stacked/api-balancer.ts'
import { markControlPlane } from './stacked/mark-control-plane.ts'

const READY_LIMIT_MS = 90_000

/** A whole cluster within the namespaces of this process. */
export class Rack {
  readonly plan: RackPlan
  readonly controlPlane: ControlPlane
  readonly #api: ApiClient
  readonly #nodes: readonly NodePower[]
  readonly #credentials: ReturnType<typeof writeCredentials>

  constructor(plan: RackPlan) {
    this.plan = plan
    mkdirSync(dirname(logPath(plan.disk, 'rack')), { recursive: true })
    this.#credentials = writeCredentials(plan.disk)
    this.#api = apiClient(this.#credentials.authority.certificatePem, this.#credentials.admin)
    this.controlPlane = new ControlPlane(plan, this.#api)
    this.#nodes = plan.nodes.map((node) => new NodePower(plan, node))
  }

  node(name: string): NodePower {
    const found = this.#nodes.find(({ node }) => node === name)
    if (found === undefined) throw new Error(`the bed has no node ${name}, only ${this.plan.nodes.join(', ')}`)
    return found
  }

  async bringUp(): Promise<void> {
    const { plan } = this
    await makeHub(plan.nodes)
    // The API server of a stacked control plane is on the nodes, and kubelets start it without having one.
    await Promise.all([plan.stacked ? startApiBalancer(plan) : this.controlPlane.start(), this.#installNodes()])
    await Promise.all(this.#nodes.map((node) => node.powerOn()))
    const wait = this.#readiness(READY_LIMIT_MS)
    await nodesReady(wait)
    await markControlPlane(plan, this.#api)
    if (plan.addons) await createCoredns(this.#api, Math.min(corednsReplicas, plan.nodes.length))
    await this.#podsReady(wait)
  }

  async waitReady(limitMs: number): Promise<void> {
    const wait = this.#readiness(limitMs)
    await nodesReady(wait)
    await this.#podsReady(wait)
  }

  async #podsReady(wait: ReadinessWait): Promise<void> {
    await controlPlaneReady(wait, controlPlaneNodes(this.plan))
    if (this.plan.addons) await dnsReady(wait)
  }

  async #installNodes(): Promise<void> {
    const { plan } = this
    if (plan.nodes.length === 0) return
    const ssh = await makeSshAccess(plan.disk, plan.nodes)
    const { authority } = this.#credentials
    const etcdAuthority = newAuthority()
    await Promise.all(plan.nodes.map((node) => installNode({ plan, node, authority, ssh, etcdAuthority })))
  }

  #readiness(limitMs: number): ReadinessWait {
    const first = this.plan.nodes[0]
    const logs = [
      ...(first === undefined
        ? []
        : ['init', 'containerd', 'kubelet'].map((name) => nodeLog(this.plan.disk, first, name))),
      logPath(this.plan.disk, 'kube-controller-manager'),
    ]
    const explain = (): string => logs.map((log) => logTail(log, 4)).join('\n')
    return { api: this.#api, nodes: this.#nodes, limitMs, explain }
  }
}
