import { isJsonObject } from '../../ground/model/json-object.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { parseTimestamp } from '../../service/model/detacher.ts'

/** The rollout that a status tells of: to which revision, and since when. */
export interface ToldRollout {
  readonly revision: string
  readonly startedAt: WallMs
}

/** Undefined: it tells of none, or nothing that can be read. */
export function toldRollout({ updateRevision, rollout }: Readonly<Record<string, unknown>>): ToldRollout | undefined {
  const text = isJsonObject(rollout) ? rollout.startedAt : undefined
  const at = parseTimestamp(typeof text === 'string' ? text : undefined)
  return at.kind === 'at' && typeof updateRevision === 'string'
    ? { revision: updateRevision, startedAt: at.at }
    : undefined
}
