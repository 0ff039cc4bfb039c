import { present } from '../../ground/model/present.ts'
import type { ContainerSpec, NodePod, RunStatus } from './node-pod.ts'

export interface Ended {
  readonly kind: 'ended'
  readonly exitCode: number
  readonly reason: string
  readonly startedAt?: string
  readonly finishedAt?: string
  /** Of the container that ended. */
  readonly id: string
}

type WaitingReason =
  | 'ContainerCreating'
  | 'PodInitializing'
  | 'CrashLoopBackOff'
  | 'ErrImagePull'
  | 'ErrImageNeverPull'
  | 'ImagePullBackOff'

/** What a kubelet knows of one container of a pod that it runs. */
export interface ContainerState {
  readonly run:
    | { readonly kind: 'waiting'; readonly reason: WaitingReason; readonly message?: string }
    | { readonly kind: 'running'; readonly startedAt: string }
    | Ended
  readonly last?: Ended
  /** Of the latest container; empty before the first start. */
  readonly id: string
  readonly restartCount: number
  /** Its startup probe has passed, where it has one. */
  readonly isStarted: boolean
  readonly isReady: boolean
}

/** Of a container whose end the kubelet did not see (pkg/kubelet/kuberuntime: a sandbox that is not known any more). */
const UNSEEN = { exitCode: 255, reason: 'Unknown' }

/** What a kubelet makes of a container when it starts: what ran in an earlier boot has ended, and the kubelet did not see how. */
export function stateAtStart({ spec, status }: NodePod, { name }: ContainerSpec, stamp: string): ContainerState {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const before = all.find((each) => each.name === name) as RunStatus | undefined
  const hasToInit = (spec.initContainers ?? []).length > 0
  const fresh: ContainerState = {
    run: { kind: 'waiting', reason: hasToInit ? 'PodInitializing' : 'ContainerCreating' },
    id: '',
    restartCount: 0,
    isStarted: false,
    isReady: false,
  }
  if (before === undefined || before.containerID === '') return fresh
  const { containerID: id, restartCount } = before
  return { ...fresh, run: endOf(before, stamp), id, restartCount }
}

function endOf({ state, lastState, containerID: id }: RunStatus, stamp: string): Ended {
  const terminated = 'terminated' in state ? state.terminated : lastState?.terminated
  if (terminated !== undefined && !('running' in state)) {
    const { exitCode, reason, startedAt, finishedAt } = terminated
    return { kind: 'ended', exitCode, reason, ...present({ startedAt, finishedAt }), id }
  }
  const startedAt = 'running' in state ? { startedAt: state.running.startedAt } : {}
  return { kind: 'ended', ...UNSEEN, ...startedAt, finishedAt: stamp, id }
}
