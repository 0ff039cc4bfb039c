import { runScheduler } from '../scheduler/scheduler.ts'
import { runAttachDetachController } from './attach-detach-controller.ts'
import { runDaemonSetController } from './daemon-set-controller.ts'
import { runDeploymentController } from './deployment-controller.ts'
import { runDisruptionController } from './disruption-controller.ts'
import { runEndpointSliceController } from './endpoint-slice-controller.ts'
import { runJobController } from './job-controller.ts'
import { runNamespaceController } from './namespace-controller.ts'
import { type NodeTiming, runNodeMonitor, STANDARD_NODE_TIMING } from './node-monitor.ts'
import { runNodeTainter } from './node-tainter.ts'
import { runOwnerGarbageCollector } from './owner-garbage-collector.ts'
import { runPodGarbageCollector } from './pod-garbage-collector.ts'
import { runReplicaSetController } from './replica-set-controller.ts'
import type { ActorParts } from './run-reconciler.ts'
import { runStatefulSetController } from './stateful-set-controller.ts'
import { runTaintEviction } from './taint-eviction.ts'
import { runVolumeBinder } from './volume-binder.ts'

const CONTROLLERS: readonly ((parts: ActorParts) => () => void)[] = [
  runScheduler,
  runVolumeBinder,
  runReplicaSetController,
  runDeploymentController,
  runStatefulSetController,
  runDaemonSetController,
  runJobController,
  runEndpointSliceController,
  runDisruptionController,
  runNodeTainter,
  runTaintEviction,
  runPodGarbageCollector,
  runOwnerGarbageCollector,
  runNamespaceController,
  runAttachDetachController,
]

/** The controllers of a controller manager, and a scheduler. The returned function ends all of it. */
export function runControllers(parts: ActorParts, timing: NodeTiming = STANDARD_NODE_TIMING): () => void {
  const ends = [...CONTROLLERS.map((run) => run(parts)), runNodeMonitor(parts, timing)]
  return () => {
    for (const end of ends) end()
  }
}
