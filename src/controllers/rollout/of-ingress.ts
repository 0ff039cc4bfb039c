import type { CheckedIngress } from '../../core/ingress/ingress-kind.ts'
import type { DatedRevision, OfIngress } from '../../core/ingress/rollout/history.ts'
import { INGRESS_UID_LABEL } from '../../model/ingress-keys.ts'
import type { ObjectKind } from '../../model/object-kind.ts'
import type { Objects } from '../../ports/objects.ts'
import { REVISIONS } from '../ingress/ingress-kinds.ts'
import { DEPLOYMENTS } from '../owned/owned-kinds.ts'

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
  { namespace, uid }: Pick<CheckedIngress, 'namespace' | 'uid'>,
  signal: AbortSignal,
): Promise<OfIngress> {
  const selection = { namespace, labelSelector: `${INGRESS_UID_LABEL}=${uid}` }
  const [revisions, deployments] = await Promise.all([
    objects.list({ ...selection, kind: DATED_REVISIONS }, signal),
    objects.list({ ...selection, kind: DEPLOYMENTS }, signal),
  ])
  const isOurs = ({ controller }: DatedRevision): boolean => controller?.uid === uid
  return { revisions: revisions.filter(isOurs), deployments }
}
