import { present } from '../../ground/model/present.ts'
import { ApiFailure } from '../world/api-failure.ts'
import type { ApiObject, OwnerReference } from '../world/api-object.ts'
import { type ApiResource, apiVersionOf, PODS } from '../world/api-resource.ts'
import { createObject } from '../world/create-object.ts'
import type { Change } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { podIndexOf } from './pod-index.ts'
import { controllerOf, isFinished, type PodObject } from './pod-object.ts'

export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: PodObject['spec']
}

/** Pods that a controller made and that have not finished, also those that are being deleted. */
export const ownedPods = (world: World, { metadata }: ApiObject): readonly PodObject[] =>
  podIndexOf(world)
    .ofController(metadata.uid)
    .filter((pod) => !isFinished(pod))

/** The reference of an object to its controller. */
export const controllerReference = (resource: ApiResource, { metadata }: ApiObject): OwnerReference => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})

interface NewPod {
  readonly resource: ApiResource
  readonly owner: ApiObject
  readonly template: PodTemplate
  /** Instead of a name that is made up. */
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly spec?: Partial<PodObject['spec']>
  readonly finalizers?: readonly string[]
}

/** Creates a pod from a template, owned by its controller. False: the API refused it, as in a namespace that is gone. */
export const createOwnedPod = (world: World, pod: NewPod): boolean => refusalOfPod(world, pod) === undefined

/** The same, with the answer of the API where it refused the pod. */
export function refusalOfPod(
  world: World,
  { resource, owner, template, name, labels, spec, finalizers }: NewPod,
): string | undefined {
  const { metadata } = owner
  const naming = { generateName: `${metadata.name}-`, ...present({ name }) }
  return refusalOf(() =>
    createObject(world, {
      resource: PODS,
      namespace: metadata.namespace ?? 'default',
      body: {
        metadata: {
          ...template.metadata,
          labels: { ...template.metadata?.labels, ...labels },
          ...naming,
          ...present({ finalizers }),
          ownerReferences: [controllerReference(resource, owner)],
        },
        spec: { ...template.spec, ...spec },
      },
    }),
  )
}

/** A refusal of the API is an answer: its controller goes on, and tries again later. */
export const wasAccepted = (write: () => unknown): boolean => refusalOf(write) === undefined

function refusalOf(write: () => unknown): string | undefined {
  try {
    write()
    return undefined
  } catch (error) {
    if (error instanceof ApiFailure) return error.message
    throw error
  }
}

/** The controllers of a kind that a change of a pod concerns: `namespace/name`, also of the one that it left. */
export function ownerKeys(kind: string, { object, previous }: Pick<Change, 'object' | 'previous'>): readonly string[] {
  const keys = [object, previous].flatMap((each) => {
    const owner = each === undefined ? undefined : controllerOf(each)
    return owner?.kind === kind ? [`${object.metadata.namespace ?? ''}/${owner.name}`] : []
  })
  return keys[0] === keys[1] ? keys.slice(0, 1) : keys
}
