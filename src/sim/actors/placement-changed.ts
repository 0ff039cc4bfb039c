import { isDeepStrictEqual } from 'node:util'
import type { Change } from '../world/store.ts'
import type { NodeObject } from './node-object.ts'

/** A node came, went, or takes other pods than before: heartbeats, by far the most of a node's changes, alter nothing. */
export function placementChanged({ type, object, previous }: Change): boolean {
  if (type !== 'MODIFIED' || previous === undefined) return true
  const [now, before] = [object as NodeObject, previous as NodeObject]
  return differs(now.metadata.labels, before.metadata.labels) || differs(now.spec, before.spec)
}

/** What a write has left alone is the same object, as a rule. */
const differs = (a: unknown, b: unknown): boolean => a !== b && !isDeepStrictEqual(a, b)
