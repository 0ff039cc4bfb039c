import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import forge from 'node-forge'
import { type WallMs, wallMs } from '../../ground/model/time.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { CertificateFacts, ServingPair } from '../model/serving-certificate.ts'
import type { Certificates } from '../ports/certificates.ts'

/** Certificates by node-forge, with keys of Node. */
export const certificates = (random: Random): Certificates => ({ make: (facts) => make(facts, random), read, living })

interface Made {
  readonly certificate: forge.pki.Certificate
  readonly key: string
}

function make({ names, from, until }: CertificateFacts, random: Random): ServingPair & { readonly authority: string } {
  // Two authorities of one name would be taken for each other.
  const authorityName = `evenkeel-webhook-ca ${random.hex(8)}`
  const authority = unsigned({ from, until, names: [authorityName] }, random)
  authority.certificate.setIssuer(authority.certificate.subject.attributes)
  authority.certificate.setExtensions([
    { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ])
  const serving = unsigned({ from, until, names }, random)
  serving.certificate.setIssuer(authority.certificate.subject.attributes)
  serving.certificate.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames: names.map(altName) },
    {
      name: 'authorityKeyIdentifier',
      keyIdentifier: authority.certificate.generateSubjectKeyIdentifier().getBytes(),
    },
  ])
  const authorityKey = forge.pki.privateKeyFromPem(authority.key)
  for (const { certificate } of [authority, serving]) certificate.sign(authorityKey, forge.md.sha256.create())
  return {
    certificate: pem(serving.certificate),
    key: serving.key,
    authority: pem(authority.certificate),
  }
}

/** With the line ends that Node writes. */
const pem = (certificate: forge.pki.Certificate): string =>
  forge.pki.certificateToPem(certificate).replaceAll('\r\n', '\n')

/** A common name has at most 64 characters (RFC 5280, appendix A); the names that count are the alternative ones. */
const COMMON_NAME_MAX = 64

function unsigned({ from, until, names: [name = ''] }: CertificateFacts, random: Random): Made {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    // node-forge reads keys of PKCS #1 and #8 alone.
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  // Positive, and never twice (RFC 5280, 4.1.2.2).
  certificate.serialNumber = `01${random.hex(15)}`
  certificate.validity.notBefore = new Date(from)
  certificate.validity.notAfter = new Date(until)
  certificate.setSubject([{ name: 'commonName', value: name.slice(0, COMMON_NAME_MAX) }])
  return { certificate, key: privateKey }
}

const DNS_NAME = 2
const IP_ADDRESS = 7
const altName = (name: string): object =>
  isIP(name) === 0 ? { type: DNS_NAME, value: name } : { type: IP_ADDRESS, ip: name }

function read({ certificate, key }: ServingPair, bundle: string): CertificateFacts | undefined {
  try {
    const leaf = new X509Certificate(certificate)
    const isSigned = readable(bundle).some(
      (authority) => leaf.checkIssued(authority) && leaf.verify(authority.publicKey),
    )
    if (!isSigned || !leaf.checkPrivateKey(createPrivateKey(key))) return undefined
    const names = (leaf.subjectAltName ?? '').split(', ').map((entry) => entry.replace(/^(DNS|IP Address):/, ''))
    return { names: names.map(inShort), from: timeOf(leaf.validFrom), until: timeOf(leaf.validTo) }
  } catch {
    // Whatever stands there is no certificate.
    return undefined
  }
}

/** An address of IPv6 as people write it. */
const inShort = (name: string): string => (isIP(name) === 6 ? new URL(`https://[${name}]`).hostname.slice(1, -1) : name)

const timeOf = (text: string): WallMs => wallMs(Date.parse(text))

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

const readable = (bundle: string): readonly X509Certificate[] =>
  (bundle.match(BLOCK) ?? []).flatMap((block) => {
    try {
      return [new X509Certificate(block)]
    } catch {
      return []
    }
  })

function living(bundle: string, at: WallMs): readonly string[] {
  const alive = readable(bundle).filter(({ validTo }) => timeOf(validTo) > at)
  return [...new Set(alive.map((certificate) => certificate.toString()))]
}
