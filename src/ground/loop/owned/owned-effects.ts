import type { ObjectKind } from '../../model/object-kind.ts'
import type { WantedObject } from '../../model/owned/wanted-object.ts'
import type { OwnedObject } from '../../model/owned-object.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Latest } from './latest.ts'
import { unlessThere } from './unless-there.ts'

interface EffectsParts {
  readonly objects: Pick<Objects, 'get' | 'create' | 'patch' | 'delete'>
  readonly latest: Latest
}

/** Writes to objects that we own, each under the version that it was decided by. They reject with WorldError, and with the signal's reason. */
export class OwnedEffects {
  readonly #parts: EffectsParts

  constructor(parts: EffectsParts) {
    this.#parts = parts
  }

  /** The object of that name: the one that was made, or the one that is there already, also of another owner. Undefined: it is gone again. */
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
    { found, patch }: { readonly found: T; readonly patch: Readonly<Record<string, unknown>> | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    if (patch === undefined) return
    const { objects, latest } = this.#parts
    const { namespace, name } = found
    latest.wrote(found, await objects.patch({ kind, namespace, name, patch }, signal))
  }

  /** What is being deleted may be kept by a finalizer of another program, and is not deleted again. */
  async delete<T>(
    kind: ObjectKind<T>,
    found: Pick<OwnedObject, 'namespace' | 'name' | 'uid' | 'resourceVersion'> & { readonly deleting?: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    if (found.deleting === true) return
    const { namespace, name, uid, resourceVersion } = found
    await this.#parts.objects.delete({ kind, namespace, name, uid, resourceVersion }, signal)
  }
}
