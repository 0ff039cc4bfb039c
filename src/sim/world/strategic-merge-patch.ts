import { isMap } from './merge-patch.ts'

/** What tells one entry of a list from another, as the API's types say (`patchMergeKey`); other lists are replaced whole. */
const MERGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  volumeMounts: ['mountPath'],
  ports: ['containerPort', 'port'],
  conditions: ['type'],
  addresses: ['type'],
  ownerReferences: ['uid'],
  imagePullSecrets: ['name'],
  topologySpreadConstraints: ['topologyKey'],
}
/** Lists of plain values that are merged as sets. */
const SETS = ['finalizers', 'podCIDRs']

const KEEP = '$retainKeys'
const DIRECTIVE = '$patch'
const REMOVED_VALUES = '$deleteFromPrimitiveList/'
const ORDER = '$setElementOrder/'

type JsonMap = Readonly<Record<string, unknown>>

/** Kubernetes' own patch: maps as in RFC 7386, lists by the key of their entries (strategic-merge-patch.md). */
export function strategicMergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch
  const own = isMap(target) ? target : {}
  if (patch[DIRECTIVE] === 'replace') return without(patch, [DIRECTIVE])
  const merged: Record<string, unknown> = retained(own, patch[KEEP])
  for (const [name, value] of Object.entries(patch)) {
    if (name === KEEP || name === DIRECTIVE || name.startsWith(ORDER)) continue
    if (name.startsWith(REMOVED_VALUES)) {
      const list = name.slice(REMOVED_VALUES.length)
      if (Array.isArray(merged[list]) && Array.isArray(value)) {
        merged[list] = merged[list].filter((entry) => !value.includes(entry))
      }
    } else if (value === null) delete merged[name]
    else merged[name] = mergedField(name, merged[name], value)
  }
  return merged
}

function retained(own: JsonMap, keys: unknown): Record<string, unknown> {
  if (!Array.isArray(keys)) return { ...own }
  return Object.fromEntries(Object.entries(own).filter(([name]) => keys.includes(name)))
}

const without = (map: JsonMap, names: readonly string[]): JsonMap =>
  Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)))

function mergedField(name: string, own: unknown, value: unknown): unknown {
  if (!Array.isArray(value)) return strategicMergePatch(own, value)
  const list: readonly unknown[] = Array.isArray(own) ? own : []
  if (SETS.includes(name)) return mergedSet(list, value)
  const keys = MERGE_KEYS[name]
  return keys === undefined || !value.every(isMap) ? value : mergedList(list.filter(isMap), value, keys)
}

/** In the order of the patch; what was before an entry of it stays before that entry (mergeSortedSlice). */
function mergedSet(own: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
  const left = own.filter((entry) => !patch.includes(entry))
  const merged = [...new Set(patch)].flatMap((entry) => {
    const before = left.filter((other) => own.indexOf(other) < own.indexOf(entry))
    left.splice(0, before.length)
    return [...before, entry]
  })
  return [...merged, ...left]
}

function mergedList(own: readonly JsonMap[], patch: readonly JsonMap[], keys: readonly string[]): readonly unknown[] {
  if (patch.some((entry) => entry[DIRECTIVE] === 'replace' && Object.keys(entry).length === 1)) {
    return patch.filter((entry) => entry[DIRECTIVE] !== 'replace')
  }
  const key = keys.find((name) => patch.some((entry) => entry[name] !== undefined)) ?? keys[0] ?? ''
  let list: readonly JsonMap[] = own
  for (const entry of patch) {
    const isSame = (other: JsonMap): boolean => other[key] === entry[key]
    if (entry[DIRECTIVE] === 'delete') list = list.filter((other) => !isSame(other))
    else if (list.some(isSame)) {
      list = list.map((other) => (isSame(other) ? (strategicMergePatch(other, entry) as JsonMap) : other))
    } else list = [...list, without(entry, [DIRECTIVE])]
  }
  return list
}
