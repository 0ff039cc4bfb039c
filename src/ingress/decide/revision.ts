import { REVISION_HASH_LABEL } from '../../ground/model/ingress-keys.ts'
import { canonicalJson } from '../../ground/model/owned/canonical-json.ts'
import { shortHash } from '../../ground/model/owned/node-names.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { MalformedReply, Untrusted } from '../../ground/model/untrusted.ts'
import type { IngressDaemonSet, IngressSpec } from '../model/ingress-daemon-set.ts'
import { revisionName } from './names.ts'
import { wantedMetadata } from './wanted-metadata.ts'

/**
 * The hash of the fields whose change makes new pods, without the number of pods, the strategy and the health checks. Names and labels in
 * clusters contain it, so the hashed fields never change.
 */
export const templateHash = (spec: IngressSpec): string => shortHash(canonicalJson(revisionData(spec)))

const revisionData = ({ template, placement }: IngressSpec): object => ({
  spec: { placement, template: template.object },
})

interface RevisionOrder {
  /** Counts up from 1. A template that is used again gets the highest number. */
  readonly number: number
  readonly collisionCount: number
}

/** The ControllerRevision that stores the current template, for rollbacks and for nodes that keep it. */
export function wantedRevision(ids: IngressDaemonSet, { number, collisionCount }: RevisionOrder): WantedObject {
  const hash = templateHash(ids.spec)
  const name = revisionName(ids.name, hash, collisionCount)
  return {
    metadata: wantedMetadata(ids, { name, labels: { [REVISION_HASH_LABEL]: hash } }),
    data: revisionData(ids.spec),
    revision: number,
  }
}

/** The number of a ControllerRevision. 0: another program has written something else. */
export const numberOf = ({ content }: OwnedObject): number =>
  typeof content.revision === 'number' ? content.revision : 0

/** Whether a ControllerRevision has the template of the spec. If not, the hashes collide. */
export const holdsTemplateOf = (revision: OwnedObject, spec: IngressSpec): boolean =>
  canonicalJson(revision.content.data) === canonicalJson(revisionData(spec))

/** The spec with the template of a ControllerRevision; undefined where that cannot be read. */
export function specAt(spec: IngressSpec, revision: OwnedObject): IngressSpec | undefined {
  const data = new Untrusted(revision.content, revision.name).at('data').at('spec')
  const template = data.at('template')
  const placement = data.at('placement').raw
  if (placement !== 'Affinity' && placement !== 'NodeName') return undefined
  try {
    const labels = template.at('metadata').at('labels').textMap()
    const hostNetwork = template.at('spec').at('hostNetwork').flagOr(false)
    return { ...spec, placement, template: { object: template.fields(), labels, hostNetwork } }
  } catch (error) {
    if (error instanceof MalformedReply) return undefined
    throw error
  }
}
