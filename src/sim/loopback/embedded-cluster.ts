import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import { FAST_NODE_TIMING } from '../actors/node-monitor.ts'
import { runControllers } from '../actors/run-controllers.ts'
import { SeededRandom } from '../clocks/seeded-random.ts'
import { FAST_KUBELET } from '../machines/kubelet-settings.ts'
import { Machines } from '../machines/machines.ts'
import type { NodeSpec } from '../machines/node-spec.ts'
import { NAMESPACES } from '../world/api-resource.ts'
import { applyManifest } from '../world/apply-manifest.ts'
import { createObject } from '../world/create-object.ts'
import { Store } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { ApiServer } from './api-server.ts'
import { LoopbackDataPlane } from './loopback-data-plane.ts'
import type { LoopbackNet } from './loopback-net.ts'
import { PowerSwitch } from './power-switch.ts'

interface EmbeddedClusterParts {
  readonly clock: Clock
  readonly timers: Timers
  /** Runs something once this turn of the event loop has read what had arrived. */
  readonly soon: (run: () => void) => void
  /** Everything that is left to chance comes from it, but for what real sockets and clocks add. */
  readonly seed: string
  /** The credential for the API: a client that knows it may do everything. */
  readonly token: string
  /** Private to us: kubeconfig and sockets lie in it. */
  readonly folder: string
  readonly name: string
  readonly net: LoopbackNet
  readonly nodes: readonly Omit<NodeSpec, 'address'>[]
  /** How long a machine that reboots stays dark. */
  readonly darkMs: number
}

const NAMES = ['default', 'kube-system', 'kube-node-lease', 'evenkeel']

/** A cluster in this process and in real time: its API over HTTP, its machines, and pods that are HTTP servers. */
export class EmbeddedCluster {
  readonly world: World
  readonly machines: Machines
  readonly plane: LoopbackDataPlane
  readonly kubeconfig: string
  readonly powerSocket: string
  readonly #endControllers: () => void
  #api: ApiServer | undefined
  #power: PowerSwitch | undefined

  private constructor({ clock, timers, soon, seed, net, folder, nodes, darkMs }: EmbeddedClusterParts) {
    const random = new SeededRandom(seed)
    this.kubeconfig = join(folder, 'kubeconfig')
    this.powerSocket = join(folder, 'power.sock')
    this.world = { store: new Store(), clock, random: random.fork('uids') }
    for (const name of NAMES) createObject(this.world, { resource: NAMESPACES, body: { metadata: { name } } })
    this.#endControllers = runControllers({ world: this.world, timers }, FAST_NODE_TIMING)
    this.plane = new LoopbackDataPlane({ net, timers, soon, random: random.fork('plane'), world: this.world })
    this.machines = new Machines({
      world: this.world,
      timers,
      random: random.fork('machines'),
      plane: this.plane,
      settings: FAST_KUBELET,
      darkMs,
    })
    nodes.forEach((node, i) => {
      this.machines.add({ ...node, address: net.nodeAddress(i + 1) })
    })
  }

  /** Its API answers, its machines have begun to boot. The caller must end it. */
  static async open(parts: EmbeddedClusterParts): Promise<EmbeddedCluster> {
    const made = new EmbeddedCluster(parts)
    try {
      made.#api = await ApiServer.open({ ...parts, world: made.world })
      made.#power = await PowerSwitch.listen(made.powerSocket, (node) => made.machines.get(node))
      await writeFile(made.kubeconfig, made.#api.kubeconfig(parts.name), { mode: 0o600 })
      return made
    } catch (error) {
      made.end()
      throw error
    }
  }

  /** Where its API listens on 127.0.0.1. */
  get apiPort(): number {
    return this.#api?.port ?? 0
  }

  /** In that order, as `kubectl create` would. */
  apply(manifests: readonly object[]): void {
    for (const manifest of manifests) applyManifest(this.world, manifest)
  }

  /** Nothing runs any more, nothing listens, nothing is left open. */
  end(): void {
    this.#endControllers()
    this.machines.end()
    this.plane.end()
    this.#api?.end()
    this.#power?.end()
  }
}
