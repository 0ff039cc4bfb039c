import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { Passage } from '../../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../../src/sim/world/api-request.ts'
import { troubled } from '../fleet/fleet-luck.ts'
import type { Lifeline } from '../virtual-roll/lifeline.ts'
import type { EffectHook } from '../virtual-roll/process-ports.ts'
import type { DnsGround } from './dns-ground.ts'
import { DnsProcess } from './dns-process.ts'
import type { DnsScenario } from './dns-scenario.ts'
import type { DnsWitness } from './dns-witness.ts'

const RESTART_MS = 1_000
const FORBIDDEN = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Forbidden', code: 403 }

/** What each right that may lack is asked for by. */
const ASKED_BY: Readonly<Record<DnsScenario['lacks'][number], RegExp>> = {
  corefile: /\/configmaps\/coredns$/,
  nodes: /^\/api\/v1\/nodes$/,
  pods: /^\/api\/v1\/pods$/,
}

/** The replicas of the controller, each begun anew a second after its death, and all that is seen of them. */
export class Controllers {
  deaths = 0
  readonly events: string[] = []
  readonly errors: unknown[] = []
  /** Writes beside those of Leases. */
  readonly writes: string[] = []
  verdict = 'none'
  /** Right after a pod was taken out of service. */
  onTouch = (): void => undefined
  #count = 0
  #begunAtMs: number | undefined
  readonly #running = new Map<number, Lifeline>()
  readonly #ground: DnsGround
  readonly #scenario: DnsScenario
  readonly #witness: DnsWitness
  readonly #random: SeededRandom

  constructor(ground: DnsGround, scenario: DnsScenario, witness: DnsWitness) {
    this.#ground = ground
    this.#scenario = scenario
    this.#witness = witness
    this.#random = new SeededRandom(`luck ${scenario.seed}`)
    for (let replica = 0; replica < scenario.replicasOfUs; replica += 1) this.#begin(replica)
  }

  /** From now on things go wrong. */
  start(): void {
    this.#begunAtMs = this.#now
  }

  /** One of them, or that one. */
  kill(replica = this.deaths % this.#scenario.replicasOfUs): void {
    const lifeline = this.#running.get(replica)
    if (lifeline === undefined || lifeline.isDead) return
    lifeline.cut()
    this.deaths += 1
    this.#ground.cluster.time.later(RESTART_MS, () => this.#begin(replica))
  }

  get #now(): number {
    return this.#ground.cluster.time.monoMs()
  }

  #begin(replica: number): void {
    const { network } = this.#ground
    const { here, hasRelays, clockAheadMs, perSecond, intervalMs } = this.#scenario
    this.#count += 1
    const owner = `controller ${this.#count}`
    const process = new DnsProcess({
      ground: this.#ground,
      place: this.#ground.placeOf({ ...here, pick: here.pick + replica }, { name: 'here', owner }),
      outside: {
        passageOf: (request) => this.#passageOf(request),
        onEffect: (...effect) => this.#onEffect(replica, ...effect),
      },
      ...{ hasRelays, clockAheadMs, perSecond },
      onRelay: (node) => this.#witness.relayOn(node),
    })
    this.#running.set(replica, process.ports.lifeline)
    process.run({
      intervalMs,
      around: async (check) => {
        network.takeAsked(owner)
        const fromMs = this.#now
        const found = await check()
        const said = found.findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(' ')}`)
        this.events.push(`${(this.#now / 1_000).toFixed(1)} s ${owner} ${found.verdict}: ${said.join('; ')}`)
        this.verdict = found.verdict
        this.#witness.checked({ check: found, fromMs, asked: network.takeAsked(owner) })
        return found
      },
      onOver: (error) => {
        if (error !== undefined) this.errors.push(error)
        this.kill(replica)
      },
    })
  }

  #passageOf(request: ApiRequest): Passage {
    const { api, healAtMs, lacks } = this.#scenario
    if (lacks.some((right) => ASKED_BY[right].test(request.path)))
      return { kind: 'answered', reply: { code: 403, body: FORBIDDEN } }
    const atMs = this.#begunAtMs === undefined ? -1 : this.#now - this.#begunAtMs
    const isWrite = request.method !== 'GET'
    const trouble = api.find(({ what, fromMs, toMs, share }) => {
      if (atMs < fromMs || atMs >= toMs || atMs > healAtMs) return false
      if ((what === 'unheard' || what === 'conflicts') && !isWrite) return false
      return this.#random.next() < share
    })
    return troubled(trouble?.what, this.#random)
  }

  #onEffect(replica: number, ...[effect, phase, lifeline]: Parameters<EffectHook>): void {
    if (/\/leases/.test(effect)) return
    if (phase === 'before') this.writes.push(effect)
    const pod = /\/pods\/([^/?]+)(?:\/eviction)?$/.exec(effect)?.[1]
    if (pod !== undefined && phase === 'before') this.#witness.touches(pod)
    if (pod !== undefined && phase === 'after') this.onTouch()
    const nth = this.writes.length
    const dies = this.#scenario.killsAtWrites.some((kill) => kill.nth === nth && kill.phase === phase)
    if (this.#begunAtMs !== undefined && dies && !lifeline.isDead) this.kill(replica)
  }
}
