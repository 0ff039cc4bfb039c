import type { ObjectKind } from '../../model/object-kind.ts'
import type { OwnedObject } from '../../model/owned-object.ts'
import type { MonoMs } from '../../model/time.ts'
import { WorldError } from '../../model/world-error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Objects } from '../../ports/objects.ts'
import { JoinedLists } from './joined-lists.ts'

interface UnshownParts<T> {
  readonly kind: ObjectKind<T>
  readonly clock: Pick<Clock, 'monoMs'>
}

/** By then a cache shows a new object. An object that it does not show is read again, at most so many in a pass. */
const ASKED_AGAIN_MS = 30_000
const ASKED_AT_ONCE = 10

/**
 * Objects of a kind that the cache does not show: new ones, and objects of other programs that have a name that we need. No watch tells
 * when such an object of others is deleted. Until then its name is taken, and no create is tried in vain.
 */
export class Unshown<T extends OwnedObject> {
  readonly #parts: UnshownParts<T>
  /** By namespace and name. */
  readonly #found = new Map<string, { readonly object: T; readonly since: MonoMs }>()
  readonly #joined = new JoinedLists<T>()
  /** Lists of the cache that show none of these objects. */
  #compared = new WeakSet<readonly T[]>()

  constructor(parts: UnshownParts<T>) {
    this.#parts = parts
  }

  /** The object was created, or it was found where ours was to be created. */
  note(object: T): void {
    this.#found.set(keyOf(object), { object, since: this.#parts.clock.monoMs() })
    this.#compared = new WeakSet()
  }

  clear(): void {
    this.#found.clear()
  }

  /** The objects that the cache shows, and after them the others. While neither changes, this is the same list object. */
  with(shown: readonly T[], isMeant: (object: T) => boolean): readonly T[] {
    if (this.#found.size === 0) return shown
    if (!this.#compared.has(shown)) {
      for (const object of shown) this.#found.delete(keyOf(object))
      this.#compared.add(shown)
    }
    const unshown = [...this.#found.values()].map(({ object }) => object)
    return this.#joined.of(shown, unshown.filter(isMeant))
  }

  /** Reads objects that the cache has not shown for long. Rejects with the signal's reason. */
  async findAgain(objects: Pick<Objects, 'get'>, signal: AbortSignal): Promise<void> {
    const { kind, clock } = this.#parts
    const now = clock.monoMs()
    const due = [...this.#found.values()].filter(({ since }) => now - since > ASKED_AGAIN_MS).slice(0, ASKED_AT_ONCE)
    for (const { object } of due) {
      const { namespace, name } = object
      const found = await ifAnswered(object, objects.get({ kind, namespace, name }, signal))
      if (found === undefined) this.#found.delete(keyOf(object))
      else this.note(found)
    }
  }
}

/** Returns the known object if its version is still the same, and if it cannot be read now. */
async function ifAnswered<T extends OwnedObject>(known: T, asked: Promise<T | undefined>): Promise<T | undefined> {
  try {
    const found = await asked
    return found?.resourceVersion === known.resourceVersion ? known : found
  } catch (error) {
    if (error instanceof WorldError) return known
    throw error
  }
}

const keyOf = ({ namespace, name }: OwnedObject): string => `${namespace}/${name}`
