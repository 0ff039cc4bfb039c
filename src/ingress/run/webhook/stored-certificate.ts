import type { WallMs } from '../../../ground/model/time.ts'
import { lifeFrom } from '../../decide/certificate-step.ts'
import type { ServingPair } from '../../model/serving-certificate.ts'
import type { Certificates } from '../../ports/certificates.ts'
import { type StoredSecret, toBase64 } from './webhook-objects.ts'

/** Keys of the Secret. The first three are those that every program knows. */
const KEYS = {
  certificate: 'tls.crt',
  key: 'tls.key',
  bundle: 'ca.crt',
  nextCertificate: 'next-tls.crt',
  nextKey: 'next-tls.key',
} as const

/** Those that were trusted before stay in the bundle while they live: replicas may still show what they signed. */
const AUTHORITIES_MAX = 4

/** What the Secret says of the certificate. */
export interface StoredCertificate {
  readonly serving: ServingPair
  /** Absent: no other one waits to be shown. */
  readonly next?: ServingPair
  readonly bundle: string
}

export function storedIn(secret: Pick<StoredSecret, 'values'> | undefined): StoredCertificate {
  const value = (key: keyof typeof KEYS): string => secret?.values[KEYS[key]] ?? ''
  const next = { certificate: value('nextCertificate'), key: value('nextKey') }
  return {
    serving: { certificate: value('certificate'), key: value('key') },
    ...(next.certificate === '' && next.key === '' ? {} : { next }),
    bundle: value('bundle'),
  }
}

interface Making {
  readonly certificates: Certificates
  readonly names: readonly string[]
  readonly now: WallMs
}

/** With a new certificate at once, or beside the one that is shown, and with its authority among those that are trusted. */
export function withNew(
  stored: StoredCertificate,
  kind: 'replace' | 'stage',
  { certificates, names, now }: Making,
): StoredCertificate {
  const { authority, ...pair } = certificates.make({ names, ...lifeFrom(now) })
  const bundle = [...certificates.living(stored.bundle, now), authority].slice(-AUTHORITIES_MAX).join('')
  return kind === 'replace' ? { serving: pair, bundle } : { serving: stored.serving, next: pair, bundle }
}

/** The certificate that waited is shown. */
export const promoted = ({ serving, next, bundle }: StoredCertificate): StoredCertificate => ({
  serving: next ?? serving,
  bundle,
})

/** The data of a Secret; null takes away what is not of it. */
export function dataOf(
  { serving, next, bundle }: StoredCertificate,
  secret: Pick<StoredSecret, 'values'> | undefined,
): Readonly<Record<string, string | null>> {
  const strange = Object.keys(secret?.values ?? {}).map((key) => [key, null] as const)
  return {
    ...Object.fromEntries(strange),
    [KEYS.certificate]: toBase64(serving.certificate),
    [KEYS.key]: toBase64(serving.key),
    [KEYS.bundle]: toBase64(bundle),
    ...(next === undefined
      ? {}
      : { [KEYS.nextCertificate]: toBase64(next.certificate), [KEYS.nextKey]: toBase64(next.key) }),
  }
}
