import type { ApiClient } from '../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../src/ground/kube/api-reach.ts'
import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import { EventRecorder } from '../../src/ground/loop/event-recorder.ts'
import type { Leader } from '../../src/ground/loop/leader.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import { present } from '../../src/ground/model/present.ts'
import type { Log } from '../../src/ground/ports/log.ts'
import { certificates } from '../../src/ingress/io/certificates.ts'
import { openReviewDoor } from '../../src/ingress/io/review-door.ts'
import type { IngressLoop } from '../../src/ingress/run/ingress-loop.ts'
import { IngressReviews } from '../../src/ingress/run/ingress-reviews.ts'
import { WebhookCertificate } from '../../src/ingress/run/webhook/webhook-certificate.ts'
import type { WebhookView } from './controller-view.ts'

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
    place: { port, ...present({ host: address }) },
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
