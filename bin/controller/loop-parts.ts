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
import type { ControllerParts } from '../../src/service/run/controller-parts.ts'
import type { ControllerOptions } from './controller-options.ts'
import type { sharedNodes } from './shared-nodes.ts'

/** The surroundings of a loop that takes nodes out. */
export interface LoopPlace {
  readonly client: ApiClient
  /** Shared by all that the process follows: what one of them learns about the API server counts for the others. */
  readonly reach: ApiReach
  readonly leader: Leader
  readonly identity: string
  /** The Lease of the leader. */
  readonly lease: ObjectRef
  readonly options: Pick<ControllerOptions, 'grantsNamespace'>
  readonly log: Log
  /** Absent: the loop follows the Nodes by a watch of its own. */
  readonly followNodes?: ReturnType<typeof sharedNodes>['nodes']
}

/** The server is not named in anything that such a loop says. */
const SERVER = { address: '', port: 0 }

/** `namespace`: of the slots. */
export function loopParts(place: LoopPlace, namespace: string): ControllerParts {
  const { client, reach, leader, identity, lease, options, log, followNodes } = place
  const api = { client, reach, clock, random, log }
  const objects = kubeObjects(api)
  const cluster = kubeCluster(api, SERVER)
  return {
    ...{ objects, cluster, leader, lease, clock, random, log, namespace },
    followNodes: followNodes ?? ((sink, signal) => cluster.follow('nodes', sink, signal)),
    configMaps: kubeConfigMaps(client),
    notices: new EventRecorder({ objects, clock, random, identity }),
    grantsNamespace: options.grantsNamespace,
  }
}
