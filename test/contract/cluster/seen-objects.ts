interface SeenMeta {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly ownerReferences?: readonly {
    readonly kind: string
    readonly name: string
    readonly uid: string
    readonly controller?: boolean
  }[]
}

export interface SeenCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

export interface SeenNode {
  readonly metadata: SeenMeta
  readonly spec: {
    readonly unschedulable?: boolean
    readonly taints?: readonly { readonly key: string; readonly effect: string; readonly timeAdded?: string }[]
  }
  readonly status: {
    readonly conditions?: readonly SeenCondition[]
    readonly nodeInfo: { readonly bootID: string }
    readonly volumesInUse?: readonly string[]
  }
}

type SeenStates = Readonly<
  Record<string, { readonly exitCode?: number; readonly reason?: string; readonly startedAt?: string }>
>

export interface SeenContainer {
  readonly name: string
  readonly restartCount: number
  readonly ready: boolean
  readonly started?: boolean
  readonly containerID?: string
  readonly state: SeenStates
  readonly lastState: SeenStates
}

export interface SeenPod {
  readonly metadata: SeenMeta
  readonly spec: { readonly nodeName?: string }
  readonly status: {
    readonly phase: string
    readonly podIP?: string
    readonly conditions?: readonly SeenCondition[]
    readonly initContainerStatuses?: readonly SeenContainer[]
    readonly containerStatuses?: readonly SeenContainer[]
  }
}

export interface SeenEndpoint {
  readonly addresses: readonly string[]
  readonly conditions: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean }
  readonly nodeName?: string
  /** The API server itself is behind an endpoint that is no pod. */
  readonly targetRef?: { readonly name: string; readonly uid: string }
}

interface SeenBudget {
  readonly metadata: SeenMeta
  readonly status: {
    readonly observedGeneration?: number
    readonly currentHealthy: number
    readonly desiredHealthy: number
    readonly expectedPods: number
    readonly disruptionsAllowed: number
    readonly disruptedPods?: Readonly<Record<string, string>>
    readonly conditions?: readonly SeenCondition[]
  }
}

export interface SeenScale {
  readonly metadata: SeenMeta
  readonly spec: { readonly replicas: number }
  readonly status: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly unavailableReplicas?: number
    readonly fullyLabeledReplicas?: number
    readonly conditions?: readonly SeenCondition[]
  }
}

interface SeenDaemons {
  readonly metadata: SeenMeta
  readonly status: {
    readonly currentNumberScheduled?: number
    readonly desiredNumberScheduled?: number
    readonly numberMisscheduled?: number
    readonly numberReady?: number
    readonly numberUnavailable?: number
  }
}

interface SeenAttachment {
  readonly metadata: SeenMeta
  readonly spec: {
    readonly attacher: string
    readonly nodeName: string
    readonly source: { readonly persistentVolumeName?: string }
  }
  readonly status?: { readonly attached?: boolean }
}

/** What the contract reads of each kind that it watches. */
export interface Seen {
  readonly node: SeenNode
  readonly lease: { readonly metadata: SeenMeta; readonly spec: { readonly renewTime?: string } }
  readonly pod: SeenPod
  readonly slice: { readonly metadata: SeenMeta; readonly endpoints?: readonly SeenEndpoint[] | null }
  readonly budget: SeenBudget
  readonly deployment: SeenScale
  readonly replicaSet: SeenScale
  readonly statefulSet: SeenScale
  readonly daemonSet: SeenDaemons
  readonly claim: { readonly metadata: SeenMeta; readonly status: { readonly phase?: string } }
  readonly attachment: SeenAttachment
}
