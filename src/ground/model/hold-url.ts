import { escapeForeign } from './foreign-text.ts'
import { isMetadataAddress } from './metadata-address.ts'

const LENGTH_MAX = 2_000
const PLACEHOLDER = /\{[^{}]*\}/g
const KNOWN = new Set(['{node}', '{address}'])
/** Scheme and authority. */
const BEFORE_PATH = /^[^/?#]*\/\/[^/?#]*/
/** Addresses of documentation (RFC 5737, RFC 3849). */
const SAMPLES = [
  { node: 'node-1', address: '192.0.2.1' },
  { node: 'node-1', address: '2001:db8::1' },
]

/** The values of `{node}` and `{address}`. */
interface UrlOfNode {
  readonly node: string
  readonly address: string
}

/** Neither value can add a host, a path or a parameter. An IPv6 address is in brackets where it is the host. */
export function fillHoldUrl(template: string, { node, address }: UrlOfNode): string {
  const before = BEFORE_PATH.exec(template)?.[0] ?? ''
  const host = address.includes(':') ? `[${address}]` : encodeURIComponent(address)
  const filled = (text: string, asAddress: string): string =>
    text.replaceAll('{node}', () => encodeURIComponent(node)).replaceAll('{address}', () => asAddress)
  return filled(before, host) + filled(template.slice(before.length), encodeURIComponent(address))
}

/** Why the URL of a hold cannot be used, with its placeholders; undefined: it can. */
export function urlFault(template: string): string | undefined {
  if (template.length > LENGTH_MAX) return `it is longer than ${LENGTH_MAX} characters`
  const stranger = template.match(PLACEHOLDER)?.find((placeholder) => !KNOWN.has(placeholder))
  if (stranger !== undefined) return `${escapeForeign(stranger, 60)} is neither {node} nor {address}`
  return SAMPLES.map((sample) => filledUrlFault(fillHoldUrl(template, sample))).find((fault) => fault !== undefined)
}

/** The same for a URL without placeholders. */
export function filledUrlFault(text: string): string | undefined {
  if (lacksHost(text)) return 'it has no host after "//"'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return 'it is no URL'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'it begins neither with http:// nor with https://'
  if (url.username !== '' || url.password !== '') return 'it has credentials'
  return isMetadataAddress(url.hostname) ? 'its host is a link-local or metadata address' : undefined
}

/** Why a URL without placeholders that plans, journals and reports show cannot be used; undefined: it can. */
export function publicUrlFault(text: string): string | undefined {
  if (lacksHost(text)) return `"${text}" has no host after "//"`
  if (/[\s\u0000-\u001f\u007f]/.test(text) || !URL.canParse(text)) return `"${text}" is not a URL`
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return `"${text}" is neither http nor https`
  return username === '' && password === '' ? undefined : 'the URL carries a user or a password'
}

/** The parser takes the first part of the path of `http:///path` for the host. */
const lacksHost = (text: string): boolean => /^https?:(?!\/\/[^/?#\\])/i.test(text)
