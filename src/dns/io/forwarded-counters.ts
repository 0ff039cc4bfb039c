import type { Duplex } from 'node:stream'
import type { ApiClient } from '../../ground/kube/api-client.ts'
import { forwardPort } from '../../ground/kube/port-forward.ts'
import { within } from '../../ground/kube/within.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { CountersAt, CountersReading, PodCounters } from '../ports/pod-counters.ts'
import { udpCountsOf } from './coredns-metrics.ts'
import { getOver, type HttpAnswer } from './http-over.ts'
import { errorCode } from './socket-outcome.ts'

interface Parts {
  readonly client: ApiClient
  readonly clock: Clock
}

/** The way to the pod is the API server's, which may be busy. */
const READ_WITHIN_MS = 3_000
/** Those of a CoreDNS with many zones are some hundred KiB. */
const METRICS_BYTES_MAX = 4 * 1024 * 1024
const MAY_NOT_READ: ReadonlySet<number> = new Set([401, 403])

/** The metrics of a pod by port-forward, so that a metrics port on the pod’s own loopback is read as well. */
export class ForwardedCounters implements PodCounters {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async udpCounts(at: CountersAt, signal: AbortSignal): Promise<CountersReading> {
    const late = () =>
      new WorldError(`port ${at.port} gave no metrics within ${READ_WITHIN_MS / 1_000} s`, {
        code: 'DNS_COUNTERS',
        retry: 'backoff',
      })
    const limit = { clock: this.#parts.clock, ms: READ_WITHIN_MS, signal, late }
    try {
      return await within(limit, (limited) => this.#read(at, limited))
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError)) throw error
      return { kind: error.code === 'KUBE_PORT_REFUSED' ? 'elsewhere' : 'unknown', text: error.message }
    }
  }

  async #read({ namespace, name, port }: CountersAt, signal: AbortSignal): Promise<CountersReading> {
    const stream = await forwardPort(this.#parts.client, { namespace, pod: name, port }, signal)
    const end = (): void => void stream.destroy()
    signal.addEventListener('abort', end, { once: true })
    // Also of what comes while no request is on it any more.
    stream.on('error', () => undefined)
    try {
      return await readingOf(stream, port)
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
  }
}

async function readingOf(stream: Duplex, port: number): Promise<CountersReading> {
  const elsewhere = (text: string): CountersReading => ({ kind: 'elsewhere', text: `port ${port}: ${text}` })
  let answer: HttpAnswer
  try {
    answer = await getOver(stream, {
      path: '/metrics',
      host: 'localhost',
      accept: 'text/plain',
      bytesMax: METRICS_BYTES_MAX,
    })
  } catch (error) {
    if (error instanceof WorldError) throw error
    return elsewhere(`its answer to GET /metrics is broken (${errorCode(error) || String(error)})`)
  }
  const { status, hasEnd, text } = answer
  if (MAY_NOT_READ.has(status)) return elsewhere(`its metrics take a credential of their own (HTTP ${status})`)
  if (status !== 200) return elsewhere(`GET /metrics is answered with HTTP ${status}`)
  const counts = hasEnd ? udpCountsOf(text) : 'they do not end'
  return typeof counts === 'string' ? elsewhere(`its metrics cannot be used: ${counts}`) : { kind: 'counts', counts }
}
