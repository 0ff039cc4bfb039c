import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { DataPlane } from '../plane/data-plane.ts'
import type { World } from '../world/world.ts'
import type { ApiAccess } from './api-access.ts'
import { ImageRegistry } from './image-registry.ts'
import { DEFAULT_KUBELET, type KubeletSettings } from './kubelet-settings.ts'
import type { Machine } from './machine.ts'
import { NodePortTable } from './node-port-table.ts'
import type { NodeSpec } from './node-spec.ts'
import { PodsOfNodes } from './pods-of-nodes.ts'
import { runNode } from './run-node.ts'
import { StaticManifests } from './static-manifests.ts'

interface MachinesParts {
  readonly world: World
  readonly timers: Timers
  readonly random: SeededRandom
  readonly plane: DataPlane
  /** Of the node of that name; always reachable where it is left out. */
  readonly accessOf?: (node: string) => ApiAccess
  readonly settings?: KubeletSettings
  readonly darkMs?: number
}

const ALWAYS: ApiAccess = { life: new AbortController().signal }

/** The machines under the nodes of one cluster, by their nodes' names. */
export class Machines {
  /** What its pods can be made of. */
  readonly images = new ImageRegistry()
  readonly #parts: MachinesParts
  readonly #byName = new Map<string, Machine>()
  readonly #manifests = new Map<string, StaticManifests>()
  readonly #pods: PodsOfNodes
  readonly #nodePorts: NodePortTable

  constructor(parts: MachinesParts) {
    this.#parts = parts
    this.#pods = new PodsOfNodes(parts.world)
    this.#nodePorts = new NodePortTable(parts.world)
  }

  /** A machine joins, and is switched on. */
  add(node: NodeSpec): Machine {
    const { random, settings = DEFAULT_KUBELET, accessOf } = this.#parts
    const machine = runNode(
      {
        ...this.#parts,
        random: random.fork(`node ${node.name}`),
        images: this.images,
        manifests: this.manifestsOf(node.name),
        pods: this.#pods,
        nodePorts: this.#nodePorts,
        access: accessOf?.(node.name) ?? ALWAYS,
        settings,
      },
      node,
    )
    this.#byName.set(node.name, machine)
    machine.powerOn()
    return machine
  }

  get(node: string): Machine | undefined {
    return this.#byName.get(node)
  }

  /** On the disk of the node of that name. */
  manifestsOf(node: string): StaticManifests {
    const found = this.#manifests.get(node) ?? new StaticManifests(node)
    this.#manifests.set(node, found)
    return found
  }

  /** In the order in which they joined. */
  all(): Iterable<Machine> {
    return this.#byName.values()
  }

  /** All power off, and nothing listens any more. */
  end(): void {
    for (const machine of this.#byName.values()) machine.powerCut()
    this.#pods.end()
    this.#nodePorts.end()
  }
}
