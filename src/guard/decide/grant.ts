import { GRANT_ANNOTATION } from '../../ground/model/guard-keys.ts'
import { isJsonObject, jsonObject } from '../../ground/model/json-object.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { present } from '../../ground/model/present.ts'
import { toIso, type WallMs, wallMs } from '../../ground/model/time.ts'
import type { FoundGate, Grant } from './snapshot.ts'

/** The value of the annotation on an open budget. */
export const formatGrant = ({ node, at }: Grant): string => JSON.stringify({ node, at: toIso(at) })

function parseGrant(text: string | undefined): Grant | undefined {
  const { node, at } = text === undefined ? {} : (jsonObject(text) ?? {})
  if (typeof node !== 'string' || typeof at !== 'string' || Number.isNaN(Date.parse(at))) return undefined
  return { node, at: wallMs(Date.parse(at)) }
}

const FOUND = new WeakMap<OwnedObject, FoundGate>()

/** A budget that is not closed exactly as we close it counts as open: another program may have written to it. */
export function foundGate(object: OwnedObject): FoundGate {
  const found = FOUND.get(object) ?? newlyFound(object)
  FOUND.set(object, found)
  return found
}

function newlyFound(object: OwnedObject): FoundGate {
  const grant = parseGrant(object.annotations[GRANT_ANNOTATION])
  return { object, isOpen: !isClosed(object), ...present({ grant }) }
}

function isClosed({ content: { spec } }: OwnedObject): boolean {
  const { minAvailable, maxUnavailable } = isJsonObject(spec) ? spec : {}
  return minAvailable === undefined ? maxUnavailable === 0 : minAvailable === 1 && maxUnavailable === undefined
}

/** A grant from a clock that is ahead of ours counts as begun now. */
export const grantedForMs = ({ at }: Grant, now: WallMs): number => Math.max(0, now - at)
