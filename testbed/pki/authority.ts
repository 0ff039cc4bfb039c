import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { certificate, type Subject } from './certificate.ts'

export interface KeyedCertificate {
  readonly certificatePem: string
  readonly keyPem: string
}

interface IssueOptions {
  /** DNS names and IPv4 addresses that the certificate serves. */
  readonly names?: readonly string[]
  /** Defaults to a year from now; a time in the past makes a certificate that has expired. */
  readonly notAfter?: Date
}

/** The bed's one certificate authority. */
export interface Authority extends KeyedCertificate {
  issue(subject: Subject, options?: IssueOptions): KeyedCertificate
}

const SUBJECT: Subject = { commonName: 'evenkeel-testbed' }
const YEAR_MS = 365 * 24 * 3_600_000

export function newAuthority(): Authority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = { subject: SUBJECT, privateKey, publicKey }
  const validity = { notBefore: new Date(Date.now() - YEAR_MS), notAfter: new Date(Date.now() + 2 * YEAR_MS) }
  const certificatePem = certificate({ subject: SUBJECT, publicKey, issuer, isAuthority: true, ...validity })
  return authorityFrom({ certificatePem, keyPem: pem(privateKey) })
}

/** The authority whose certificate and key were kept. */
export function authorityFrom(kept: KeyedCertificate): Authority {
  const privateKey = createPrivateKey(kept.keyPem)
  const issuer = { subject: SUBJECT, privateKey, publicKey: createPublicKey(privateKey) }
  return {
    ...kept,
    issue(subject, options = {}) {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const certificatePem = certificate({
        subject,
        publicKey: pair.publicKey,
        issuer,
        isAuthority: false,
        names: options.names ?? [],
        // An hour back for an expired one to have been valid once; clocks are one, so nothing else needs it.
        notBefore: new Date(Math.min(Date.now(), options.notAfter?.getTime() ?? Number.POSITIVE_INFINITY) - 3_600_000),
        notAfter: options.notAfter ?? new Date(Date.now() + YEAR_MS),
      })
      return { certificatePem, keyPem: pem(pair.privateKey) }
    },
  }
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
