import { present } from '../../ground/model/present.ts'
import type { Condition } from '../actors/pod-object.ts'
import { withCondition } from '../actors/with-condition.ts'
import type { ContainerSpec, NodePod, RunStatus, TerminatedState } from './node-pod.ts'
import type { Ended, PodState } from './pod-state.ts'

interface StatusMoment {
  /** Of the node. */
  readonly hostAddress: string
  /** `metav1.Time` of now. */
  readonly stamp: string
}

/** The status that a kubelet writes (pkg/kubelet/kubelet_pods.go, generateAPIPodStatus). What is not its own stays. */
export function podStatus(
  { spec, status: old }: NodePod,
  state: PodState,
  { hostAddress, stamp }: StatusMoment,
): NonNullable<NodePod['status']> {
  const { phase, address } = state
  const { podIP, podIPs, ...rest } = old ?? {}
  // Without its sandbox a pod has no address, but one that has ended keeps the last.
  const shown = address ?? (phase === 'Succeeded' || phase === 'Failed' ? podIP : undefined)
  const conditions = conditionsOf(spec.containers, state).reduce<readonly Condition[]>(
    (all, condition) => withCondition(all, { ...condition, lastTransitionTime: stamp }),
    old?.conditions ?? [],
  )
  return {
    ...rest,
    phase,
    hostIP: hostAddress,
    hostIPs: [{ ip: hostAddress }],
    ...(shown === undefined ? {} : { podIP: shown, podIPs: [{ ip: shown }] }),
    startTime: old?.startTime ?? stamp,
    conditions,
    containerStatuses: spec.containers.map((container, index) => containerStatus(container, state, index)),
  }
}

function conditionsOf(containers: readonly ContainerSpec[], { phase, isReady }: PodState): readonly Condition[] {
  const names = containers.map(({ name }) => name).join(' ')
  const why =
    phase === 'Succeeded'
      ? { reason: 'PodCompleted' }
      : { reason: 'ContainersNotReady', message: `containers with unready status: [${names}]` }
  const ready = isReady ? ({ status: 'True' } as const) : ({ status: 'False', ...why } as const)
  return [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Initialized', status: 'True' },
    { type: 'ContainersReady', ...ready },
    { type: 'Ready', ...ready },
  ]
}

function containerStatus({ name, image = '' }: ContainerSpec, state: PodState, index: number): RunStatus {
  const { ids, restartCount, isReady, last } = state
  return {
    name,
    image,
    ready: isReady,
    started: state.run.kind === 'running',
    restartCount,
    containerID: ids[index] ?? '',
    state: stateOf(state, index),
    lastState: last === undefined ? {} : terminatedState(last, index),
  }
}

function stateOf({ run }: PodState, index: number): RunStatus['state'] {
  switch (run.kind) {
    case 'waiting':
      return { waiting: { reason: run.reason } }
    case 'running':
      return { running: { startedAt: run.startedAt } }
    case 'ended':
      return terminatedState(run, index)
  }
}

const terminatedState = ({ exitCode, reason, startedAt, finishedAt, ids }: Ended, index: number): TerminatedState => ({
  terminated: {
    exitCode,
    reason,
    ...present({ startedAt, finishedAt }),
    containerID: ids[index] ?? '',
  },
})
