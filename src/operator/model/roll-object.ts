import { isJsonObject } from '../../ground/model/json-object.ts'
import type { ObjectStatus } from '../../ground/model/object-status.ts'
import { parseCreatedAt, parseMetadata } from '../../ground/model/parse-metadata.ts'
import { parseObjectStatus } from '../../ground/model/parse-object-status.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'

type Json = Readonly<Record<string, unknown>>

/** What a person may change while a roll is under way. */
interface RollRequests {
  /** No further node is begun. */
  readonly paused: boolean
  /** The roll ends, and nodes that are out are put back. */
  readonly abort: boolean
}

/** The fields of a Roll that are no part of a roll file. */
const REQUEST_FIELDS = ['paused', 'approval', 'approved', 'abort'] as const

/** A Roll as the API server has it. Its file is not checked yet. */
export interface RollObject extends RollRequests {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation: number
  readonly deleting: boolean
  readonly createdAt: WallMs
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly finalizers: readonly string[]
  readonly asksApproval: boolean
  /** The `spec` of a roll file. */
  readonly file: Json
  readonly status: ObjectStatus
}

/** Keeps a deleted Roll until its nodes are put back. */
export const ROLL_FINALIZER = 'evenkeel.dev/roll'

/** On a Roll: its own UID, once its run may have begun. Another UID: this object is a copy of a Roll that was run. */
export const BEGUN_ANNOTATION = 'evenkeel.dev/roll-begun'

/** Throws MalformedReply. */
export function parseRollObject(object: Untrusted): RollObject {
  const { namespace, name, uid, resourceVersion, generation, labels, annotations } = parseMetadata(object, 'namespaced')
  const metadata = object.at('metadata')
  const spec = object.at('spec')
  return {
    ...{ namespace, name, uid, resourceVersion, labels, annotations },
    generation: generation ?? 0,
    deleting: !metadata.at('deletionTimestamp').absent,
    createdAt: parseCreatedAt(object),
    finalizers: metadata
      .at('finalizers')
      .each()
      .map((finalizer) => finalizer.text()),
    paused: spec.at('paused').flagOr(false),
    abort: spec.at('abort').flagOr(false),
    asksApproval: spec.at('approval').textOr('none') === 'perNode',
    file: rollFileOf(spec.absent ? {} : spec.fields()),
    status: parseObjectStatus(object.at('status')),
  }
}

/** The `spec` of a roll file, of the `spec` of a Roll. */
export function rollFileOf(spec: Json): Json {
  const file = Object.fromEntries(
    Object.entries(spec).filter(([name]) => !REQUEST_FIELDS.some((field) => field === name)),
  )
  return Array.isArray(file.notify) ? { ...file, notify: file.notify.map(withOn) } : file
}

/** kubectl reads YAML 1.1, where a field `on` without quotes is the word true. */
function withOn(receiver: unknown): unknown {
  if (!isJsonObject(receiver) || receiver.true === undefined || receiver.on !== undefined) return receiver
  const { true: on, ...rest } = receiver
  return { ...rest, on }
}
