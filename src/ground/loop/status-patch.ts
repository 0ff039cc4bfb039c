import { isDeepStrictEqual } from 'node:util'
import { type Condition, nextCondition } from '../model/condition.ts'
import { isJsonObject } from '../model/json-object.ts'
import type { StatusBearer, WantedStatus } from '../model/object-status.ts'
import { present } from '../model/present.ts'
import { toIsoSeconds, type WallMs } from '../model/time.ts'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * The merge patch from the present status to the wanted one, for the version that was read; undefined where they are equal.
 *
 * Law: a status that says so already is not written.
 */
export function statusPatch(
  { resourceVersion, generation, status }: StatusBearer,
  wanted: WantedStatus,
  at: WallMs,
): JsonObject | undefined {
  const conditions = nextConditions(status.conditions, wanted.conditions, {
    at: toIsoSeconds(at),
    ...present({ generation }),
  })
  const patch = {
    ...mergePatch(status.fields, asJson(wanted.fields)),
    ...(generation === status.observedGeneration || generation === undefined ? {} : { observedGeneration: generation }),
    ...present({ conditions }),
  }
  return Object.keys(patch).length === 0 ? undefined : { metadata: { resourceVersion }, status: patch }
}

/** As the API will return it: without undefined fields. */
const asJson = (fields: JsonObject): JsonObject => JSON.parse(JSON.stringify(fields)) as JsonObject

/** The whole list, since a merge patch cannot change a part of one; undefined where nothing differs. */
function nextConditions(
  found: readonly Condition[],
  wanted: WantedStatus['conditions'],
  when: Parameters<typeof nextCondition>[2],
): readonly Condition[] | undefined {
  const changed = wanted.flatMap((words) => {
    const next = nextCondition(
      found.find(({ type }) => type === words.type),
      words,
      when,
    )
    return next === undefined ? [] : [next]
  })
  if (changed.length === 0) return undefined
  const byType = new Map([...found, ...changed].map((condition) => [condition.type, condition]))
  return [...byType.values()]
}

/** RFC 7396: the patch that turns `before` into `after`. */
function mergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return Object.fromEntries([...names].flatMap((name) => patchOf(name, before[name], after[name])))
}

function patchOf(name: string, before: unknown, after: unknown): readonly (readonly [string, unknown])[] {
  if (isDeepStrictEqual(before, after)) return []
  if (after === undefined) return [[name, null]]
  if (!isJsonObject(before) || !isJsonObject(after)) return [[name, after]]
  const inner = mergePatch(before, after)
  return Object.keys(inner).length === 0 ? [] : [[name, inner]]
}
