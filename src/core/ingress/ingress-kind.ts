import type { IngressDaemonSet, IngressGroup } from '../../model/ingress-daemon-set.ts'
import type { ObjectKind } from '../../model/object-kind.ts'
import { parseIngressDaemonSet } from '../../model/parse-ingress-daemon-set.ts'
import type { IngressFinding } from './finding.ts'
import { validateIngress } from './validate.ts'

/** An IngressDaemonSet as it was read; one with errors is to be reported, and nothing may be done by it. */
interface CheckedIngress extends IngressDaemonSet {
  readonly findings: readonly IngressFinding[]
}

/** The kind as that group serves it. What it says is the same in each. */
export function ingressKind(group: IngressGroup): ObjectKind<CheckedIngress> {
  const parse = parseIngressDaemonSet(group)
  return {
    group,
    version: 'v1alpha1',
    resource: 'ingressdaemonsets',
    kind: 'IngressDaemonSet',
    namespaced: true,
    parse: (object) => ({ ...parse(object), findings: validateIngress(object.raw) }),
  }
}
