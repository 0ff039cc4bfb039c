import type { ContainerStatus, PodObject } from '../actors/pod-object.ts'

export interface ReadinessSpec {
  readonly initialDelaySeconds?: number
  readonly periodSeconds?: number
  readonly failureThreshold?: number
  readonly successThreshold?: number
}

/** A container as a kubelet goes by it. */
export interface ContainerSpec {
  readonly name: string
  readonly image?: string
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[]
  readonly readinessProbe?: ReadinessSpec
  readonly lifecycle?: {
    readonly preStop?: {
      readonly sleep?: { readonly seconds: number }
      readonly exec?: { readonly command?: readonly string[] }
    }
  }
}

interface RunningState {
  readonly running: { readonly startedAt: string }
}

export interface TerminatedState {
  readonly terminated: {
    readonly exitCode: number
    readonly reason: string
    readonly startedAt?: string
    readonly finishedAt?: string
    readonly containerID: string
  }
}

interface WaitingState {
  readonly waiting: { readonly reason: string; readonly message?: string }
}

/** `v1.ContainerStatus`, as a kubelet writes it. */
export interface RunStatus extends ContainerStatus {
  readonly image: string
  readonly started: boolean
  readonly state: RunningState | TerminatedState | WaitingState
  readonly lastState: Partial<TerminatedState>
}

/** A pod as the kubelet of its node reads and writes it. */
export interface NodePod extends PodObject {
  readonly spec: Omit<PodObject['spec'], 'containers'> & {
    readonly containers: readonly ContainerSpec[]
    readonly restartPolicy?: string
  }
  readonly status?: NonNullable<PodObject['status']> & {
    readonly hostIP?: string
    readonly hostIPs?: readonly { readonly ip: string }[]
    readonly podIPs?: readonly { readonly ip: string }[]
  }
}
