import type { ApiObject, OwnerReference } from '../world/api-object.ts'
import type { WrittenSelector } from '../world/label-selector.ts'
import type { NodeSelector } from './node-affinity.ts'

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
}

export interface Toleration {
  readonly key?: string
  readonly operator?: 'Exists' | 'Equal'
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

export interface ContainerStatus {
  readonly name: string
  readonly ready: boolean
  readonly restartCount: number
  readonly containerID: string
}

export interface PodSpec {
  readonly nodeName?: string
  readonly schedulerName?: string
  readonly priority?: number
  readonly preemptionPolicy?: string
  readonly terminationGracePeriodSeconds?: number
  readonly tolerations?: readonly Toleration[]
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly affinity?: {
    readonly nodeAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector }
    readonly podAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] }
    readonly podAntiAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] }
  }
  readonly topologySpreadConstraints?: readonly SpreadConstraint[]
  readonly volumes?: readonly PodVolume[]
  readonly hostNetwork?: boolean
  readonly hostname?: string
  readonly subdomain?: string
  readonly resources?: Resources
  readonly overhead?: Quantities
  readonly initContainers?: readonly InitContainer[]
  readonly containers: readonly {
    readonly name: string
    readonly ports?: readonly ContainerPort[]
    readonly resources?: Resources
  }[]
}

/** By the name of the resource, as a text of `resource.Quantity`. */
export type Quantities = Readonly<Record<string, string>>

export interface Resources {
  readonly requests?: Quantities
  readonly limits?: Quantities
}

interface InitContainer {
  readonly name: string
  readonly restartPolicy?: string
  readonly ports?: readonly ContainerPort[]
  readonly resources?: Resources
}

interface ContainerPort {
  readonly name?: string
  readonly containerPort: number
  readonly hostPort?: number
  readonly hostIP?: string
  readonly protocol?: string
}

/** `v1.PodAffinityTerm`. */
export interface PodAffinityTerm {
  readonly topologyKey: string
  readonly labelSelector?: WrittenSelector
  readonly namespaces?: readonly string[]
  readonly namespaceSelector?: WrittenSelector
  readonly matchLabelKeys?: readonly string[]
  readonly mismatchLabelKeys?: readonly string[]
}

/** `v1.TopologySpreadConstraint`. */
export interface SpreadConstraint {
  readonly topologyKey: string
  readonly maxSkew: number
  readonly whenUnsatisfiable?: string
  readonly labelSelector?: WrittenSelector
  readonly matchLabelKeys?: readonly string[]
  readonly minDomains?: number
  readonly nodeAffinityPolicy?: string
  readonly nodeTaintsPolicy?: string
}

interface PodVolume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string }
}

/** A pod as its actors read and write it. */
export interface PodObject extends ApiObject {
  readonly spec: PodSpec
  readonly status?: {
    readonly phase?: string
    readonly podIP?: string
    readonly podIPs?: readonly { readonly ip: string }[]
    readonly startTime?: string
    /** Where the scheduler makes room for it. */
    readonly nominatedNodeName?: string
    readonly conditions?: readonly Condition[]
    readonly containerStatuses?: readonly ContainerStatus[]
  }
}

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

export const isReady = ({ status }: PodObject): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true

export const isFinished = ({ status }: PodObject): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed'

export const isGoing = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined

export const controllerOf = ({ metadata }: ApiObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)

/** Names of the claims whose volumes it mounts, in its own namespace. */
export const claimNames = ({ spec }: PodObject): readonly string[] =>
  (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => (claim === undefined ? [] : [claim.claimName]))

/** A taint keeps a pod away unless one of its tolerations covers it. */
export const tolerates = (tolerations: readonly Toleration[], taint: Taint): boolean =>
  tolerations.some(
    ({ key, operator = 'Equal', value = '', effect }) =>
      (effect === undefined || effect === taint.effect) &&
      (key === undefined ? operator === 'Exists' : key === taint.key) &&
      (operator === 'Exists' || value === (taint.value ?? '')),
  )

/** Its terms that have to hold. */
export const affinityOf = ({ spec }: PodObject): readonly PodAffinityTerm[] =>
  spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []

export const antiAffinityOf = ({ spec }: PodObject): readonly PodAffinityTerm[] =>
  spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
