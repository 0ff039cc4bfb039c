import type { ApiClient } from '../../src/ground/kube/api-client.ts'
import type { ApiReach } from '../../src/ground/kube/api-reach.ts'
import { kubeCluster } from '../../src/ground/kube/kube-cluster.ts'
import { kubeConfigMaps } from '../../src/ground/kube/kube-config-maps.ts'
import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import { EventRecorder } from '../../src/ground/loop/event-recorder.ts'
import type { Leader } from '../../src/ground/loop/leader.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import type { ObjectRef } from '../../src/ground/model/object-ref.ts'
import type { Log } from '../../src/ground/ports/log.ts'
import { HttpHolds } from '../../src/guard/io/ask-hold.ts'
import { CelRules } from '../../src/guard/io/cel/object-rules.ts'
import { GuardLoop } from '../../src/guard/run/guard-loop.ts'
import type { ControllerOptions, GuardLoopOptions } from './controller-options.ts'
import type { sharedNodes } from './shared-nodes.ts'

interface GuardLoopPlace {
  readonly client: ApiClient
  /** Shared by all watches of the process: what one of them finds out about the API server holds for the others. */
  readonly reach: ApiReach
  readonly leader: Leader
  readonly identity: string
  /** The Lease of the leader. */
  readonly lease: ObjectRef
  readonly options: Pick<ControllerOptions, 'grantsNamespace'>
  readonly guard: GuardLoopOptions
  readonly log: Log
  /** If another loop follows the Nodes as well; absent: by a watch of its own. */
  readonly followNodes?: ReturnType<typeof sharedNodes>['nodes']
}

/** No text of this loop names the server. */
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
