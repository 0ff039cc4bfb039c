import type { NodePod, RunStatus } from './node-pod.ts'

export interface Ended {
  readonly kind: 'ended'
  readonly exitCode: number
  readonly reason: string
  readonly startedAt?: string
  readonly finishedAt?: string
  /** Of the containers that ended. */
  readonly ids: readonly string[]
}

type ContainerRun =
  | { readonly kind: 'waiting'; readonly reason: 'ContainerCreating' | 'CrashLoopBackOff' }
  | { readonly kind: 'running'; readonly startedAt: string }
  | Ended

/** What a kubelet knows of a pod that it runs. Its containers start and end together. */
export interface PodState {
  readonly phase: string
  readonly run: ContainerRun
  readonly last?: Ended
  /** Of the latest containers, in the order of the spec; empty before the first start. */
  readonly ids: readonly string[]
  readonly restartCount: number
  readonly isReady: boolean
  readonly address?: string
}

/** Of containers whose end the kubelet did not see (pkg/kubelet/kuberuntime: a sandbox that is not known any more). */
const UNSEEN = { exitCode: 255, reason: 'Unknown' }

/** What a kubelet makes of a pod when it starts: what ran in an earlier boot has ended, and the kubelet did not see how. */
export function stateAtStart({ status }: NodePod, stamp: string): PodState {
  const statuses = (status?.containerStatuses ?? []) as readonly RunStatus[]
  const [first] = statuses
  const fresh: PodState = {
    phase: status?.phase ?? 'Pending',
    run: { kind: 'waiting', reason: 'ContainerCreating' },
    ids: [],
    restartCount: 0,
    isReady: false,
  }
  if (first === undefined || first.containerID === '') return fresh
  const ids = statuses.map(({ containerID }) => containerID)
  return { ...fresh, run: endOf(first, { ids, stamp }), ids, restartCount: first.restartCount }
}

function endOf(
  { state, lastState }: RunStatus,
  { ids, stamp }: { readonly ids: readonly string[]; readonly stamp: string },
): Ended {
  const terminated = 'terminated' in state ? state.terminated : lastState?.terminated
  if (terminated !== undefined && !('running' in state)) return { ...terminated, kind: 'ended', ids }
  const startedAt = 'running' in state ? { startedAt: state.running.startedAt } : {}
  return { kind: 'ended', ...UNSEEN, ...startedAt, finishedAt: stamp, ids }
}
