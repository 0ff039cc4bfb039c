import type { IngressGroup } from '../../ground/model/ingress-keys.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import type { ObjectStatus } from '../../ground/model/object-status.ts'
import { parseCreatedAt } from '../../ground/model/parse-metadata.ts'
import { parseObjectStatus } from '../../ground/model/parse-object-status.ts'
import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { parseIngressDaemonSet } from '../model/parse-ingress-daemon-set.ts'
import { validateIngress } from './validate.ts'

/** An IngressDaemonSet with its findings. One with errors is reported, and nothing else is done for it. */
export interface CheckedIngress extends IngressDaemonSet {
  readonly findings: readonly FieldFinding[]
  readonly status: ObjectStatus
  readonly createdAt: WallMs
}

/** The kind in that API group. Its fields are the same in each group. */
export function ingressKind(group: IngressGroup): ObjectKind<CheckedIngress> {
  const parse = parseIngressDaemonSet(group)
  return {
    group,
    version: 'v1alpha1',
    resource: 'ingressdaemonsets',
    kind: 'IngressDaemonSet',
    namespaced: true,
    parse: (object) => ({
      ...parse(object),
      findings: validateIngress(object.raw),
      status: parseObjectStatus(object.at('status')),
      createdAt: parseCreatedAt(object),
    }),
  }
}
