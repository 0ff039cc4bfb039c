import { INGRESS_GROUPS, type IngressGroup } from '../../model/ingress-daemon-set.ts'
import { MalformedReply, Untrusted } from '../../model/untrusted.ts'
import { canonicalJson } from './canonical-json.ts'
import { crossCheck } from './cross-check.ts'
import type { IngressFinding } from './finding.ts'
import { ingressKind } from './ingress-kind.ts'
import type { Neighbours } from './neighbours.ts'
import { validateIngress } from './validate.ts'

/** What the API server asks (admission.k8s.io/v1, AdmissionRequest), as far as it is looked at. */
interface IngressRequest {
  readonly uid: string
  readonly group: IngressGroup
  readonly operation: string
  readonly object: unknown
  /** Of an UPDATE. */
  readonly old: unknown
}

/** What there is to be said of an object that is about to be stored; an error refuses it. */
type Review = readonly IngressFinding[]

/** Throws MalformedReply where it is no such review. */
export function parseIngressRequest(review: Untrusted): IngressRequest {
  if (review.at('apiVersion').text() !== 'admission.k8s.io/v1') throw new MalformedReply('not admission.k8s.io/v1')
  const request = review.at('request')
  const asked = request.at('kind').at('group').text()
  const group = INGRESS_GROUPS.find((each) => each === asked)
  if (group === undefined || request.at('kind').at('kind').text() !== 'IngressDaemonSet')
    throw new MalformedReply('not about an IngressDaemonSet')
  return {
    group,
    uid: request.at('uid').text(),
    operation: request.at('operation').text(),
    object: request.at('object').raw,
    old: request.at('oldObject').raw,
  }
}

/**
 * An object that is being deleted must lose its finalizers, and a change of metadata alone changes nothing of what was accepted: of
 * both nothing is said. What an object excluded before it was changed is a warning, so that it can be put right one step at a time.
 */
export function reviewIngress({ group, operation, object, old }: IngressRequest, around: Neighbours): Review {
  if (operation !== 'CREATE' && operation !== 'UPDATE') return []
  const now = new Untrusted(object, 'object')
  if (!now.at('metadata').at('deletionTimestamp').absent) return []
  const before = operation === 'UPDATE' ? new Untrusted(old, 'oldObject') : undefined
  if (before !== undefined && canonicalJson(now.at('spec').raw) === canonicalJson(before.at('spec').raw)) return []
  const own = validateIngress(object, before?.raw)
  if (own.some(isError)) return own
  const beside = besideOthers({ group, object }, around)
  const known = before === undefined ? [] : besideOthers({ group, object: before.raw }, around)
  return [...own, ...beside.map((finding) => (known.some(isLike(finding)) ? stillSo(finding) : finding))]
}

const isError = ({ severity }: IngressFinding): boolean => severity === 'error'

const isLike =
  ({ rule, message }: IngressFinding) =>
  (other: IngressFinding): boolean =>
    other.rule === rule && other.message === message

const stillSo = (finding: IngressFinding): IngressFinding => ({ ...finding, severity: 'warning' })

/** All that is stored already stands before what comes. */
function besideOthers(
  { group, object }: Pick<IngressRequest, 'group' | 'object'>,
  around: Neighbours,
): readonly IngressFinding[] {
  if (validateIngress(object).some(isError)) return []
  const fields = new Untrusted(object, 'object').fields()
  const metadata = new Untrusted(fields.metadata, 'metadata').fields()
  // A version is given when the object is stored.
  const whole = { ...fields, metadata: { uid: 'new', ...metadata, resourceVersion: '0' } }
  return crossCheck(ingressKind(group).parse(new Untrusted(whole, 'object')), around, () => true)
}
