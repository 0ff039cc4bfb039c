import { ingressAnswer } from '../../../src/agent/decide/ingress-answer.ts'
import { deploymentsOf } from '../../../src/agent/run/ingress-deployments.ts'
import { kubeObjects } from '../../../src/ground/kube/kube-objects.ts'
import { EventRecorder } from '../../../src/ground/loop/event-recorder.ts'
import type { IngressGroup } from '../../../src/ground/model/ingress-keys.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { IngressLoop } from '../../../src/ingress/run/ingress-loop.ts'
import { agentAnswerOf } from '../../../src/service/actuators/agent/io/parse-agent-health.ts'
import type { Agents } from '../../../src/service/ports/agents.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { DEPLOYMENTS, NODES } from '../../../src/sim/world/api-resource.ts'
import { askVirtualAgent } from '../virtual-roll/ask-virtual-agent.ts'
import { type ProcessOutside, ProcessPorts } from '../virtual-roll/process-ports.ts'
import { AGENT_STATUS_PORT } from '../virtual-roll/virtual-agent.ts'

/** What a pod of the health checker would answer on the node of that address, by the Deployments as they stand in the world. */
function checkedHealthPort(
  { world: { store } }: VirtualCluster,
  closedPorts: ReadonlySet<string>,
  { address, port }: { readonly address: string; readonly port: number },
): 'up' | 'out' {
  const node = [...store.all(NODES)].find((one) => JSON.stringify(one.status ?? {}).includes(`"address":"${address}"`))
  if (closedPorts.has(`${node?.metadata.name}:${port}`)) return 'out'
  const deployments = [...store.all(DEPLOYMENTS)].map((one) =>
    deploymentsOf('').kind.parse(new Untrusted(one, 'deployment')),
  )
  const here = deployments.find((one) => one.node === node?.metadata.name && one.order?.ports.includes(port) === true)
  const isUp = here !== undefined && ingressAnswer({ answer: 'up', reasons: [] }, here).answer === 'up'
  return isUp ? 'up' : 'out'
}

export const LEASE = { namespace: 'evenkeel', name: 'evenkeel-controller' }

const virtualAgents = (cluster: VirtualCluster, closedPorts: ReadonlySet<string>): Agents => ({
  ask: async (address, signal) => {
    const asked = await askVirtualAgent(cluster)({ address, port: AGENT_STATUS_PORT }, signal)
    return 'error' in asked ? 'unheard' : agentAnswerOf(asked.health)
  },
  check: async (at) => checkedHealthPort(cluster, closedPorts, at),
})

/** One process of the controller, with a clock and chance of its own. */
export class ControllerProcess {
  readonly ports: ProcessPorts
  readonly loop: IngressLoop
  /** What ended it; undefined while it runs. */
  error: unknown
  /** Told of it as well. */
  onError: (error: unknown) => void = () => undefined
  readonly #stop = new AbortController()

  constructor(
    cluster: VirtualCluster,
    {
      name,
      outside,
      groups,
      closedPorts,
    }: {
      readonly name: string
      readonly outside: ProcessOutside
      readonly groups: readonly IngressGroup[]
      readonly closedPorts: ReadonlySet<string>
    },
  ) {
    this.ports = new ProcessPorts({ cluster, outside, name })
    const { clock, random, cluster: api, configMaps } = this.ports
    const objects = kubeObjects(this.ports.follows())
    this.loop = new IngressLoop({
      ...{ objects, configMaps, clock, random },
      cluster: api,
      followNodes: (sink, signal) => api.follow('nodes', sink, signal),
      notices: new EventRecorder({ objects, clock, random, identity: name }),
      agents: virtualAgents(cluster, closedPorts),
      leader: { mayActForMs: () => 60_000 },
      lease: LEASE,
      namespace: 'evenkeel',
      grantsNamespace: 'evenkeel',
      groups,
      log: { debug: () => undefined, warn: () => undefined },
    })
    this.loop.run(this.#stop.signal).catch((error: unknown) => {
      if (this.ports.lifeline.isDead || this.#stop.signal.aborted) return
      this.error = error
      this.onError(error)
    })
  }

  kill(): void {
    this.ports.lifeline.cut()
  }

  stop(): void {
    this.#stop.abort(new Error('stopped'))
  }
}
