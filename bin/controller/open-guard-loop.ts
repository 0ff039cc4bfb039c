import { CelRules } from '../../src/adapters/cel/object-rules.ts'
import { HttpHolds } from '../../src/adapters/http/ask-hold.ts'
import type { ApiClient } from '../../src/adapters/kube/api-client.ts'
import type { ApiReach } from '../../src/adapters/kube/api-reach.ts'
import { kubeCluster } from '../../src/adapters/kube/kube-cluster.ts'
import { kubeConfigMaps } from '../../src/adapters/kube/kube-config-maps.ts'
import { kubeObjects } from '../../src/adapters/kube/kube-objects.ts'
import type { sharedNodes } from '../../src/adapters/kube/shared-nodes.ts'
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../src/adapters/node/system-random.ts'
import { systemTimers as timers } from '../../src/adapters/node/system-timers.ts'
import type { ControllerOptions, GuardLoopOptions } from '../../src/config/controller-options.ts'
import { GuardLoop } from '../../src/controllers/guard/guard-loop.ts'
import type { ObjectRef } from '../../src/model/object-ref.ts'
import type { Log } from '../../src/ports/log.ts'
import { EventRecorder } from '../../src/runtime/event-recorder.ts'
import type { Leader } from '../../src/runtime/leader.ts'

interface GuardLoopPlace {
  readonly client: ApiClient
  /** Of all that the process follows: what one of them finds out about the API server holds for the others. */
  readonly reach: ApiReach
  readonly leader: Leader
  readonly identity: string
  /** By which the controller leads. */
  readonly lease: ObjectRef
  readonly options: Pick<ControllerOptions, 'grantsNamespace'>
  readonly guard: GuardLoopOptions
  readonly log: Log
  /** Where another loop follows the Nodes as well; absent: by a watch of its own. */
  readonly followNodes?: ReturnType<typeof sharedNodes>['nodes']
}

/** The server is not named in anything that this loop says. */
const SERVER = { address: '', port: 0 }

/** The loop of NodeGuards. */
export function openGuardLoop({
  client,
  reach,
  identity,
  options,
  guard,
  followNodes,
  ...place
}: GuardLoopPlace): GuardLoop {
  const { leader, lease, log } = place
  const api = { client, reach, clock, random, log }
  const objects = kubeObjects(api)
  const cluster = kubeCluster(api, SERVER)
  return new GuardLoop({
    ...{ objects, cluster, leader, lease, clock, random, log },
    followNodes: followNodes ?? ((sink, signal) => cluster.follow('nodes', sink, signal)),
    configMaps: kubeConfigMaps(client),
    notices: new EventRecorder({ objects, clock, random, identity }),
    namespace: guard.slotsNamespace,
    grantsNamespace: options.grantsNamespace,
    rules: new CelRules(clock),
    source: new HttpHolds({ timers }),
  })
}
