import { isReady, type PodObject } from '../../../../src/sim/actors/pod-object.ts'
import type { ApiObject } from '../../../../src/sim/world/api-object.ts'
import { DEPLOYMENTS, DISRUPTION_BUDGETS, NODES, PODS, STATEFUL_SETS } from '../../../../src/sim/world/api-resource.ts'
import type { BudgetObject } from '../../../../src/sim/world/budget-object.ts'
import type { Asked, Checker } from './checker.ts'
import type { Scene } from './scene.ts'

const NAME = 'evictions-only'
const POLITE = 'evenkeel.dev/polite'
/** From an eviction that is sent, until an API server that is slow carries it out; people may uncordon meanwhile. */
export const SLOW_API_MS = 7_500
const EVICTION = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/eviction$/
export const POD = /^\/api\/v1\/namespaces\/[^/]+\/pods\/([^/]+)$/
const NODE_STATUS = /^\/api\/v1\/nodes\/[^/]+\/status$/
const KURED = /^\/apis\/apps\/v1\/namespaces\/kube-system\/daemonsets\/kured$/
type Write = readonly [method: string, path: RegExp]

/** All that a roll may write, beside evictions: nodes, labels of pods, its slot, and questions about its rights. */
const MAY_WRITE: readonly Write[] = [
  ['PATCH', /^\/api\/v1\/nodes\/[^/]+$/],
  ['PATCH', POD],
  ['POST', /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/evenkeel\/leases$/],
  ['PATCH', /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/evenkeel\/leases\/evenkeel-slot-\d$/],
  ['PUT', /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/evenkeel\/leases\/evenkeel-slot-\d$/],
  ['POST', /^\/apis\/authorization\.k8s\.io\/v1\/selfsubjectaccessreviews$/],
]

/** What it may write where its file asks for that. */
const byFile = ({ mayDelete, mayAnnounce, mayTakeLock }: Scene): readonly Write[] => [
  ...(mayDelete ? [['DELETE', POD] as const] : []),
  ...(mayAnnounce ? [['PATCH', NODE_STATUS] as const] : []),
  ...(mayTakeLock ? [['PATCH', KURED] as const] : []),
]

/**
 * No pod is removed but by an eviction, from a node that is cordoned and in no balancer's list, and with every budget
 * still kept once the pod is gone.
 */
export function evictionsOnly(scene: Scene): Checker {
  const asked = new Map<unknown, PodObject>()
  return {
    onAsked: ({ request }) => {
      if (request.kind !== 'api' || request.request.method === 'GET') return
      const { method, path } = request.request
      const [, namespace, name] = EVICTION.exec(path) ?? []
      if (method === 'POST' && namespace !== undefined && name !== undefined) {
        const pod = scene.cluster.world.store.get(PODS, { namespace, name }) as PodObject | undefined
        if (pod !== undefined && pod.metadata.deletionTimestamp === undefined) asked.set(request, pod)
      } else if (![...MAY_WRITE, ...byFile(scene)].some(([verb, at]) => verb === method && at.test(path))) {
        scene.tell(NAME, `${method} ${path}`)
      }
    },
    onDone: ({ request }: Asked, code) => {
      const pod = asked.get(request)
      asked.delete(request)
      if (pod === undefined || code >= 300) return
      const now = scene.cluster.world.store.get(PODS, pod.metadata)
      if (now?.metadata.uid === pod.metadata.uid && now.metadata.deletionTimestamp === undefined) return
      checkPlace(scene, pod)
      checkBudgets(scene, pod)
    },
  }
}

function checkPlace(scene: Scene, pod: PodObject): void {
  const { nodeName = '' } = pod.spec
  const what = `${pod.metadata.name} was evicted from ${nodeName}, which`
  const node = scene.cluster.world.store.get(NODES, { name: nodeName })
  const isCordoned = (node?.spec as { unschedulable?: boolean } | undefined)?.unschedulable === true
  // A pod that no Service sends to is in use by no client: it goes though people have uncordoned its node meanwhile.
  const isLetGo = POLITE in (pod.metadata.annotations ?? {}) && scene.handCordons.has(nodeName)
  if (!isCordoned && !isLetGo && !scene.wasCordonedByHand(SLOW_API_MS)) {
    scene.tell(NAME, `${what} is not cordoned`)
  }
  for (const server of scene.servers()) {
    if (server.node === nodeName && scene.takenOut.isSentTo(server))
      scene.tell(NAME, `${what} ${server.key} still sends to`)
  }
}

function checkBudgets(scene: Scene, pod: PodObject): void {
  const { namespace, labels } = pod.metadata
  for (const budget of scene.cluster.world.store.all(DISRUPTION_BUDGETS) as Iterable<BudgetObject>) {
    const wanted = Object.entries(budget.spec.selector?.matchLabels ?? {})
    const isOurs = (of: Labels): boolean => wanted.every(([key, value]) => of?.[key] === value)
    if (budget.metadata.namespace !== namespace || !isOurs(labels) || !isReady(pod)) continue
    const guarded = scene.pods().filter(({ metadata }) => metadata.namespace === namespace && isOurs(metadata.labels))
    const healthy = guarded.filter((one) => isReady(one) && one.metadata.deletionTimestamp === undefined).length
    const least = leastHealthy(budget, replicasWanted(scene, isOurs))
    if (healthy < least) {
      scene.tell(
        NAME,
        `${pod.metadata.name} was evicted: ${budget.metadata.name} needs ${least} pods, ${healthy} are left`,
      )
    }
  }
}

/** Of numbers: the worlds of rolls have no budgets by percentage. */
function leastHealthy({ spec: { minAvailable, maxUnavailable = 0 } }: BudgetObject, wanted: number): number {
  return typeof minAvailable === 'number' ? minAvailable : wanted - Number(maxUnavailable)
}

/** How many pods the controllers ask for together whose pods are guarded. */
const replicasWanted = (scene: Scene, isOurs: (labels: Labels) => boolean): number =>
  [DEPLOYMENTS, STATEFUL_SETS]
    .flatMap((resource) => [...scene.cluster.world.store.all(resource)] as WorkloadObject[])
    .filter(({ spec }) => isOurs(spec.template.metadata.labels))
    .reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0)

type Labels = Readonly<Record<string, string>> | undefined

interface WorkloadObject extends ApiObject {
  readonly spec: { readonly replicas?: number; readonly template: { readonly metadata: { readonly labels?: Labels } } }
}
