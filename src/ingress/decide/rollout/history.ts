import { REVISION_HASH_LABEL, TEMPLATE_HASH_ANNOTATION } from '../../../ground/model/ingress-keys.ts'
import type { FoundDeployment } from '../../../ground/model/owned/found-workload.ts'
import type { OwnedObject } from '../../../ground/model/owned-object.ts'
import { Untrusted } from '../../../ground/model/untrusted.ts'
import type { CheckedIngress } from '../ingress-kind.ts'
import { holdsTemplateOf, numberOf } from '../revision.ts'

/** A ControllerRevision with its creation time, ISO 8601. */
export type DatedRevision = OwnedObject & { readonly createdAt: string }

/** A stored revision. */
export interface HistoryRow {
  readonly revision: number
  readonly name: string
  /** The name of the revision in labels and in the status. */
  readonly hash: string
  readonly createdAt: string
  readonly images: readonly string[]
  /** How many nodes have it. */
  readonly nodes: number
  /** Its template is that of the object. */
  readonly isWanted: boolean
  /** The last one that every node had. */
  readonly isCurrent: boolean
  /** The revision failed and was rolled back automatically. */
  readonly isRejected: boolean
}

/** The Deployments and revisions of an object. */
export interface OfIngress {
  readonly revisions: readonly DatedRevision[]
  readonly deployments: readonly FoundDeployment[]
}

/** The oldest first, as `kubectl rollout history` has them. */
export function historyOf(object: CheckedIngress, { revisions, deployments }: OfIngress): readonly HistoryRow[] {
  const { currentRevision, rejectedRevision } = object.status.fields
  const nodesOf = (hash: string): number =>
    deployments.filter(({ annotations }) => annotations[TEMPLATE_HASH_ANNOTATION] === hash).length
  return revisions
    .map((revision): HistoryRow => {
      const hash = revision.labels[REVISION_HASH_LABEL] ?? ''
      return {
        revision: numberOf(revision),
        name: revision.name,
        hash,
        createdAt: revision.createdAt,
        images: imagesOf(revision),
        nodes: nodesOf(hash),
        isWanted: holdsTemplateOf(revision, object.spec),
        isCurrent: hash === currentRevision,
        isRejected: hash === rejectedRevision,
      }
    })
    .toSorted((one, other) => one.revision - other.revision)
}

/** The pod template that it keeps, as it is. */
export const templateOf = ({ content, name }: OwnedObject): unknown =>
  new Untrusted(content, name).at('data').at('spec').at('template').raw

const imagesOf = (revision: OwnedObject): readonly string[] =>
  new Untrusted(templateOf(revision), revision.name)
    .at('spec')
    .at('containers')
    .each()
    .map((container) => container.at('image').textOr('?'))
