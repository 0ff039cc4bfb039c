import { openReviewDoor } from '../../src/adapters/http/review-door.ts'
import type { ApiClient } from '../../src/adapters/kube/api-client.ts'
import { ApiReach } from '../../src/adapters/kube/api-reach.ts'
import { kubeObjects } from '../../src/adapters/kube/kube-objects.ts'
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../src/adapters/node/system-random.ts'
import { systemTimers as timers } from '../../src/adapters/node/system-timers.ts'
import { certificates } from '../../src/adapters/tls/certificates.ts'
import type { WebhookView } from '../../src/controllers/controller/controller-view.ts'
import type { IngressLoop } from '../../src/controllers/ingress/ingress-loop.ts'
import { IngressReviews } from '../../src/controllers/ingress/ingress-reviews.ts'
import { WebhookCertificate } from '../../src/controllers/webhook/webhook-certificate.ts'
import type { Log } from '../../src/ports/log.ts'
import { EventRecorder } from '../../src/runtime/event-recorder.ts'
import type { Leader } from '../../src/runtime/leader.ts'

interface WebhookPlace {
  readonly client: ApiClient
  readonly leader: Leader
  readonly identity: string
  /** Of the Secret. */
  readonly namespace: string
  readonly port: number
  readonly address?: string
  readonly ingress: IngressLoop
  readonly log: Log
}

export interface Webhook extends Pick<WebhookCertificate, 'run' | 'stop' | 'wake'> {
  readonly port: number
  view(): WebhookView
  close(): Promise<void>
}

/** Less than an API server waits for an answer. */
const REVIEW_LIMIT_MS = 3_000

/** The webhook of IngressDaemonSets, which every replica serves, and its certificate. */
export async function openWebhook({ client, leader, identity, ...place }: WebhookPlace): Promise<Webhook> {
  const { namespace, port, address, ingress, log } = place
  const around = () => ingress.around(AbortSignal.timeout(REVIEW_LIMIT_MS))
  const reviews = new IngressReviews({ around, log })
  const door = await openReviewDoor({
    place: { port, ...(address === undefined ? {} : { host: address }) },
    timers,
    answer: (body) => reviews.answer(body),
  })
  const objects = kubeObjects({ client, reach: new ApiReach(clock), clock, random, log })
  const certificate = new WebhookCertificate({
    ...{ objects, leader, namespace, clock, random, log },
    certificates: certificates(random),
    notices: new EventRecorder({ objects, clock, random, identity }),
    present: ({ certificate: cert, key }) => door.present({ cert, key }),
  })
  return {
    port: door.port,
    run: (signal) => certificate.run(signal),
    stop: () => certificate.stop(),
    wake: () => certificate.wake(),
    view: () => ({ port: door.port, reviews: reviews.counts(), certificate: certificate.view(), now: clock.wallMs() }),
    close: () => door.close(),
  }
}
