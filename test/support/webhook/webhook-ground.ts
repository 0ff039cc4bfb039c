import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import { kubeObjects } from '../../../src/ground/kube/kube-objects.ts'
import { EventRecorder } from '../../../src/ground/loop/event-recorder.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { systemTimers } from '../../../src/ground/machine/system-timers.ts'
import { certificates } from '../../../src/ingress/io/certificates.ts'
import { openReviewDoor } from '../../../src/ingress/io/review-door.ts'
import { WebhookCertificate } from '../../../src/ingress/run/webhook/webhook-certificate.ts'
import { EVENTS, SECRETS, VALIDATING_WEBHOOKS } from '../../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../../src/sim/world/apply-manifest.ts'
import { EmbeddedApi } from '../embedded-api.ts'
import { SeededRandom } from '../seeded-random.ts'

export const DAY_MS = 86_400_000
const NAMESPACE = 'evenkeel'
const SECRET = { namespace: NAMESPACE, name: 'evenkeel-webhook-certificate' }
const CONFIGURATION = { name: 'evenkeel-ingress' }

const decoded = (value: unknown): string => Buffer.from(String(value ?? ''), 'base64').toString('utf8')

/** One process with a webhook, on a real port; it leads if it is wanted to. */
export interface WebhookProcess {
  readonly port: number
  readonly certificate: WebhookCertificate
  lead(isLeading: boolean): void
}

/** An API server in virtual time that knows of the webhook, whose processes listen at real ports. */
export class WebhookGround {
  readonly api = new EmbeddedApi(NAMESPACE)
  readonly #stop = new AbortController()
  readonly #doors: { close(): Promise<void> }[] = []
  /** What was published, and when. */
  readonly #published: { readonly at: number; readonly bundle: string }[] = []

  /** `daysAgo`: the clock of the cluster, against the one that TLS of this test goes by. */
  constructor(daysAgo: number) {
    this.api.time.jumpWall(Date.now() - daysAgo * DAY_MS - this.api.time.wallMs())
    this.api.world.store.subscribe(VALIDATING_WEBHOOKS, () =>
      this.#published.push({ at: this.api.time.monoMs(), bundle: this.bundle() }),
    )
  }

  configure(url = 'https://127.0.0.1:9443/review'): void {
    applyManifest(this.api.world, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: CONFIGURATION,
      webhooks: [{ name: 'ingress.evenkeel.dev', clientConfig: { url } }],
    })
  }

  async process(isLeading = true): Promise<WebhookProcess> {
    const { time: clock } = this.api
    const random = new SeededRandom(1)
    const log = { debug: () => undefined, warn: () => undefined }
    const objects = kubeObjects({ client: this.api.client(), reach: new ApiReach(clock), clock, random, log })
    const door = await openReviewDoor({
      place: { port: 0, host: '127.0.0.1' },
      timers: systemTimers,
      answer: async (body) => ({ status: 200, contentType: 'text/plain', body }),
    })
    this.#doors.push(door)
    let leads = isLeading
    const certificate = new WebhookCertificate({
      ...{ objects, clock, random, log, namespace: NAMESPACE },
      certificates: certificates(systemRandom),
      notices: new EventRecorder({ objects, clock, random, identity: 'test' }),
      leader: { mayActForMs: () => (leads ? 60_000 : 0) },
      present: ({ certificate: cert, key }) => door.present({ cert, key }),
    })
    certificate.run(this.#stop.signal).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) throw error
    })
    const lead = (isSo: boolean): void => {
      leads = isSo
      certificate.wake()
    }
    return { port: door.port, certificate, lead }
  }

  /** What API servers trust. */
  bundle(): string {
    const found = this.api.world.store.get(VALIDATING_WEBHOOKS, CONFIGURATION)
    const [webhook] = (found?.webhooks ?? []) as readonly { readonly clientConfig: { readonly caBundle?: string } }[]
    return decoded(webhook?.clientConfig.caBundle)
  }

  /** The same for an API server that hears of changes so much later. */
  bundleOf(lateMs: number): string {
    const heard = this.#published.filter(({ at }) => at <= this.api.time.monoMs() - lateMs)
    return heard.at(-1)?.bundle ?? ''
  }

  /** A value of the Secret. */
  value(key: string): string {
    const found = this.api.world.store.get(SECRETS, SECRET)
    return decoded((found?.data as Readonly<Record<string, string>> | undefined)?.[key])
  }

  /** As a person does with kubectl. */
  setSecret(data: Readonly<Record<string, string>>): void {
    const old = this.api.world.store.get(SECRETS, SECRET)
    const values = Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v).toString('base64')]))
    if (old === undefined)
      applyManifest(this.api.world, { apiVersion: 'v1', kind: 'Secret', metadata: SECRET, data: values })
    else this.api.world.store.put(SECRETS, { ...old, data: values })
  }

  events(): readonly string[] {
    return [...this.api.world.store.all(EVENTS)].map(({ reason, message }) => `${String(reason)}: ${String(message)}`)
  }

  /** Virtual time goes on until it holds. */
  async until(what: string, holds: () => boolean, withinS = 600): Promise<void> {
    for (let step = 0; step < withinS * 10; step += 1) {
      if (holds()) return
      await this.api.time.advance(100)
    }
    throw new Error(`waited for ${what} for ${withinS} s`)
  }

  async end(): Promise<void> {
    this.#stop.abort(new Error('the test is over'))
    await Promise.all(this.#doors.map((door) => door.close()))
  }
}
