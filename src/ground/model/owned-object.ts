import { parseMetadata } from './parse-metadata.ts'
import type { PodOwner } from './pod.ts'
import { present } from './present.ts'
import type { Untrusted } from './untrusted.ts'

/** An object that a controller made, or found where it makes its own. */
export interface OwnedObject {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  /** It has a deletion timestamp. */
  readonly deleting: boolean
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** metadata.ownerReferences, as they came. */
  readonly owners: readonly Readonly<Record<string, unknown>>[]
  readonly controller?: PodOwner
  /** What is neither metadata nor status, as it came: `spec`; of a ControllerRevision `data` and `revision`. */
  readonly content: Readonly<Record<string, unknown>>
}

const NOT_CONTENT: readonly string[] = ['apiVersion', 'kind', 'metadata', 'status']

export function parseOwnedObject(object: Untrusted): OwnedObject {
  const { namespace, name, uid, resourceVersion, labels, annotations, controller } = parseMetadata(object, 'namespaced')
  const metadata = object.at('metadata')
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    deleting: metadata.at('deletionTimestamp').optionalText() !== undefined,
    labels,
    annotations,
    owners: metadata
      .at('ownerReferences')
      .each()
      .map((reference) => reference.fields()),
    ...present({ controller }),
    content: Object.fromEntries(Object.entries(object.fields()).filter(([key]) => !NOT_CONTENT.includes(key))),
  }
}
