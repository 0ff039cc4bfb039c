import { present } from '../../ground/model/present.ts'
import { STATEFUL_SETS, VOLUME_CLAIMS } from '../world/api-resource.ts'
import { createObject } from '../world/create-object.ts'
import type { World } from '../world/world.ts'
import { createOwnedPod, wasAccepted } from './owned-pods.ts'
import type { PodObject } from './pod-object.ts'
import { REVISION_LABEL, type RevisionObject } from './stateful-revisions.ts'
import type { StatefulSetObject } from './stateful-set-object.ts'

const nameOf = ({ metadata }: StatefulSetObject, ordinal: number): string => `${metadata.name}-${ordinal}`

/** The ordinal of a pod of the set, by its name; undefined: the name has another form. */
export function ordinalOf({ metadata }: StatefulSetObject, pod: PodObject): number | undefined {
  const { name } = pod.metadata
  const digits = name.startsWith(`${metadata.name}-`) ? name.slice(metadata.name.length + 1) : ''
  return /^\d+$/.test(digits) ? Number(digits) : undefined
}

interface StatefulPod {
  readonly ordinal: number
  readonly revision: RevisionObject
}

/** The pod of an ordinal, with its claims before it. False: the API refused it (stateful_set_utils.go, newStatefulSetPod). */
export function createStatefulPod(world: World, set: StatefulSetObject, { ordinal, revision }: StatefulPod): boolean {
  const name = nameOf(set, ordinal)
  const { serviceName } = set.spec
  const { template } = revision.data.spec
  if (!createClaims(world, set, ordinal)) return false
  const claimed = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => ({
    name: metadata.name,
    persistentVolumeClaim: { claimName: `${metadata.name}-${name}` },
  }))
  const own = (template.spec.volumes ?? []).filter((volume) => claimed.every((other) => other.name !== volume.name))
  return createOwnedPod(world, {
    resource: STATEFUL_SETS,
    owner: set,
    template,
    name,
    labels: {
      [REVISION_LABEL]: revision.metadata.name,
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
    },
    spec: {
      hostname: name,
      ...present({ subdomain: serviceName }),
      ...(claimed.length + own.length === 0 ? {} : { volumes: [...claimed, ...own] }),
    },
  })
}

/** They outlive the pods, and the set. */
function createClaims(world: World, set: StatefulSetObject, ordinal: number): boolean {
  const { namespace = 'default' } = set.metadata
  return (set.spec.volumeClaimTemplates ?? []).every(({ metadata, spec }) => {
    const name = `${metadata.name}-${nameOf(set, ordinal)}`
    if (world.store.get(VOLUME_CLAIMS, { namespace, name }) !== undefined) return true
    const labels = { ...metadata.labels, ...set.spec.selector?.matchLabels }
    const body = { metadata: { ...metadata, name, labels }, spec }
    return wasAccepted(() => createObject(world, { resource: VOLUME_CLAIMS, namespace, body }))
  })
}
