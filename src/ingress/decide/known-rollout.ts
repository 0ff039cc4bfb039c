import { isJsonObject } from '../../ground/model/json-object.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { parseTimestamp } from '../../service/model/detacher.ts'

/** The rollout in the status: its revision, and when it began. */
export interface KnownRollout {
  readonly revision: string
  readonly startedAt: WallMs
}

/** Undefined: the status has none, or none that can be read. */
export function knownRollout({ updateRevision, rollout }: Readonly<Record<string, unknown>>): KnownRollout | undefined {
  const text = isJsonObject(rollout) ? rollout.startedAt : undefined
  const at = parseTimestamp(typeof text === 'string' ? text : undefined)
  return at.kind === 'at' && typeof updateRevision === 'string'
    ? { revision: updateRevision, startedAt: at.at }
    : undefined
}
