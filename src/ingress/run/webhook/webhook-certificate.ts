import { FollowCache } from '../../../ground/loop/follow-cache.ts'
import type { Leader } from '../../../ground/loop/leader.ts'
import { type LoopView, Reconciler } from '../../../ground/loop/reconciler.ts'
import type { LoopDecision } from '../../../ground/model/loop-decision.ts'
import { present } from '../../../ground/model/present.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { type MonoMs, toIsoSeconds, wallMs } from '../../../ground/model/time.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Log } from '../../../ground/ports/log.ts'
import type { ObjectNotices } from '../../../ground/ports/object-notices.ts'
import type { Objects } from '../../../ground/ports/objects.ts'
import type { Random } from '../../../ground/ports/random.ts'
import { type CertificateStep, certificateStep } from '../../decide/certificate-step.ts'
import type { CertificateFacts, ServingPair } from '../../model/serving-certificate.ts'
import type { Certificates } from '../../ports/certificates.ts'
import { dataOf, promoted, type StoredCertificate, storedIn, withNew } from './stored-certificate.ts'
import {
  bundlePatch,
  CONFIGURATIONS,
  SECRETS,
  type StoredSecret,
  WEBHOOK_CONFIGURATION,
  WEBHOOK_SECRET,
  type WebhookConfiguration,
} from './webhook-objects.ts'

interface CertificateParts {
  readonly objects: Pick<Objects, 'get' | 'create' | 'patch' | 'follow'>
  readonly certificates: Certificates
  readonly notices: ObjectNotices
  readonly leader: Pick<Leader, 'mayActForMs'>
  /** Of the Secret. */
  readonly namespace: string
  /** Serves it on connections from now on. Throws where key and certificate cannot be served. */
  readonly present: (pair: ServingPair) => void
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

interface Seen {
  readonly secret: StoredSecret | undefined
  readonly configuration: WebhookConfiguration | undefined
  readonly stored: StoredCertificate
  /** What API servers are to trust. */
  readonly bundle: string
  readonly names: readonly string[]
  readonly serving: CertificateFacts | undefined
  readonly step: CertificateStep
}

interface Act {
  readonly seen: Seen
  readonly step: Exclude<CertificateStep, { readonly kind: 'keep' }>
}

/** What there is to tell of the certificate that this process shows. */
export interface CertificateView {
  /** Absent: it shows none. */
  readonly shown?: CertificateFacts
  readonly loop: LoopView
  readonly trouble?: string
}

const KEY = 'certificate'
const SWEEP_MS = 60_000

/**
 * The leader makes and renews the certificate of the webhook, in one Secret; every process shows what the Secret has, and changes to
 * another without a new start.
 */
export class WebhookCertificate {
  readonly #parts: CertificateParts
  readonly #secrets: FollowCache<StoredSecret>
  readonly #reconciler: Reconciler<Seen, Act>
  #published: { readonly bundle: string; readonly since: MonoMs } | undefined
  #shown: CertificateFacts | undefined
  #trouble: string | undefined

  constructor(parts: CertificateParts) {
    this.#parts = parts
    const { objects, namespace, clock } = parts
    this.#secrets = new FollowCache({
      follow: (sink, signal) =>
        objects.follow({ kind: SECRETS, namespace, fieldSelector: `metadata.name=${WEBHOOK_SECRET}` }, sink, signal),
      clock,
      onKey: (_key, { now }) => {
        this.#show(now)
        this.wake()
      },
    })
    this.#reconciler = new Reconciler({
      ...parts,
      sweepMs: SWEEP_MS,
      loop: {
        name: 'webhook',
        gather: (_key, signal) => this.#gather(signal),
        decide,
        decided: (_key, { kind, reasons }) => {
          this.#trouble =
            kind === 'hold' ? reasons.find(({ code }) => code === 'WebhookNotConfigured')?.text : undefined
        },
        perform: (act, signal) => this.#perform(act, signal),
      },
    })
  }

  /** Until aborted; rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    this.wake()
    await Promise.all([this.#secrets.run(signal), this.#reconciler.run(signal)])
  }

  stop(): Promise<void> {
    return this.#reconciler.stop()
  }

  wake(): void {
    this.#reconciler.add(KEY)
  }

  view(): CertificateView {
    const trouble = this.#trouble ?? this.#reconciler.view().trouble
    return {
      loop: this.#reconciler.view(),
      ...present({ shown: this.#shown, trouble }),
    }
  }

  /** What cannot be shown changes nothing: what was shown last is. */
  #show(secret: StoredSecret | undefined): void {
    const { certificates, present, log } = this.#parts
    const { serving, bundle } = storedIn(secret)
    const facts = certificates.read(serving, bundle)
    if (facts === undefined) return
    try {
      present(serving)
      this.#shown = facts
    } catch (error) {
      log.warn('webhook: the certificate cannot be shown', { reason: String(error) })
    }
  }

  async #gather(signal: AbortSignal): Promise<Seen> {
    const { objects, namespace, clock, certificates } = this.#parts
    const [secret, configuration] = await Promise.all([
      objects.get({ kind: SECRETS, namespace, name: WEBHOOK_SECRET }, signal),
      objects.get({ kind: CONFIGURATIONS, name: WEBHOOK_CONFIGURATION }, signal),
    ])
    const now = clock.wallMs()
    const stored = storedIn(secret)
    const bundle = certificates.living(stored.bundle, now).join('')
    const names = [...new Set((configuration?.webhooks ?? []).map(({ host }) => host))].filter((name) => name !== '')
    const expired = certificates.read(stored.serving, stored.bundle)
    const serving =
      certificates.read(stored.serving, bundle) ??
      (expired === undefined ? undefined : { ...expired, until: wallMs(Math.min(expired.until, now)) })
    const next = stored.next === undefined ? 'absent' : (certificates.read(stored.next, bundle) ?? 'garbage')
    const publishedForMs = this.#publishedForMs(configuration, bundle)
    const step = certificateStep({
      ...{ now, names, serving, next },
      isPublished: publishedForMs !== undefined,
      publishedForMs: publishedForMs ?? 0,
    })
    return { secret, configuration, stored, bundle, names, serving, step }
  }

  /** Undefined: API servers trust something else. */
  #publishedForMs(configuration: WebhookConfiguration | undefined, wanted: string): number | undefined {
    const now = this.#parts.clock.monoMs()
    const isPublished = configuration?.webhooks.every(({ bundle }) => bundle === wanted) === true
    if (!isPublished) this.#published = undefined
    else if (this.#published?.bundle !== wanted) this.#published = { bundle: wanted, since: now }
    return this.#published === undefined ? undefined : now - this.#published.since
  }

  async #perform({ seen, step }: Act, signal: AbortSignal): Promise<void> {
    const { objects, certificates, clock } = this.#parts
    const { configuration, stored, names } = seen
    if (step.kind === 'publish') {
      if (configuration === undefined) return
      const patch = bundlePatch(configuration, seen.bundle)
      await objects.patch({ kind: CONFIGURATIONS, name: WEBHOOK_CONFIGURATION, patch }, signal)
      return
    }
    const wanted =
      step.kind === 'promote'
        ? promoted(stored)
        : withNew(stored, step.kind, { certificates, names, now: clock.wallMs() })
    await this.#store(seen, wanted, signal)
    if (step.kind === 'replace') await this.#tellReplaced(seen, step.why, signal)
  }

  /** Under the version that was read: of two leaders one is refused. */
  async #store({ secret }: Seen, wanted: StoredCertificate, signal: AbortSignal): Promise<void> {
    const { objects, namespace } = this.#parts
    const data = dataOf(wanted, secret)
    if (secret === undefined) {
      const object = { metadata: { name: WEBHOOK_SECRET }, type: 'Opaque', data }
      await objects.create({ kind: SECRETS, namespace, object }, signal)
      return
    }
    const patch = { metadata: { resourceVersion: secret.resourceVersion }, data }
    await objects.patch({ kind: SECRETS, namespace, name: WEBHOOK_SECRET, patch }, signal)
  }

  /** The first one replaces nothing. */
  async #tellReplaced({ secret }: Seen, why: string, signal: AbortSignal): Promise<void> {
    const { notices, namespace, log } = this.#parts
    if (secret === undefined || Object.keys(secret.values).length === 0) return
    const reason = { code: 'WebhookCertificateReplaced', text: replacedText(why) } as const
    log.warn('webhook: a new certificate', { reason: reason.text })
    const about = { kind: 'Secret', namespace, name: WEBHOOK_SECRET, uid: secret.uid }
    await notices.tell({ ...about, type: 'Warning', reason }, signal)
  }
}

const replacedText = (why: string): string => `the certificate of the webhook ${why}, and a new one is made`

function decide(seen: Seen): LoopDecision<Act> {
  const { configuration, names, serving, step } = seen
  if (configuration === undefined || names.length === 0) {
    const text = `there is no ValidatingWebhookConfiguration ${WEBHOOK_CONFIGURATION}`
    return { kind: 'hold', reasons: [{ code: 'WebhookNotConfigured', text }], recheckAfterMs: SWEEP_MS }
  }
  if (step.kind !== 'keep') return { kind: 'act', actions: [{ seen, step }], reasons: [reasonOf(step)] }
  const until = serving === undefined ? '' : ` until ${toIsoSeconds(serving.until)}`
  const reasons: readonly Reason[] = [{ code: 'WebhookServed', text: `the certificate of the webhook is good${until}` }]
  return { kind: 'hold', reasons, recheckAfterMs: step.recheckAfterMs }
}

const reasonOf = (step: Act['step']): Reason =>
  step.kind === 'replace'
    ? { code: 'WebhookCertificateReplaced', text: replacedText(step.why) }
    : {
        code: 'WebhookCertificateDue',
        text: `the certificate of the webhook is being renewed, and the next step is ${step.kind}`,
      }
