import type { ObjectKind } from '../model/object-kind.ts'
import type { StatusBearer, WantedStatus } from '../model/object-status.ts'
import { present } from '../model/present.ts'
import type { Clock } from '../ports/clock.ts'
import type { Objects } from '../ports/objects.ts'
import { statusPatch } from './status-patch.ts'

interface StatusWriterParts<T> {
  readonly objects: Pick<Objects, 'patchStatus'>
  readonly kind: ObjectKind<T>
  readonly clock: Clock
}

/** Writes the status of objects of one kind where it differs, for the version that was read. */
export class StatusWriter<T extends StatusBearer> {
  readonly #parts: StatusWriterParts<T>
  /** The answer of the API to the last write of an object that a cache still shows as it was before. */
  readonly #answers = new WeakMap<T, T>()

  constructor(parts: StatusWriterParts<T>) {
    this.#parts = parts
  }

  /**
   * Returns whether something was written. `read`: the object from the cache. WorldError KUBE_CONFLICT where the object has
   * changed since: the watch will show it, and the next pass decides anew.
   */
  async write(read: T, wanted: WantedStatus, signal: AbortSignal): Promise<boolean> {
    const { objects, kind, clock } = this.#parts
    const object = this.#answers.get(read) ?? read
    const patch = statusPatch(object, wanted, clock.wallMs())
    if (patch === undefined) return false
    const { namespace, name } = object
    const at = { kind, name, ...present({ namespace }) }
    this.#answers.set(read, await objects.patchStatus({ ...at, patch }, signal))
    return true
  }
}
