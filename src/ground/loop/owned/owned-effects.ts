import type { ObjectKind } from '../../model/object-kind.ts'
import type { WantedObject } from '../../model/owned/wanted-object.ts'
import type { OwnedObject } from '../../model/owned-object.ts'
import type { ObjectAddress, Objects } from '../../ports/objects.ts'
import type { Latest } from './latest.ts'
import { unlessThere } from './unless-there.ts'

interface EffectsParts {
  readonly objects: Pick<Objects, 'get' | 'create' | 'patch' | 'delete'>
  readonly latest: Latest
}

interface Patching<T> {
  /** The object that the patch was decided by. */
  readonly found: T
  /** Undefined: the object is as wanted already. */
  readonly patch: Readonly<Record<string, unknown>> | undefined
}

interface Adopting<T> extends Patching<T> {
  readonly owner: ObjectAddress<{ readonly uid: string; readonly deleting: boolean }> & { readonly uid: string }
}

type Deletable = Pick<OwnedObject, 'namespace' | 'name' | 'uid' | 'resourceVersion' | 'deleting'>

/** Writes to objects of ours, for the version that was read. They reject with WorldError, and with the signal's reason. */
export class OwnedEffects {
  readonly #parts: EffectsParts

  constructor(parts: EffectsParts) {
    this.#parts = parts
  }

  /** The new object, or the one of that name that exists already, perhaps of another owner. Undefined: that one is gone again. */
  async create<T>(
    { kind, namespace }: { readonly kind: ObjectKind<T>; readonly namespace: string },
    wanted: WantedObject,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const { objects } = this.#parts
    const made = await unlessThere(objects.create({ kind, namespace, object: wanted }, signal))
    return made ?? (await objects.get({ kind, namespace, name: wanted.metadata.name }, signal))
  }

  async patch<T extends OwnedObject>(
    kind: ObjectKind<T>,
    { found, patch }: Patching<T>,
    signal: AbortSignal,
  ): Promise<void> {
    if (patch === undefined) return
    const { objects, latest } = this.#parts
    const { namespace, name } = found
    latest.wrote(found, await objects.patch({ kind, namespace, name, patch }, signal))
  }

  /**
   * Makes `owner` the owner of an object whose owner is gone. Reads `owner` once more before, since a successor of the same name owns
   * nothing. The patch names the version of the object, so an object that others took meanwhile stays theirs.
   */
  async adopt<T extends OwnedObject>(
    kind: ObjectKind<T>,
    { owner, ...change }: Adopting<T>,
    signal: AbortSignal,
  ): Promise<void> {
    const now = await this.#parts.objects.get(owner, signal)
    if (now?.uid === owner.uid && !now.deleting) await this.patch(kind, change, signal)
  }

  /** Deletes no object that is being deleted: a finalizer of another program may keep it, and a cache may show it as it was before. */
  async delete<T extends Deletable>(kind: ObjectKind<T>, found: T, signal: AbortSignal): Promise<void> {
    const { objects, latest } = this.#parts
    if (latest.of(found).deleting) return
    const { namespace, name, uid, resourceVersion } = found
    await objects.delete({ kind, namespace, name, uid, resourceVersion }, signal)
    latest.wrote(found, { ...found, deleting: true })
  }
}
