import { isDeepStrictEqual } from 'node:util'
import type { Change } from '../world/store.ts'
import type { NodeObject } from './node-object.ts'

/**
 * A node came, was removed, or takes other pods than before: heartbeats, which are most of a node's changes, change nothing
 * here.
 */
export function placementChanged({ type, object, previous }: Change): boolean {
  if (type !== 'MODIFIED' || previous === undefined) return true
  const [now, before] = [object as NodeObject, previous as NodeObject]
  return differs(now.metadata.labels, before.metadata.labels) || differs(now.spec, before.spec)
}

/** A field that a write has not changed is usually the same object. */
const differs = (a: unknown, b: unknown): boolean => a !== b && !isDeepStrictEqual(a, b)
