import { isDeepStrictEqual } from 'node:util'
import type { Family } from '../machines/families.ts'
import type { ApiObject } from '../world/api-object.ts'
import { ENDPOINT_SLICES, PODS, SERVICES } from '../world/api-resource.ts'
import { createObject } from '../world/create-object.ts'
import { deleteObject } from '../world/delete-object.ts'
import { replaceObject } from '../world/replace-object.ts'
import { type Change, keyOf } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { ObjectIndex } from './object-index.ts'
import { controllerReference, wasAccepted } from './owned-pods.ts'
import { podIndexOf } from './pod-index.ts'
import { isGoing, isReady, type PodObject } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'
import { endpointOf, familiesOf, type ServiceObject, type SlicePort, slicePorts } from './service-endpoints.ts'
import { type SlicePart, slicePartsOf } from './slice-parts.ts'

const LAG_MS = 10
/** defaultSyncBackOff. */
const FIRST_RETRY_MS = 1_000
const SERVICE_NAME = 'kubernetes.io/service-name'
const MANAGED_BY = { 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' }

type Slices = ObjectIndex<ApiObject>

/** Keeps the slices of each Service: which pods are behind it. The returned function ends it. */
export function runEndpointSliceController(parts: ActorParts): () => void {
  const { world } = parts
  const services = new ObjectIndex<ServiceObject>(world.store, SERVICES, ({ metadata }) => [metadata.namespace ?? ''])
  const slices: Slices = new ObjectIndex(world.store, ENDPOINT_SLICES, sliceGroups)
  const end = runReconciler(parts, {
    watches: [
      [SERVICES, ({ object }) => [keyOf(object.metadata)]],
      [ENDPOINT_SLICES, ({ object }) => sliceGroups(object)],
      [PODS, (change) => selecting(services.of(change.object.metadata.namespace ?? ''), change)],
    ],
    lagMs: LAG_MS,
    firstRetryMs: FIRST_RETRY_MS,
    sync: (key) => {
      const [namespace = '', name = ''] = key.split('/')
      const service = world.store.get(SERVICES, { namespace, name }) as ServiceObject | undefined
      if (service !== undefined && !isGoing(service)) return sync(world, service, slices.of(key))
      for (const old of slices.of(key)) deleteObject(world, { resource: ENDPOINT_SLICES, old, options: {} })
      return undefined
    },
  })
  return () => {
    end()
    services.end()
    slices.end()
  }
}

/** Its service, as `namespace/name`. */
function sliceGroups({ metadata }: ApiObject): readonly string[] {
  const service = metadata.labels?.[SERVICE_NAME]
  return service === undefined ? [] : [`${metadata.namespace ?? ''}/${service}`]
}

/** Most changes of a pod do not change its endpoint. */
function selecting(services: readonly ServiceObject[], { type, object, previous }: Change): readonly string[] {
  if (type === 'MODIFIED' && previous !== undefined && !isOther(object as PodObject, previous as PodObject)) return []
  const states = previous === undefined ? [object] : [object, previous]
  return services
    .filter((service) => states.some(({ metadata }) => isSelected(service, metadata.labels)))
    .map(({ metadata }) => keyOf(metadata))
}

const isOther = (now: PodObject, before: PodObject): boolean =>
  now.status?.podIP !== before.status?.podIP ||
  now.status?.phase !== before.status?.phase ||
  isReady(now) !== isReady(before) ||
  isGoing(now) !== isGoing(before) ||
  now.spec.nodeName !== before.spec.nodeName ||
  !isDeepStrictEqual(now.metadata.labels, before.metadata.labels)

/** Another program writes the endpoints of a Service without a selector. */
function isSelected({ spec }: ServiceObject, labels: Readonly<Record<string, string>> = {}): boolean {
  const pairs = Object.entries(spec.selector ?? {})
  return pairs.length > 0 && pairs.every(([key, value]) => labels[key] === value)
}

function sync(world: World, service: ServiceObject, slices: readonly ApiObject[]): 'failed' | undefined {
  const { namespace = '' } = service.metadata
  const { selector = {} } = service.spec
  if (Object.keys(selector).length === 0) return undefined
  const pods = podIndexOf(world).matching(namespace, { matchLabels: selector })
  const ports = slicePorts(service, pods)
  const written = familiesOf(service).flatMap((addressType) => {
    const endpoints = pods
      .flatMap((pod) => endpointOf(service, pod, addressType) ?? [])
      .toSorted((a, b) => (a.targetRef.name < b.targetRef.name ? -1 : 1))
    const own = slices.filter((slice) => slice.addressType === addressType)
    return slicePartsOf(endpoints, own).map((part, at) => write(world, service, { ...part, addressType, ports, at }))
  })
  return written.every(Boolean) ? undefined : 'failed'
}

interface WrittenPart extends SlicePart {
  readonly addressType: Family
  readonly ports: readonly SlicePort[]
  readonly at: number
}

/** Returns whether it was accepted. An empty slice is deleted, except for the first. */
function write(
  world: World,
  service: ServiceObject,
  { slice, endpoints, addressType, ports, at }: WrittenPart,
): boolean {
  if (slice === undefined) return make(world, service, { addressType, endpoints, ports })
  if (endpoints.length === 0 && at > 0) deleteObject(world, { resource: ENDPOINT_SLICES, old: slice, options: {} })
  else {
    const body = { ...slice, endpoints, ports }
    if (!isDeepStrictEqual(body, slice))
      replaceObject(world, { resource: ENDPOINT_SLICES, old: slice, body, statusOnly: false })
  }
  return true
}

function make(world: World, service: ServiceObject, content: object): boolean {
  const { name, namespace = '', labels } = service.metadata
  const headless = service.spec.clusterIP === 'None' ? { 'service.kubernetes.io/headless': '' } : {}
  const metadata = {
    generateName: `${name}-`,
    labels: { ...labels, ...MANAGED_BY, [SERVICE_NAME]: name, ...headless },
    ownerReferences: [controllerReference(SERVICES, service)],
  }
  const body = { metadata, ...content }
  return wasAccepted(() => createObject(world, { resource: ENDPOINT_SLICES, namespace, body }))
}
