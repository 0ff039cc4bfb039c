import type { OwnedEffects } from '../../ground/loop/owned/owned-effects.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { RollAction } from '../decide/action.ts'
import { wantedFile, wantedJob } from '../decide/wanted-objects.ts'
import { ROLL_JOBS } from '../model/roll-job.ts'
import { ROLLS } from '../model/roll-kind.ts'
import { BEGUN_ANNOTATION, ROLL_FINALIZER, type RollObject } from '../model/roll-object.ts'
import { ROLL_FILES } from './roll-caches.ts'

interface EffectsParts {
  readonly objects: Objects
  readonly owned: OwnedEffects
  /** The `spec` of Jobs as the administrator wrote it. */
  readonly template: Readonly<Record<string, unknown>>
}

interface Of {
  readonly roll: RollObject
  /** The text of its roll file. */
  readonly file: string
}

/** Performs one action. */
export class RollEffects {
  readonly #parts: EffectsParts

  constructor(parts: EffectsParts) {
    this.#parts = parts
  }

  /** Rejects with WorldError, and with the signal's reason. */
  async perform(action: RollAction, { roll, file }: Of, signal: AbortSignal): Promise<void> {
    switch (action.kind) {
      case 'mark': {
        const finalizers = [...new Set([...roll.finalizers, ROLL_FINALIZER])]
        return this.#patch(roll, { finalizers, annotations: { [BEGUN_ANNOTATION]: roll.uid } }, signal)
      }
      case 'release':
        return this.#patch(roll, { finalizers: roll.finalizers.filter((name) => name !== ROLL_FINALIZER) }, signal)
      case 'createFile':
        return this.#create(ROLL_FILES, { roll, wanted: wantedFile(roll, file) }, signal)
      case 'createJob':
        return this.#create(ROLL_JOBS, { roll, wanted: wantedJob(roll, action, this.#parts.template) }, signal)
      case 'continueJob':
      case 'suspendJob': {
        const { job, kind } = action
        const suspend = kind === 'suspendJob'
        const patch = { metadata: { resourceVersion: job.resourceVersion }, spec: { suspend } }
        return this.#parts.owned.patch(ROLL_JOBS, { found: job, patch }, signal)
      }
    }
  }

  async #patch(roll: RollObject, metadata: object, signal: AbortSignal): Promise<void> {
    const { namespace, name, resourceVersion } = roll
    const patch = { metadata: { resourceVersion, ...metadata } }
    await this.#parts.objects.patch({ kind: ROLLS, namespace, name, patch }, signal)
  }

  async #create<T extends OwnedObject>(
    kind: ObjectKind<T>,
    { roll, wanted }: { readonly roll: RollObject; readonly wanted: WantedObject },
    signal: AbortSignal,
  ): Promise<void> {
    const found = await this.#parts.owned.create({ kind, namespace: roll.namespace }, wanted, signal)
    if (found === undefined || found.controller?.uid === roll.uid) return
    throw new WorldError(`${kind.kind} ${found.name} is there and does not belong to this Roll: remove or rename it`, {
      code: 'NAME_TAKEN',
      retry: 'backoff',
    })
  }
}
