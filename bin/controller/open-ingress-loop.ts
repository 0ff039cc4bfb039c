import type { ApiClient } from '../../src/ground/kube/api-client.ts'
import type { ApiReach } from '../../src/ground/kube/api-reach.ts'
import { kubeCluster } from '../../src/ground/kube/kube-cluster.ts'
import { kubeConfigMaps } from '../../src/ground/kube/kube-config-maps.ts'
import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import { EventRecorder } from '../../src/ground/loop/event-recorder.ts'
import type { Leader } from '../../src/ground/loop/leader.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import type { ObjectRef } from '../../src/ground/model/object-ref.ts'
import type { Log } from '../../src/ground/ports/log.ts'
import { checkHealthPort } from '../../src/ingress/io/check-health-port.ts'
import { IngressLoop } from '../../src/ingress/run/ingress-loop.ts'
import { askAgent } from '../../src/service/actuators/agent/io/ask-agent.ts'
import { agentAnswerOf } from '../../src/service/actuators/agent/io/parse-agent-health.ts'
import type { Agents } from '../../src/service/ports/agents.ts'
import type { ControllerOptions, IngressLoopOptions } from './controller-options.ts'
import type { sharedNodes } from './shared-nodes.ts'

interface IngressLoopPlace {
  readonly client: ApiClient
  /** Shared by all watches of the process: what one of them finds out about the API server holds for the others. */
  readonly reach: ApiReach
  readonly leader: Leader
  readonly identity: string
  /** The Lease of the leader. */
  readonly lease: ObjectRef
  readonly options: Pick<ControllerOptions, 'grantsNamespace'>
  readonly ingress: IngressLoopOptions
  readonly log: Log
  /** If another loop follows the Nodes as well; absent: by a watch of its own. */
  readonly followNodes?: ReturnType<typeof sharedNodes>['nodes']
  /** Absent: over the network. */
  readonly askAgent?: typeof askAgent
}

/** No text of this loop names the server. */
const SERVER = { address: '', port: 0 }

const askedAgents = (port: number, askOne = askAgent): Agents => ({
  ask: async (address, signal) => {
    const asked = await askOne({ address, port }, signal)
    return 'error' in asked ? 'unheard' : agentAnswerOf(asked.health)
  },
  check: checkHealthPort,
})

/** The loop of IngressDaemonSets. */
export function openIngressLoop({
  client,
  reach,
  leader,
  identity,
  lease,
  options,
  ingress,
  log,
  followNodes,
  askAgent: askOne,
}: IngressLoopPlace): IngressLoop {
  const api = { client, reach, clock, random, log }
  const objects = kubeObjects(api)
  const cluster = kubeCluster(api, SERVER)
  return new IngressLoop({
    ...{ objects, leader, lease, clock, random, log },
    cluster,
    followNodes: followNodes ?? ((sink, signal) => cluster.follow('nodes', sink, signal)),
    configMaps: kubeConfigMaps(client),
    notices: new EventRecorder({ objects, clock, random, identity }),
    namespace: ingress.slotsNamespace,
    grantsNamespace: options.grantsNamespace,
    groups: ingress.groups,
    ...(ingress.agentPort === undefined ? {} : { agents: askedAgents(ingress.agentPort, askOne) }),
  })
}
