import type { ContainerStatus, PodObject } from '../actors/pod-object.ts'

/** `v1.Probe`, as far as a kubelet goes by it. */
export interface ProbeSpec {
  readonly httpGet?: { readonly path?: string; readonly port?: number | string }
  readonly tcpSocket?: { readonly port?: number | string }
  readonly grpc?: { readonly port?: number }
  readonly exec?: { readonly command?: readonly string[] }
  readonly initialDelaySeconds?: number
  readonly periodSeconds?: number
  readonly failureThreshold?: number
  readonly successThreshold?: number
}

/** A container as a kubelet goes by it. */
export interface ContainerSpec {
  readonly name: string
  readonly image?: string
  readonly imagePullPolicy?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  /** `Always`, of an init container: it runs beside the others (KEP-753). */
  readonly restartPolicy?: string
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[]
  readonly readinessProbe?: ProbeSpec
  readonly livenessProbe?: ProbeSpec
  readonly startupProbe?: ProbeSpec
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
    readonly initContainers?: readonly ContainerSpec[]
    readonly restartPolicy?: string
    readonly readinessGates?: readonly { readonly conditionType: string }[]
  }
  readonly status?: NonNullable<PodObject['status']> & {
    readonly reason?: string
    readonly message?: string
    readonly hostIP?: string
    readonly hostIPs?: readonly { readonly ip: string }[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
    readonly podIPs?: readonly { readonly ip: string }[]
  }
}
