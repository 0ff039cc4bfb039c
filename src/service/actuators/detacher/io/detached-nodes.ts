import type { Node } from '../../../../ground/model/node.ts'
import type { Clock } from '../../../../ground/ports/clock.ts'
import type { Cluster } from '../../../../ground/ports/cluster.ts'
import type { InstanceReading, ServerReading } from '../../../model/balancer.ts'
import type { InstanceInspection } from '../../../model/balancer-inspection.ts'
import type { BalancerSpec } from '../../../model/balancer-spec.ts'
import { askedStates } from '../../../model/detacher.ts'
import type { BalancerReader } from '../../../ports/balancer.ts'
import { KnownNodes } from '../../io/known-nodes.ts'
import { NOTHING_COUNTED, oneBackend } from '../../io/no-balancer.ts'

interface DetachedNodesParts {
  readonly spec: BalancerSpec<'detacher'>
  readonly cluster: Pick<Cluster, 'list'>
  readonly clock: Clock
}

const PROCESS = 'detacher'

/**
 * Load balancers that a detacher of the cluster changes. Each node is a server, and all that is known of it is on its Node. A
 * poll sends nothing: the list of nodes is read from time to time, and their annotations come from the roll's watch.
 */
export class DetachedNodes implements BalancerReader {
  readonly name: string
  readonly instances: readonly string[]
  readonly #parts: DetachedNodesParts
  readonly #nodes: KnownNodes

  constructor(parts: DetachedNodesParts) {
    this.#parts = parts
    this.#nodes = new KnownNodes(parts)
    this.name = parts.spec.name
    this.instances = parts.spec.instances
  }

  async read(instance: string): Promise<InstanceReading> {
    const nodes = await this.#nodes.now()
    const servers = nodes.map((node) => this.#reading(instance, node))
    return { instance, process: PROCESS, version: '', at: this.#parts.clock.monoMs(), servers }
  }

  async inspect(instance: string): Promise<InstanceInspection> {
    const { servers } = await this.read(instance)
    return oneBackend({ instance, process: PROCESS, backends: this.#parts.spec.backends, servers })
  }

  #reading(instance: string, node: Node): ServerReading {
    const { spec } = this.#parts
    return {
      ...NOTHING_COUNTED,
      ...askedStates(node, spec.via),
      ref: { instance, backend: spec.backends[0] ?? '', server: node.name },
      address: node.internalAddresses[0] ?? '',
      port: spec.via.dataPort,
      operational: 'up',
      check: 'none',
      checkText: '',
      detacher: true,
    }
  }
}
