import { INGRESS_GROUPS, type IngressGroup } from '../../ground/model/ingress-keys.ts'
import { isJsonObject } from '../../ground/model/json-object.ts'
import { canonicalJson } from '../../ground/model/owned/canonical-json.ts'
import type { Finding } from '../../ground/model/schema/finding.ts'
import { MalformedReply, Untrusted } from '../../ground/model/untrusted.ts'
import { crossCheck } from './cross-check.ts'
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
type Review = readonly Finding[]

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
  const changed = before === undefined ? (finding: Finding) => finding : movedTo(portsOf(now), portsOf(before))
  return [...own, ...beside.map((finding) => (known.some(isLike(finding)) ? stillSo(finding) : changed(finding)))]
}

/** Of what an older schema took as well, whatever it is. */
function portsOf({ raw }: Untrusted): readonly unknown[] {
  const spec = isJsonObject(raw) ? raw.spec : undefined
  const ports = isJsonObject(spec) ? spec.healthCheckNodePorts : undefined
  return Array.isArray(ports) ? ports : []
}

/**
 * A Service that came later than the object stops nothing that runs. A health port that is moved onto a port of it would: kube-proxy has
 * that port on every node.
 */
const movedTo =
  (ports: readonly unknown[], before: readonly unknown[]) =>
  (finding: Finding): Finding => {
    const at = HEALTH_PORT.exec(finding.field)?.[1]
    const port = at === undefined ? undefined : ports[Number(at)]
    const isNew = finding.rule === 'portOfService' && port !== undefined && !before.includes(port)
    return isNew ? { ...finding, severity: 'error' } : finding
  }

const HEALTH_PORT = /^spec\.healthCheckNodePorts\[(\d+)\]$/

const isError = ({ severity }: Finding): boolean => severity === 'error'

const isLike =
  ({ rule, message }: Finding) =>
  (other: Finding): boolean =>
    other.rule === rule && other.message === message

const stillSo = (finding: Finding): Finding => ({ ...finding, severity: 'warning' })

/** All that is stored already stands before what comes. */
function besideOthers(
  { group, object }: Pick<IngressRequest, 'group' | 'object'>,
  around: Neighbours,
): readonly Finding[] {
  if (validateIngress(object).some(isError)) return []
  const fields = new Untrusted(object, 'object').fields()
  const metadata = new Untrusted(fields.metadata, 'metadata').fields()
  // A version is given when the object is stored.
  const whole = { ...fields, metadata: { uid: 'new', ...metadata, resourceVersion: '0' } }
  return crossCheck(ingressKind(group).parse(new Untrusted(whole, 'object')), around, () => true)
}
