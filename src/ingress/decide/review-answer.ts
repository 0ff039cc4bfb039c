import type { Finding } from '../../ground/model/schema/finding.ts'

/** The answer of the webhook (admission.k8s.io/v1, AdmissionReview). */
interface ReviewAnswer {
  readonly apiVersion: 'admission.k8s.io/v1'
  readonly kind: 'AdmissionReview'
  readonly response: {
    readonly uid: string
    readonly allowed: boolean
    readonly status?: { readonly code: number; readonly reason: string; readonly message: string }
    readonly warnings?: readonly string[]
  }
}

/** An API server passes on 256 characters of a warning. */
const WARNING_MAX = 256

const sentence = ({ field, message, fix }: Finding): string => `${field}: ${message}: ${fix}`

const cut = (text: string): string => (text.length <= WARNING_MAX ? text : `${text.slice(0, WARNING_MAX - 1)}…`)

/** All that is wrong is said at once, each in a line, with what to write instead. */
export function reviewAnswer(uid: string, findings: readonly Finding[]): ReviewAnswer {
  const errors = findings.filter(({ severity }) => severity === 'error').map(sentence)
  const warnings = findings.filter(({ severity }) => severity === 'warning').map((finding) => cut(sentence(finding)))
  const message = errors.length === 1 ? errors.join('') : errors.map((error) => `\n- ${error}`).join('')
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: errors.length === 0,
      ...(errors.length === 0 ? {} : { status: { code: 422, reason: 'Invalid', message } }),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  }
}
