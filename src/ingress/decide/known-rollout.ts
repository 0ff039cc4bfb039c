import { isJsonObject } from '../../ground/model/json-object.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { parseTimestamp } from '../../service/model/detacher.ts'

/** The rollout that a status tells of: to which revision, and since when. */
export interface KnownRollout {
  readonly revision: string
  readonly startedAt: WallMs
}

/** Undefined: it tells of none, or nothing that can be read. */
export function knownRollout({ updateRevision, rollout }: Readonly<Record<string, unknown>>): KnownRollout | undefined {
  const text = isJsonObject(rollout) ? rollout.startedAt : undefined
  const at = parseTimestamp(typeof text === 'string' ? text : undefined)
  return at.kind === 'at' && typeof updateRevision === 'string'
    ? { revision: updateRevision, startedAt: at.at }
    : undefined
}
