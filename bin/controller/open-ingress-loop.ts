import { askAgent } from '../../src/adapters/http/ask-agent.ts'
import { checkHealthPort } from '../../src/adapters/http/check-health-port.ts'
import { agentAnswerOf } from '../../src/adapters/http/parse-agent-health.ts'
import type { ApiClient } from '../../src/adapters/kube/api-client.ts'
import type { ApiReach } from '../../src/adapters/kube/api-reach.ts'
import { kubeCluster } from '../../src/adapters/kube/kube-cluster.ts'
import { kubeConfigMaps } from '../../src/adapters/kube/kube-config-maps.ts'
import { kubeObjects } from '../../src/adapters/kube/kube-objects.ts'
import type { sharedNodes } from '../../src/adapters/kube/shared-nodes.ts'
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../src/adapters/node/system-random.ts'
import type { ControllerOptions, IngressLoopOptions } from '../../src/config/controller-options.ts'
import { IngressLoop } from '../../src/controllers/ingress/ingress-loop.ts'
import type { ObjectRef } from '../../src/model/object-ref.ts'
import type { Agents } from '../../src/ports/agents.ts'
import type { Log } from '../../src/ports/log.ts'
import { EventRecorder } from '../../src/runtime/event-recorder.ts'
import type { Leader } from '../../src/runtime/leader.ts'

interface IngressLoopPlace {
  readonly client: ApiClient
  /** Of all that the process follows: what one of them finds out about the API server holds for the others. */
  readonly reach: ApiReach
  readonly leader: Leader
  readonly identity: string
  /** By which the controller leads. */
  readonly lease: ObjectRef
  readonly options: Pick<ControllerOptions, 'grantsNamespace'>
  readonly ingress: IngressLoopOptions
  readonly log: Log
  /** Where another loop follows the Nodes as well; absent: by a watch of its own. */
  readonly followNodes?: ReturnType<typeof sharedNodes>['nodes']
  /** Absent: over the network. */
  readonly askAgent?: typeof askAgent
}

/** The server is not named in anything that this loop says. */
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
