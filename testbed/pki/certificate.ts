import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { bits, boolean, explicit, implicit, integer, octets, oid, sequence, set, text, utcTime } from './der.ts'

export interface Subject {
  readonly commonName: string
  /** What Kubernetes reads as the user's groups. */
  readonly organizations?: readonly string[]
}

interface CertificateRequest {
  readonly subject: Subject
  readonly publicKey: KeyObject
  readonly issuer: { readonly subject: Subject; readonly privateKey: KeyObject; readonly publicKey: KeyObject }
  readonly isAuthority: boolean
  /** DNS names and IPv4 addresses that the certificate serves. */
  readonly names?: readonly string[]
  readonly notBefore: Date
  readonly notAfter: Date
}

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))
const DIGITAL_SIGNATURE = Buffer.from([0x80])
const SIGN_CERTIFICATES = Buffer.from([0x04])
const SERVER_AND_CLIENT = sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2'))

/** An X.509 v3 certificate (RFC 5280) on an elliptic key, in PEM. */
export function certificate(request: CertificateRequest): string {
  const toBeSigned = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    distinguishedName(request.issuer.subject),
    sequence(utcTime(request.notBefore), utcTime(request.notAfter)),
    distinguishedName(request.subject),
    request.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions(request))),
  )
  const signature = sign('sha256', toBeSigned, request.issuer.privateKey)
  const body = sequence(toBeSigned, ECDSA_WITH_SHA256, bits(signature)).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${(body.match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`
}

function extensions({ isAuthority, publicKey, issuer, names = [] }: CertificateRequest): Buffer[] {
  const usage = isAuthority ? bits(SIGN_CERTIFICATES, 2) : bits(DIGITAL_SIGNATURE, 7)
  const common = [
    extension('2.5.29.19', sequence(...(isAuthority ? [boolean(true)] : [])), true),
    extension('2.5.29.15', usage, true),
    extension('2.5.29.35', sequence(implicit(0, keyIdentifier(issuer.publicKey)))),
  ]
  if (isAuthority) return [...common, extension('2.5.29.14', octets(keyIdentifier(publicKey)))]
  const alternatives = names.map((name) =>
    isIPv4(name) ? implicit(7, Buffer.from(name.split('.').map(Number))) : implicit(2, Buffer.from(name)),
  )
  return [
    ...common,
    extension('2.5.29.37', SERVER_AND_CLIENT),
    ...(alternatives.length > 0 ? [extension('2.5.29.17', sequence(...alternatives))] : []),
  ]
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value))
}

function distinguishedName({ commonName, organizations = [] }: Subject): Buffer {
  const attributes = [...organizations.map((name) => ['2.5.4.10', name] as const), ['2.5.4.3', commonName] as const]
  return sequence(...attributes.map(([id, value]) => set(sequence(oid(id), text(value)))))
}

/** Positive, and of a length that needs no care for leading zeros. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
}
