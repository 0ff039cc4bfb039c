import { present } from '../../ground/model/present.ts'
import type { Condition } from '../actors/pod-object.ts'
import { withCondition } from '../actors/with-condition.ts'
import { addressIn } from './families.ts'
import type { NodePod, RunStatus, TerminatedState } from './node-pod.ts'
import type { NodeSpec } from './node-spec.ts'
import { isSidecar, type KnownContainer } from './pod-phase.ts'
import type { ContainerState, Ended } from './pod-state.ts'

/** What a kubelet knows of a pod that it runs. */
interface PodState {
  readonly phase: string
  /** Of its sandbox. */
  readonly address?: string
  readonly inits: readonly KnownContainer[]
  readonly mains: readonly KnownContainer[]
  /** Why the kubelet itself made it end, where it did, and it has ended. */
  readonly failed?: PodFailure
}

/** Of a pod that a kubelet does not run, or no longer. */
export interface PodFailure {
  readonly reason: string
  readonly message: string
}

interface StatusMoment {
  readonly node: Pick<NodeSpec, 'address' | 'families'>
  /** `metav1.Time` of now. */
  readonly stamp: string
}

/** The status that a kubelet writes (pkg/kubelet/kubelet_pods.go, generateAPIPodStatus). What is not its own stays. */
export function podStatus(
  pod: NodePod,
  state: PodState,
  { node: { address: hostAddress, families = ['IPv4'] }, stamp }: StatusMoment,
): NonNullable<NodePod['status']> {
  const { phase, address, inits, mains, failed } = state
  const { status: old } = pod
  const { podIP: _, podIPs, ...rest } = old ?? {}
  const inFamilies = (of: string) => families.map((family) => ({ ip: addressIn(family, of) }))
  const own = address === undefined ? undefined : inFamilies(pod.spec.hostNetwork === true ? hostAddress : address)
  // Without its sandbox a pod has no address, but one that has ended keeps the last.
  const kept = phase === 'Succeeded' || phase === 'Failed' ? podIPs : undefined
  const shown = own ?? kept ?? []
  const conditions = conditionsOf(pod, state).reduce<readonly Condition[]>(
    (all, condition) => withCondition(all, { ...condition, lastTransitionTime: stamp }),
    old?.conditions ?? [],
  )
  return {
    ...rest,
    phase,
    ...(phase === 'Failed' ? failed : {}),
    ...present({ hostIP: inFamilies(hostAddress)[0]?.ip }),
    hostIPs: inFamilies(hostAddress),
    ...(shown.length === 0 ? {} : { ...present({ podIP: shown[0]?.ip }), podIPs: shown }),
    startTime: old?.startTime ?? stamp,
    conditions,
    ...(inits.length === 0 ? {} : { initContainerStatuses: inits.map(initStatus) }),
    containerStatuses: mains.map(containerStatus),
  }
}

/** pkg/kubelet/status/generate.go. */
function conditionsOf(pod: NodePod, state: PodState): readonly Condition[] {
  const containersReady = readiness(state)
  return [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Initialized', ...initialized(state) },
    { type: 'ContainersReady', ...containersReady },
    { type: 'Ready', ...(containersReady.status === 'True' ? gated(pod) : containersReady) },
    ...(state.failed === undefined ? [] : [terminated(state.failed)]),
  ]
}

/** KEP-3329. */
const terminated = ({ message }: PodFailure): Condition => ({
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'TerminationByKubelet',
  message,
})

type Word = Omit<Condition, 'type' | 'lastTransitionTime'>

const TRUE: Word = { status: 'True' }

function readiness({ phase, inits, mains }: PodState): Word {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  const unready = [...inits.filter(({ spec }) => isSidecar(spec)), ...mains].filter(({ state }) => !state.isReady)
  if (unready.length === 0) return TRUE
  const message = `containers with unready status: [${namesOf(unready)}]`
  return { status: 'False', reason: 'ContainersNotReady', message }
}

/** A pod whose container has started once has been initialized, whatever becomes of its sidecars. */
function initialized({ inits, mains }: PodState): Word {
  if (mains.some(({ state: { run, last } }) => run.kind !== 'waiting' || last !== undefined)) return TRUE
  const incomplete = inits.filter((init) => !isInitialized(init))
  if (incomplete.length === 0) return TRUE
  const message = `containers with incomplete status: [${namesOf(incomplete)}]`
  return { status: 'False', reason: 'ContainersNotInitialized', message }
}

export const isInitialized = ({ spec, state: { run, isStarted } }: KnownContainer): boolean =>
  isSidecar(spec) ? isStarted : run.kind === 'ended' && run.exitCode === 0

/** Whether what others have to say of the pod is said (KEP-580). */
function gated({ spec: { readinessGates = [] }, status }: NodePod): Word {
  const missing = readinessGates.flatMap(({ conditionType }) => {
    const found = status?.conditions?.find(({ type }) => type === conditionType)
    if (found === undefined) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`]
    if (found.status === 'True') return []
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`]
  })
  if (missing.length === 0) return TRUE
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: missing.join(', ') }
}

const namesOf = (containers: readonly KnownContainer[]): string => containers.map(({ spec }) => spec.name).join(' ')

/** An init container that is done reads ready (prober_manager.go, UpdatePodStatus). */
function initStatus(init: KnownContainer): RunStatus {
  const status = containerStatus(init)
  return isSidecar(init.spec) ? status : { ...status, ready: isInitialized(init) }
}

function containerStatus({ spec: { name, image = '' }, state }: KnownContainer): RunStatus {
  const { id, restartCount, isReady, isStarted, last, run } = state
  return {
    name,
    image,
    ready: isReady,
    started: isStarted,
    restartCount,
    containerID: id,
    state: runOf(run),
    lastState: last === undefined ? {} : terminatedState(last),
  }
}

function runOf(run: ContainerState['run']): RunStatus['state'] {
  switch (run.kind) {
    case 'waiting':
      return { waiting: { reason: run.reason, ...present({ message: run.message }) } }
    case 'running':
      return { running: { startedAt: run.startedAt } }
    case 'ended':
      return terminatedState(run)
  }
}

const terminatedState = ({ exitCode, reason, startedAt, finishedAt, id }: Ended): TerminatedState => ({
  terminated: { exitCode, reason, ...present({ startedAt, finishedAt }), containerID: id },
})
