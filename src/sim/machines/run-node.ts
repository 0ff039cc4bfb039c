import { present } from '../../ground/model/present.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { DataPlane } from '../plane/data-plane.ts'
import type { World } from '../world/world.ts'
import type { ApiAccess } from './api-access.ts'
import type { ImageRegistry } from './image-registry.ts'
import { KubeProxy } from './kube-proxy.ts'
import { Kubelet } from './kubelet.ts'
import type { KubeletSettings } from './kubelet-settings.ts'
import { Lifetime } from './lifetime.ts'
import { type Boot, Machine, type MachineServices } from './machine.ts'
import type { NodePortTable } from './node-port-table.ts'
import type { NodeSpec } from './node-spec.ts'
import type { PodsOfNodes } from './pods-of-nodes.ts'
import type { StaticManifests } from './static-manifests.ts'

interface NodeParts {
  readonly world: World
  readonly timers: Timers
  /** Of this node alone. */
  readonly random: SeededRandom
  readonly plane: DataPlane
  readonly pods: PodsOfNodes
  readonly nodePorts: NodePortTable
  readonly access: ApiAccess
  readonly settings: KubeletSettings
  readonly images: ImageRegistry
  readonly manifests: StaticManifests
  readonly darkMs?: number
}

/** From power until the kubelet runs (measured: 0.6 to 0.8 s until its first renewal). */
const KUBELET_START_MS = [550, 850] as const

/** A machine that is a node of the cluster: a kubelet and a kube-proxy run on it while it is on. It is dark at first. */
export function runNode(parts: NodeParts, node: NodeSpec): Machine {
  const { plane, timers, random, darkMs, settings } = parts
  plane.addNode(node.name, node.address)
  return new Machine({
    name: node.name,
    timers,
    random: random.fork('machine'),
    services: nodeServices(parts, node),
    ...present({ darkMs, holdUpMs: settings.shutdownGraceMs }),
  })
}

interface Running {
  readonly life: Lifetime
  kubelet?: Kubelet
  proxy?: KubeProxy
}

function nodeServices(parts: NodeParts, node: NodeSpec): MachineServices {
  const { plane, timers } = parts
  let running: Running | undefined
  const end = (): Kubelet | undefined => {
    const ended = running
    running = undefined
    ended?.life.end()
    ended?.proxy?.end()
    return ended?.kubelet
  }
  return {
    start: (boot) => {
      plane.setPower(node.name, true)
      const life = new Lifetime(timers)
      running = { life }
      if (boot.luck.kind !== 'noKubelet') startKubernetes({ ...parts, node, boot, running })
    },
    stop: (ended) => {
      const kubelet = end()
      if (kubelet === undefined) ended()
      else kubelet.shutDown(ended)
    },
    cut: () => {
      end()?.cut()
      plane.setPower(node.name, false)
    },
  }
}

type BootParts = NodeParts & { readonly node: NodeSpec; readonly boot: Boot; readonly running: Running }

function startKubernetes({ boot, running, ...parts }: BootParts): void {
  const { node, nodePorts: table } = parts
  const random = parts.random.fork(`boot ${boot.id}`)
  running.life.later(random.between(...KUBELET_START_MS), () => {
    running.kubelet = new Kubelet({
      ...parts,
      random: random.fork('kubelet'),
      bootId: boot.id,
      isReady: boot.luck.kind !== 'neverReady',
    })
    running.proxy = new KubeProxy({ ...parts, table, node: node.name, random: random.fork('kube-proxy') })
    running.kubelet.start()
  })
}
