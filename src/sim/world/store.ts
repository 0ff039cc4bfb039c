import { present } from '../../ground/model/present.ts'
import type { ApiObject, ObjectMeta } from './api-object.ts'
import type { ApiResource } from './api-resource.ts'

type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** One committed write. `object` of a deletion is the last state, with the version of the deletion. */
export interface Change {
  readonly revision: number
  readonly type: ChangeType
  readonly resource: ApiResource
  readonly object: ApiObject
  readonly previous?: ApiObject
}

type ChangeSink = (change: Change) => void

/** What is replaced or removed is named by namespace and name. */
export type ObjectKey = Pick<ObjectMeta, 'name' | 'namespace'>

const NONE: ReadonlyMap<string, ApiObject> = new Map()

/** etcd's order: by namespace, then by name. A slash sorts before every character of a name but `-` and `.`. */
export const keyOf = ({ namespace, name }: ObjectKey): string =>
  namespace === undefined ? name : `${namespace}/${name}`

/**
 * All objects and the log of their changes, with one counter of revisions, as in etcd. Sinks get changes in the order of their
 * commits, also those that a sink causes.
 */
export class Store {
  #revision: number
  readonly #tables = new Map<ApiResource, Map<string, ApiObject>>()
  /** Per kind, the oldest first. */
  readonly #logs = new Map<ApiResource, Change[]>()
  /** Changes up to this revision are forgotten. */
  #compactedTo: number
  readonly #sinks = new Map<ApiResource, Set<ChangeSink>>()
  readonly #undelivered: Change[] = []
  #delivering = false

  constructor(revision = 1) {
    this.#revision = revision
    this.#compactedTo = revision
  }

  get revision(): number {
    return this.#revision
  }

  get compactedTo(): number {
    return this.#compactedTo
  }

  get(resource: ApiResource, key: ObjectKey): ApiObject | undefined {
    return this.#tables.get(resource)?.get(keyOf(key))
  }

  /** In no order. */
  all(resource: ApiResource): Iterable<ApiObject> {
    return (this.#tables.get(resource) ?? NONE).values()
  }

  /** Replaces or adds; the stored object, which carries its new version. */
  put(resource: ApiResource, object: ApiObject): ApiObject {
    const table = this.#tableOf(resource)
    const key = keyOf(object.metadata)
    const previous = table.get(key)
    const stored = this.#stamped(object)
    table.set(key, stored)
    const type = previous === undefined ? 'ADDED' : 'MODIFIED'
    this.#commit({ type, resource, object: stored, ...present({ previous }) })
    return stored
  }

  /** The last state; undefined where there was none. */
  remove(resource: ApiResource, key: ObjectKey): ApiObject | undefined {
    const table = this.#tableOf(resource)
    const previous = table.get(keyOf(key))
    if (previous === undefined) return undefined
    table.delete(keyOf(key))
    const object = this.#stamped(previous)
    this.#commit({ type: 'DELETED', resource, object, previous })
    return object
  }

  /** Of one kind, oldest first; undefined where the log begins later. */
  changesAfter(resource: ApiResource, revision: number): readonly Change[] | undefined {
    if (revision < this.#compactedTo) return undefined
    const log = this.#logs.get(resource) ?? []
    return log.slice(firstAfter(log, revision))
  }

  /** Forgets how it came to be, up to a revision: a client that asks from before it is told to begin anew. */
  compact(revision: number): void {
    if (revision <= this.#compactedTo) return
    this.#compactedTo = Math.min(revision, this.#revision)
    for (const log of this.#logs.values()) log.splice(0, firstAfter(log, this.#compactedTo))
  }

  /** From now on. The returned function ends it. */
  subscribe(resource: ApiResource, sink: ChangeSink): () => void {
    const sinks = this.#sinks.get(resource) ?? new Set()
    this.#sinks.set(resource, sinks.add(sink))
    return () => sinks.delete(sink)
  }

  #tableOf(resource: ApiResource): Map<string, ApiObject> {
    const table = this.#tables.get(resource) ?? new Map<string, ApiObject>()
    this.#tables.set(resource, table)
    return table
  }

  #stamped(object: ApiObject): ApiObject {
    this.#revision += 1
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } }
  }

  #commit(change: Omit<Change, 'revision'>): void {
    const committed = { ...change, revision: this.#revision }
    const log = this.#logs.get(change.resource) ?? []
    this.#logs.set(change.resource, log)
    log.push(committed)
    this.#undelivered.push(committed)
    if (!this.#delivering) this.#deliver()
  }

  #deliver(): void {
    this.#delivering = true
    try {
      for (let change = this.#undelivered.shift(); change !== undefined; change = this.#undelivered.shift()) {
        for (const sink of this.#sinks.get(change.resource) ?? []) sink(change)
      }
    } finally {
      this.#delivering = false
    }
  }
}

/** Index of the first change after a revision: the log is in order. */
function firstAfter(log: readonly Change[], revision: number): number {
  let [low, high] = [0, log.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const change = log[middle]
    if (change === undefined || change.revision > revision) high = middle
    else low = middle + 1
  }
  return low
}
