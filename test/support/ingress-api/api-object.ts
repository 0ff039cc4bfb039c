type Words = Readonly<Record<string, string>>

/** Any object of the API, as far as these tests look at one. */
export interface ApiObject {
  readonly kind?: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid: string
    readonly resourceVersion: string
    readonly generation?: number
    readonly labels?: Words
    readonly annotations?: Words
    readonly finalizers?: readonly string[]
    readonly ownerReferences?: readonly { readonly uid: string }[]
    readonly deletionTimestamp?: string
  }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

/** Kinds, and where they are watched. */
export const PATHS = {
  nodes: '/api/v1/nodes',
  pods: '/api/v1/pods',
  deployments: '/apis/apps/v1/deployments',
  daemonSets: '/apis/apps/v1/daemonsets',
  gates: '/apis/policy/v1/poddisruptionbudgets',
  slots: '/apis/coordination.k8s.io/v1/namespaces/evenkeel/leases',
  objects: '/apis/evenkeel.dev/v1alpha1/ingressdaemonsets',
  originals: '/apis/ingressdaemonsets.mumoshu.github.io/v1alpha1/ingressdaemonsets',
  guards: '/apis/evenkeel.dev/v1alpha1/nodeguards',
} as const

export type Kind = keyof typeof PATHS

export const KINDS = Object.keys(PATHS) as readonly Kind[]

const NODE_NAME = 'evenkeel.dev/node'

/** The node that a Deployment of an IngressDaemonSet, or a held slot, is for. */
export const nodeOf = ({ metadata }: ApiObject): string | undefined => metadata.annotations?.[NODE_NAME]

export const annotationOf = ({ metadata }: ApiObject, key: string): string | undefined => metadata.annotations?.[key]

interface Operation {
  readonly id: string
  readonly phase: string
  readonly revision: string
  readonly t0: string
  readonly t1?: string
  readonly isNew?: boolean
}

/** What is under way on the node of a Deployment. */
export function operationOf(deployment: ApiObject): Operation | undefined {
  const text = annotationOf(deployment, 'evenkeel.dev/ingress-operation')
  return text === undefined ? undefined : (JSON.parse(text) as Operation)
}

interface Claims {
  readonly claims: readonly { readonly owner: string }[]
}

/** The owners that want the node out of service. */
export function claimsOn(node: ApiObject): readonly string[] {
  const text = annotationOf(node, 'evenkeel.dev/maintenance')
  return text === undefined ? [] : (JSON.parse(text) as Claims).claims.map(({ owner }) => owner)
}

interface PodSpec {
  readonly nodeName?: string
  readonly containers: readonly { readonly image: string }[]
}

export const hostOf = ({ spec }: ApiObject): string | undefined => (spec as unknown as PodSpec).nodeName

export const imageOf = ({ spec }: ApiObject): string => (spec as unknown as PodSpec).containers[0]?.image ?? ''

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
}

/** `True AllInService`; undefined where there is no such condition. */
export function conditionOf({ status = {} }: ApiObject, type: string): string | undefined {
  const found = ((status.conditions ?? []) as readonly Condition[]).find((one) => one.type === type)
  return found === undefined ? undefined : `${found.status} ${found.reason ?? ''}`.trim()
}

export const isLeaving = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined

export const isReady = (pod: ApiObject): boolean =>
  !isLeaving(pod) && conditionOf(pod, 'Ready')?.startsWith('True') === true
