import { Untrusted } from '../model/untrusted.ts'
import { parseKubeYaml } from './kube-yaml.ts'

/** What a plugin gave. */
export interface ExecCredential {
  readonly token: string
  /** PEM; both or neither. */
  readonly certificate: string
  readonly key: string
  /** When it ends, in milliseconds since 1970; undefined: when it is refused. */
  readonly endsMs: number | undefined
}

/** Reads what a plugin printed, JSON or YAML, as client-go does (plugin/pkg/client/auth/exec). Throws an error that says why it is none. */
export function parseExecCredential(printed: Buffer, apiVersion: string): ExecCredential {
  const answer = new Untrusted(parsed(printed), "the plugin's answer")
  const [kind, version] = [answer.at('kind').textOr(''), answer.at('apiVersion').textOr('')]
  if (kind !== 'ExecCredential' || version !== apiVersion)
    throw new Error(
      `the plugin's answer is no ExecCredential of ${apiVersion}: ${kind || 'no kind'} of ${version || 'no version'}`,
    )
  const status = answer.at('status')
  const token = status.at('token').textOr('')
  const certificate = status.at('clientCertificateData').textOr('')
  const key = status.at('clientKeyData').textOr('')
  if (`${token}${certificate}${key}` === '')
    throw new Error("the plugin's answer has neither a token nor a certificate")
  if ((certificate === '') !== (key === '')) throw new Error("the plugin's answer has only one of certificate and key")
  return { token, certificate, key, endsMs: endOf(status.at('expirationTimestamp')) }
}

/** What begins like JSON is nothing else. */
function parsed(printed: Buffer): unknown {
  const text = printed.toString()
  return /^[ \t\r\n]*\{/.test(text) ? JSON.parse(text) : parseKubeYaml(printed)
}

/** RFC 3339. */
function endOf(field: Untrusted): number | undefined {
  const text = field.optionalText()
  if (text === undefined) return undefined
  const endsMs = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (Number.isNaN(endsMs)) throw new Error(`${field.path} is no time`)
  return endsMs
}
