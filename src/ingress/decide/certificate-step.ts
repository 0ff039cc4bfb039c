import type { WallMs } from '../../ground/model/time.ts'
import type { CertificateFacts } from '../model/serving-certificate.ts'

const DAY_MS = 86_400_000
const LIFE_MS = 90 * DAY_MS
/** Clocks differ, and an API server must not find it too young. */
const BEFORE_MS = 3_600_000
/** API servers follow their configuration, and have the new bundle within seconds. */
const HEARD_MS = 60_000
const LOOK_EVERY_MS = 60_000

/** The life of a certificate that is made now. */
export const lifeFrom = (now: WallMs): Pick<CertificateFacts, 'from' | 'until'> => ({
  from: (now - BEFORE_MS) as WallMs,
  until: (now + LIFE_MS) as WallMs,
})

/** What stands in the Secret and in the configuration of the webhook. */
export interface CertificateView {
  readonly now: WallMs
  /** By which API servers call the webhook. */
  readonly names: readonly string[]
  /** Undefined: there is none that can be used by what the bundle trusts. */
  readonly serving: CertificateFacts | undefined
  /** The certificate that comes next; `garbage`: something stands there that is none. */
  readonly next: CertificateFacts | 'absent' | 'garbage'
  /** What API servers trust is what the Secret says. */
  readonly isPublished: boolean
  /** Since this process saw both say the same. */
  readonly publishedForMs: number
}

/**
 * `replace`: a new one at once, since no client accepts the one that is there. `stage`: a new one beside it, which is not shown before API
 * servers trust it. `promote`: that one is shown. `publish`: API servers are to trust what the Secret says.
 */
export type CertificateStep =
  | { readonly kind: 'replace'; readonly why: string }
  | { readonly kind: 'stage' | 'promote' | 'publish' }
  | { readonly kind: 'keep'; readonly recheckAfterMs: number }

/**
 * Law: no certificate is shown before API servers were given its authority, unless the one before it is of no use.
 */
export function certificateStep(view: CertificateView): CertificateStep {
  const { now, serving, next, isPublished, publishedForMs } = view
  const why = whyUnusable(serving, view)
  const isNextUsable = typeof next === 'object' && whyUnusable(next, view) === undefined
  if (why !== undefined) return isNextUsable ? { kind: 'promote' } : { kind: 'replace', why }
  if (!isPublished) return { kind: 'publish' }
  if (isNextUsable)
    return publishedForMs >= HEARD_MS
      ? { kind: 'promote' }
      : { kind: 'keep', recheckAfterMs: Math.max(1, HEARD_MS - publishedForMs) }
  if (next !== 'absent' || isDue(serving, now)) return { kind: 'stage' }
  return { kind: 'keep', recheckAfterMs: LOOK_EVERY_MS }
}

/** Two thirds of its life are over, so that a month is left for what goes wrong. */
const isDue = (facts: CertificateFacts | undefined, now: WallMs): boolean =>
  facts !== undefined && now >= facts.from + ((facts.until - facts.from) * 2) / 3

/** Goes on from the certificate. */
function whyUnusable(
  facts: CertificateFacts | undefined,
  { now, names }: Pick<CertificateView, 'now' | 'names'>,
): string | undefined {
  if (facts === undefined) return 'is not there, or cannot be read'
  if (now >= facts.until) return 'has expired'
  if (now < facts.from) return 'is not valid yet'
  const missing = names.find((name) => !facts.names.includes(name))
  return missing === undefined ? undefined : `is not for ${missing}`
}
