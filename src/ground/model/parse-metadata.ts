import { APPS_KINDS, type PodOwner } from './pod.ts'
import { type WallMs, wallMs } from './time.ts'
import type { Untrusted } from './untrusted.ts'

interface Metadata {
  /** Empty for a kind without namespaces. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly controller: PodOwner | undefined
  /** How often the spec was changed; absent for a kind that does not count it. */
  readonly generation: number | undefined
}

/** metav1.ObjectMeta as far as it is used; `scope` says whether a namespace must be there. */
export function parseMetadata(object: Untrusted, scope: 'cluster' | 'namespaced'): Metadata {
  const metadata = object.at('metadata')
  return {
    namespace: scope === 'namespaced' ? metadata.at('namespace').text() : '',
    name: metadata.at('name').text(),
    uid: metadata.at('uid').text(),
    resourceVersion: metadata.at('resourceVersion').text(),
    labels: metadata.at('labels').textMap(),
    annotations: metadata.at('annotations').textMap(),
    controller: parseController(metadata),
    generation: metadata.at('generation').optionalInteger(),
  }
}

function parseController(metadata: Untrusted): PodOwner | undefined {
  const owner = metadata
    .at('ownerReferences')
    .each()
    .find((reference) => reference.at('controller').flagOr(false))
  if (owner === undefined) return undefined
  const kind = owner.at('kind').text()
  const apiVersion = owner.at('apiVersion').textOr('apps/v1')
  return {
    kind,
    name: owner.at('name').text(),
    uid: owner.at('uid').text(),
    ...(apiVersion === 'apps/v1' || !APPS_KINDS.has(kind) ? {} : { apiVersion }),
  }
}

/** metadata.creationTimestamp; the beginning of time where there is none. */
export function parseCreatedAt(object: Untrusted): WallMs {
  const at = Date.parse(object.at('metadata').at('creationTimestamp').textOr(''))
  return wallMs(Number.isNaN(at) ? 0 : at)
}
