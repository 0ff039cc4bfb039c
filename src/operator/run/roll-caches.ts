import type { FollowCache } from '../../ground/loop/follow-cache.ts'
import { FollowCaches } from '../../ground/loop/follow-caches.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { type OwnedObject, parseOwnedObject } from '../../ground/model/owned-object.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import { ROLL_JOBS, ROLL_UID_LABEL, type RollJob } from '../model/roll-job.ts'
import { ROLLS } from '../model/roll-kind.ts'
import type { RollObject } from '../model/roll-object.ts'

/** The ConfigMaps with the files of Rolls. */
export const ROLL_FILES: ObjectKind<OwnedObject> = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
  parse: parseOwnedObject,
}

interface CachesParts {
  readonly objects: Pick<Objects, 'follow'>
  readonly clock: Clock
  /** The one namespace of Rolls. */
  readonly namespace: string
  readonly onChange: () => void
}

/** The caches of the loop of Rolls. */
export class RollCaches extends FollowCaches {
  readonly rolls: FollowCache<RollObject>
  readonly #jobs: FollowCache<RollJob>
  readonly #files: FollowCache<OwnedObject>

  constructor({ namespace, onChange, ...parts }: CachesParts) {
    super(parts)
    const owned = { namespace, labelSelector: ROLL_UID_LABEL }
    this.rolls = this.objectsOf({ kind: ROLLS, namespace }, { onKey: onChange })
    this.#jobs = this.objectsOf({ kind: ROLL_JOBS, ...owned }, { onKey: onChange })
    this.#files = this.objectsOf({ kind: ROLL_FILES, ...owned }, { onKey: onChange })
  }

  /** In the order in which they were made. */
  jobsOf(roll: RollObject): readonly RollJob[] {
    return this.#jobs
      .objects()
      .filter(({ controller }) => controller?.uid === roll.uid)
      .toSorted((one, other) => one.attempt - other.attempt)
  }

  fileOf(name: string, roll: RollObject): OwnedObject | undefined {
    const found = this.#files.get(`${roll.namespace}/${name}`)
    return found?.controller?.uid === roll.uid ? found : undefined
  }
}
