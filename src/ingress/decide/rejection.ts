import { jsonObject } from '../../ground/model/json-object.ts'
import { present } from '../../ground/model/present.ts'
import { toIso, type WallMs, wallMs } from '../../ground/model/time.ts'
import { parseTimestamp } from '../../service/model/detacher.ts'
import { SKEW_MS } from './detached.ts'
import { type IngressDeployment, REJECTED_ANNOTATION } from './snapshot.ts'

/** The pods of a Deployment failed repeatedly, such as pods that the kubelet rejects. */
export interface Rejection {
  readonly revision: string
  /** How often in a row. 0: never; then failures before `triedAt` do not count. */
  readonly count: number
  /** The last failure. */
  readonly at: WallMs
  /** When the pods were created again. */
  readonly triedAt?: WallMs
}

const FIRST_TRY_MS = 600_000
const LATEST_TRY_MS = 3_600_000
const COUNT_MAX = 1_000

/**
 * Parses the note on the Deployment. A revision alone, as earlier releases and `evenkeel rollout retry` write it, means: try again now. Any
 * other text counts as a note of an unknown revision.
 */
export function parseRejection(text: string): Rejection {
  const raw = jsonObject(text)
  if (raw === undefined) return { revision: text, count: 1, at: wallMs(0) }
  const { revision, count, at, triedAt } = raw
  const tried = timeIn(triedAt)
  return {
    revision: typeof revision === 'string' ? revision : '',
    count: typeof count === 'number' && Number.isInteger(count) && count >= 0 ? Math.min(count, COUNT_MAX) : 1,
    at: timeIn(at) ?? wallMs(0),
    ...present({ triedAt: tried }),
  }
}

function timeIn(value: unknown): WallMs | undefined {
  const word = parseTimestamp(typeof value === 'string' ? value : undefined)
  return word.kind === 'at' ? word.at : undefined
}

export const formatRejection = ({ revision, count, at, triedAt }: Rejection): string =>
  JSON.stringify({
    ...{ version: 1, revision, count, at: toIso(at) },
    ...(triedAt === undefined ? {} : { triedAt: toIso(triedAt) }),
  })

/** The rejection of the Deployment's current revision. */
export function rejectionOf({
  annotations,
  revision,
}: Pick<IngressDeployment, 'annotations' | 'revision'>): Rejection | undefined {
  const text = annotations[REJECTED_ANNOTATION]
  const found = text === undefined ? undefined : parseRejection(text)
  return found?.revision === revision ? found : undefined
}

/** Ten minutes after the first failure, then twice as long each time, at most an hour. A time in the future does not count. */
export function nextTryAt({ count, at }: Rejection, now: WallMs): number {
  return at > now + SKEW_MS ? now : at + Math.min(FIRST_TRY_MS * 2 ** (count - 1), LATEST_TRY_MS)
}
