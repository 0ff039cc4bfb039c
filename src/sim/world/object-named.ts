import { present } from '../../ground/model/present.ts'
import { notFound } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import type { RequestTarget } from './request-target.ts'
import type { World } from './world.ts'

/** A target that names an object. */
export interface NamedTarget extends RequestTarget {
  readonly name: string
}

/** Throws ApiFailure 404. */
export function objectNamed(world: World, { resource, namespace, name }: NamedTarget): ApiObject {
  const object = world.store.get(resource, { name, ...present({ namespace }) })
  if (object === undefined) throw notFound(resource, name)
  return object
}
