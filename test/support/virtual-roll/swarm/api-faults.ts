import type { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import type { Passage, WatchFault } from '../../../../src/sim/doors/in-process-api.ts'
import { answerRequest } from '../../../../src/sim/world/answer-request.ts'
import { type ApiRequest, isWatch } from '../../../../src/sim/world/api-request.ts'
import type { ApiTrouble, Fault } from './fault.ts'

type ApiFault = Extract<Fault, { kind: 'api' }>

/** How far behind a stale list is. */
const STALE_BY = 15
const SLOWEST_MS = 6_000

export interface ApiFaultParts {
  readonly cluster: VirtualCluster
  readonly random: SeededRandom
  readonly faults: readonly Fault[]
  /** Since the first roll began. */
  readonly sinceMs: () => number
}

/** What becomes of the requests of rolls while the API is in trouble. Nobody else's are touched. */
export class ApiFaults {
  readonly #parts: ApiFaultParts
  readonly #spans: readonly ApiFault[]
  /** When all watches that are open say nothing any more. */
  readonly #stopsAt: number[]
  readonly #cutsAt: readonly number[]
  #hasUnheardEviction = false

  constructor(parts: ApiFaultParts) {
    this.#parts = parts
    const { faults } = parts
    this.#spans = faults.filter((fault) => fault.kind === 'api')
    this.#stopsAt = faults.flatMap((fault) => (fault.kind === 'watchesStop' ? [fault.atMs] : []))
    this.#cutsAt = faults.flatMap((fault) => (fault.kind === 'logForgotten' ? [fault.atMs] : []))
  }

  readonly passageOf = (request: ApiRequest): Passage => {
    const what = this.#troubleOf(request)
    const isWatching = request.query.get('watch') !== null
    switch (what) {
      case 'conflicts':
        return answered(409, 'Conflict')
      case 'tooMany':
        return { kind: 'answered', reply: { ...failure(429, 'TooManyRequests'), retryAfterSeconds: 1 } }
      case 'errors':
        return answered(this.#parts.random.next() < 0.5 ? 500 : 503, 'InternalError')
      case 'slow':
        return { kind: 'passes', lateMs: this.#parts.random.between(200, SLOWEST_MS) }
      case 'away':
        return { kind: 'refused' }
      case 'silent':
        return { kind: 'silent' }
      case 'unheard':
        return { kind: 'unheard' }
      case 'evictionsUnheard':
        return this.#unheardEviction()
      case 'staleLists':
        return this.#staleList(request)
      case 'hidesEvents':
      case undefined:
        return isWatching ? { kind: 'passes', watch: this.#watchFault() } : { kind: 'passes' }
    }
  }

  /** Whether a process could not have reached the API for some of the time since then. */
  isTroubledSince(fromMs: number): boolean {
    const now = this.#parts.sinceMs()
    const points = [...this.#stopsAt, ...this.#cutsAt]
    return (
      this.#spans.some((span) => span.fromMs <= now && span.toMs >= fromMs) ||
      points.some((at) => at >= fromMs && at <= now)
    )
  }

  #troubleOf(request: ApiRequest): ApiTrouble | undefined {
    const { random, sinceMs } = this.#parts
    const now = sinceMs()
    const isWrite = request.method !== 'GET'
    const isList = !isWrite && request.query.get('watch') === null && !request.query.has('continue')
    const found = this.#spans.find(({ what, fromMs, toMs, share }) => {
      if (now < fromMs || now >= toMs || what === 'hidesEvents') return false
      if ((what === 'conflicts' || what === 'unheard') && !isWrite) return false
      if (what === 'staleLists' && !isList) return false
      if (what === 'evictionsUnheard' && !isEviction(request)) return false
      return random.next() < share
    })
    return found?.what
  }

  /** From now on, of one stream. */
  #watchFault(): WatchFault {
    const { random, sinceMs } = this.#parts
    const openedMs = sinceMs()
    return (event) => {
      const now = sinceMs()
      const isAmong = (at: number): boolean => at >= openedMs && at <= now
      if (this.#stopsAt.some(isAmong)) return undefined
      if (this.#cutsAt.some(isAmong)) return 'cut'
      for (const { what, fromMs, toMs, share } of this.#spans) {
        if (now < fromMs || now >= toMs) continue
        if (what === 'away') return 'cut'
        if (what === 'hidesEvents' && event.type !== 'BOOKMARK' && random.next() < share) return undefined
      }
      return event
    }
  }

  #unheardEviction(): Passage {
    if (!this.#hasUnheardEviction) this.#stopsAt.push(this.#parts.sinceMs())
    this.#hasUnheardEviction = true
    return { kind: 'unheard' }
  }

  /** As it was some changes ago, under the version of then; a watch from there tells the rest. */
  #staleList(request: ApiRequest): Passage {
    const { world } = this.#parts.cluster
    const revision = Math.max(world.store.compactedTo + 1, world.store.revision - STALE_BY)
    const query = new URLSearchParams(request.query)
    query.set('continue', Buffer.from(JSON.stringify({ revision, after: '' })).toString('base64url'))
    const reply = answerRequest(world, { ...request, query })
    return isWatch(reply) || reply.code !== 200 ? { kind: 'passes' } : { kind: 'answered', reply }
  }
}

const isEviction = ({ method, path }: ApiRequest): boolean => method === 'POST' && path.endsWith('/eviction')

const failure = (code: number, reason: string) => ({
  code,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'for now', reason, code },
})

const answered = (code: number, reason: string): Passage => ({ kind: 'answered', reply: failure(code, reason) })
