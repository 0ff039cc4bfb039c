import type { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import type { Passage, WatchFault } from '../../../../src/sim/doors/in-process-api.ts'
import { answerRequest } from '../../../../src/sim/world/answer-request.ts'
import { type ApiRequest, isWatch } from '../../../../src/sim/world/api-request.ts'
import type { Fault } from './fault.ts'
import type { FaultTally } from './fault-tally.ts'

type ApiFault = Extract<Fault, { kind: 'api' }>

/** How far behind a stale list is. */
const STALE_BY = 15
const SLOWEST_MS = 6_000

interface ApiFaultParts {
  readonly cluster: VirtualCluster
  readonly random: SeededRandom
  /** All of the run; those that a step brings about are added when it does. */
  readonly faults: readonly Fault[]
  readonly tally: FaultTally
  /** Since the first roll began. */
  readonly sinceMs: () => number
}

/** What becomes of the requests of rolls while the API is in trouble. Those of other clients fail only while it is away. */
export class ApiFaults {
  readonly #parts: ApiFaultParts
  /** When all watches that are open say nothing any more, since an eviction was not heard of. */
  readonly #unheardAt: number[] = []
  #hasUnheardEviction = false

  constructor(parts: ApiFaultParts) {
    this.#parts = parts
  }

  passageOf(request: ApiRequest, roll: string): Passage {
    const fault = this.#troubleOf(request)
    if (fault !== undefined) this.#parts.tally.happened(fault, roll)
    const isWatching = request.query.get('watch') !== null
    switch (fault?.what) {
      case 'conflicts':
        return answered(409, 'Conflict')
      case 'tooMany':
        return { kind: 'answered', reply: { ...failure(429, 'TooManyRequests'), retryAfterSeconds: 1 } }
      case 'doneErrors':
        return { kind: 'answered', reply: failure(503, 'ServiceUnavailable'), isCarriedOut: true }
      case 'foreign':
        return { kind: 'answered', reply: { code: 404, body: '404 page not found\n' } }
      case 'errors':
        return answered(this.#parts.random.next() < 0.5 ? 500 : 503, 'InternalError')
      case 'unauthorized':
        return answered(401, 'Unauthorized')
      case 'forbidden':
        return answered(403, 'Forbidden')
      case 'cut':
        return { kind: 'cut' }
      case 'slow':
        return this.#slow()
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
        return isWatching ? { kind: 'passes', watch: this.#watchFault(roll, request) } : { kind: 'passes' }
    }
  }

  /** Whether a process could not have reached the API for some of the time since then. */
  isTroubledSince(fromMs: number): boolean {
    const now = this.#parts.sinceMs()
    const points = [...this.#stopsAt, ...this.#cutsAt, ...this.#timesOf('oneWatchStops')]
    return (
      this.#spans.some((span) => span.fromMs <= now && span.toMs >= fromMs) ||
      points.some((at) => at >= fromMs && at <= now)
    )
  }

  #troubleOf(request: ApiRequest): ApiFault | undefined {
    const { random, sinceMs } = this.#parts
    const now = sinceMs()
    const isWrite = request.method !== 'GET'
    const isList = !isWrite && request.query.get('watch') === null && !request.query.has('continue')
    return this.#spans.find(({ what, fromMs, toMs, share }) => {
      if (now < fromMs || now >= toMs || what === 'hidesEvents') return false
      if ((what === 'conflicts' || what === 'unheard' || what === 'doneErrors') && !isWrite) return false
      if (what === 'staleLists' && !isList) return false
      if (what === 'evictionsUnheard' && !isEviction(request)) return false
      return random.next() < share
    })
  }

  get #spans(): readonly ApiFault[] {
    return this.#parts.faults.filter((fault) => fault.kind === 'api')
  }

  /** When all watches that are open say nothing any more. */
  get #stopsAt(): readonly number[] {
    return [...this.#unheardAt, ...this.#timesOf('watchesStop')]
  }

  get #cutsAt(): readonly number[] {
    return this.#timesOf('logForgotten')
  }

  #timesOf(kind: 'watchesStop' | 'oneWatchStops' | 'logForgotten'): readonly number[] {
    return this.#parts.faults.flatMap((fault) => (fault.kind === kind ? [fault.atMs] : []))
  }

  /** From now on, of one stream. */
  #watchFault(roll: string, { path }: ApiRequest): WatchFault {
    const { random, sinceMs, tally } = this.#parts
    const openedMs = sinceMs()
    const isOfThis = (fault: Fault): boolean => fault.kind === 'oneWatchStops' && path.endsWith(`/${fault.of}`)
    const stopsAt = (): readonly number[] =>
      this.#parts.faults.filter(isOfThis).flatMap((fault) => ('atMs' in fault ? [fault.atMs] : []))
    return (event) => {
      const now = sinceMs()
      const isAmong = (at: number): boolean => at >= openedMs && at <= now
      if (this.#stopsAt.some(isAmong) || stopsAt().some(isAmong)) return undefined
      if (this.#cutsAt.some(isAmong)) return 'cut'
      for (const fault of this.#spans) {
        const { what, fromMs, toMs, share } = fault
        if (now < fromMs || now >= toMs) continue
        if (what !== 'hidesEvents' || event.type === 'BOOKMARK' || random.next() >= share) continue
        tally.happened(fault, roll)
        return undefined
      }
      return event
    }
  }

  /** Before it is carried out, or after. */
  #slow(): Passage {
    const { random } = this.#parts
    const ms = random.between(200, SLOWEST_MS)
    return { kind: 'passes', ...(random.next() < 0.5 ? { lateMs: ms } : { answerLateMs: ms }) }
  }

  #unheardEviction(): Passage {
    if (!this.#hasUnheardEviction) this.#unheardAt.push(this.#parts.sinceMs())
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
