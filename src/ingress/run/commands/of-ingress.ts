import { DEPLOYMENTS } from '../../../ground/loop/owned/owned-kinds.ts'
import { INGRESS_LABEL } from '../../../ground/model/ingress-keys.ts'
import type { ObjectKind } from '../../../ground/model/object-kind.ts'
import type { OwnedObject } from '../../../ground/model/owned-object.ts'
import type { Objects } from '../../../ground/ports/objects.ts'
import type { CheckedIngress } from '../../decide/ingress-kind.ts'
import type { DatedRevision, OfIngress } from '../../decide/rollout/history.ts'
import { REVISIONS } from '../ingress-kinds.ts'

const DATED_REVISIONS: ObjectKind<DatedRevision> = {
  ...REVISIONS,
  parse: (object) => ({
    ...REVISIONS.parse(object),
    createdAt: object.at('metadata').at('creationTimestamp').textOr(''),
  }),
}

/** Its Deployments and ControllerRevisions, as of now. Rejects with WorldError. */
export async function ofIngress(
  objects: Pick<Objects, 'list'>,
  { namespace, name, uid }: Pick<CheckedIngress, 'namespace' | 'name' | 'uid'>,
  signal: AbortSignal,
): Promise<OfIngress> {
  const selection = { namespace, labelSelector: `${INGRESS_LABEL}=${name}` }
  const [revisions, deployments] = await Promise.all([
    objects.list({ ...selection, kind: DATED_REVISIONS }, signal),
    objects.list({ ...selection, kind: DEPLOYMENTS }, signal),
  ])
  // By the owner: an adopted object may still have the labels of an earlier one.
  const isOurs = ({ controller }: OwnedObject): boolean => controller?.uid === uid
  return { revisions: revisions.filter(isOurs), deployments: deployments.filter(isOurs) }
}
