import { createHash } from 'node:crypto'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { Passage } from '../../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../../src/sim/world/api-request.ts'
import { API_RESOURCES } from '../../../src/sim/world/api-resource.ts'
import { jsonOf } from '../../../src/sim/world/json-of.ts'
import { troubled } from '../fleet/fleet-luck.ts'
import type { EffectHook } from '../virtual-roll/process-ports.ts'
import { DnsGround } from './dns-ground.ts'
import { DnsProcess } from './dns-process.ts'
import { type DnsScenario, dnsScenario } from './dns-scenario.ts'
import { DnsWitness } from './dns-witness.ts'

export interface DnsReport {
  readonly seed: string
  readonly digest: string
  readonly violations: readonly Violation[]
  readonly virtualMs: number
  readonly deaths: number
  readonly checks: number
  /** Pods that were taken out of service. */
  readonly touched: number
  /** How often each cause was named. */
  readonly codes: Readonly<Record<string, number>>
  /** What checks said last, where something went wrong. */
  readonly events: readonly string[]
}

interface Violation {
  readonly checker: string
  readonly atMs: number
  readonly text: string
}

type Say = (checker: string, text: string) => void

const RESTART_MS = 1_000
/** A node that lost its power is Ready again, pods have moved, and the last repair was watched to its end. */
const WELL_WITHIN_S = 600
const QUIET_MS = 150_000
const KEPT_CHECK_MS = 5_000

/** The controller, begun anew a second after each of its deaths, and all that is seen of it. */
class Controllers {
  deaths = 0
  readonly events: string[] = []
  readonly errors: unknown[] = []
  /** Writes beside the renewals of Leases. */
  readonly writes: string[] = []
  verdict = 'none'
  /** Right after a pod was taken out of service. */
  onTouch = (): void => undefined
  relays = 0
  #count = 0
  #begunAtMs: number | undefined
  #current: DnsProcess | undefined
  readonly #ground: DnsGround
  readonly #scenario: DnsScenario
  readonly #witness: DnsWitness
  readonly #random: SeededRandom

  constructor(ground: DnsGround, scenario: DnsScenario, witness: DnsWitness) {
    this.#ground = ground
    this.#scenario = scenario
    this.#witness = witness
    this.#random = new SeededRandom(`luck ${scenario.seed}`)
    this.#begin()
  }

  /** From now on things go wrong. */
  start(): void {
    this.#begunAtMs = this.#now
  }

  kill(): void {
    const process = this.#current
    if (process === undefined || process.ports.lifeline.isDead) return
    process.ports.lifeline.cut()
    this.relays = 0
    this.deaths += 1
    this.#ground.network.takeAsked()
    this.#ground.cluster.time.later(RESTART_MS, () => this.#begin())
  }

  get #now(): number {
    return this.#ground.cluster.time.monoMs()
  }

  #begin(): void {
    const { cluster, network, pods } = this.#ground
    const { here, hasRelays, clockAheadMs, intervalMs } = this.#scenario
    this.#count += 1
    const refusalOf = (node: string): string | undefined => {
      this.#witness.relayOn(node)
      return this.#ground.relayRefusal(node)
    }
    const onOpen = (change: 1 | -1): void => {
      this.relays += change
    }
    const process = new DnsProcess({
      ...{ cluster, network, pods, clockAheadMs },
      name: `controller ${this.#count}`,
      place: this.#ground.placeOf(here, 'here'),
      outside: { passageOf: (request) => this.#passageOf(request), onEffect: this.#onEffect },
      ...(hasRelays ? { relays: { refusalOf, onOpen } } : {}),
      noWayTo: (node) => this.#noWayTo(node),
    })
    this.#current = process
    const loop = process.loop(intervalMs, async (check) => {
      network.takeAsked()
      const fromMs = this.#now
      const found = await check()
      const said = found.findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(' ')}`)
      this.events.push(`${(this.#now / 1_000).toFixed(1)} s ${found.verdict}: ${said.join('; ')}`)
      this.verdict = found.verdict
      this.#witness.checked({ check: found, fromMs, asked: network.takeAsked() })
      return found
    })
    loop.run(new AbortController().signal).catch((error: unknown) => {
      if (!process.ports.lifeline.isDead) this.errors.push(error)
    })
  }

  #noWayTo(node: string): string | undefined {
    const { cluster } = this.#ground
    if (cluster.apiServer.life === undefined) return 'the API server is away'
    return cluster.machines.get(node)?.isOn === true ? undefined : `${node} is not reached`
  }

  #passageOf(request: ApiRequest): Passage {
    const { api, healAtMs } = this.#scenario
    const atMs = this.#begunAtMs === undefined ? -1 : this.#now - this.#begunAtMs
    const isWrite = request.method !== 'GET'
    const trouble = api.find(({ what, fromMs, toMs, share }) => {
      if (atMs < fromMs || atMs >= toMs || atMs > healAtMs) return false
      if ((what === 'unheard' || what === 'conflicts') && !isWrite) return false
      return this.#random.next() < share
    })
    return troubled(trouble?.what, this.#random)
  }

  readonly #onEffect: EffectHook = (effect, phase, lifeline) => {
    if (/^PUT .*\/leases\//.test(effect)) return
    if (phase === 'before') this.writes.push(effect)
    const pod = /\/pods\/([^/?]+)(?:\/eviction)?$/.exec(effect)?.[1]
    if (pod !== undefined && phase === 'before') this.#witness.touches(pod)
    if (pod !== undefined && phase === 'after') this.onTouch()
    const nth = this.writes.length
    const isBegun = this.#begunAtMs !== undefined
    const dies = this.#scenario.killsAtWrites.some((kill) => kill.nth === nth && kill.phase === phase)
    if (isBegun && dies && !lifeline.isDead) this.kill()
  }
}

/** One scenario from a healthy DNS to the end of all faults: what happened, and all that must not. */
export async function runDnsSeed(seed: string): Promise<DnsReport> {
  const scenario = dnsScenario(seed)
  const ground = await DnsGround.open(scenario)
  const { time } = ground.cluster
  const digest = digestOf(ground)
  const violations: Violation[] = []
  const say: Say = (checker, text) => violations.push({ checker, atMs: time.monoMs(), text })
  const witness = new DnsWitness(ground, say)
  const controllers = new Controllers(ground, scenario, witness)
  try {
    await ground.until('a first check', () => controllers.verdict !== 'none', 60)
    controllers.start()
    plan(ground, scenario, controllers)
    await time.advance(scenario.healAtMs)
    await checkEnd({ ground, scenario, controllers }, say)
  } catch (error) {
    say('ends-in-time', String(error))
  }
  for (const error of controllers.errors)
    say('no-crash', error instanceof Error ? (error.stack ?? error.message) : String(error))
  const { deaths } = controllers
  const { checks, touched, codes } = witness
  const report = { seed, digest: digest(), violations, virtualMs: time.monoMs(), deaths, checks, touched, codes }
  ground.end()
  return { ...report, events: violations.length === 0 ? [] : controllers.events }
}

function plan(ground: DnsGround, scenario: DnsScenario, controllers: Controllers): void {
  const { time } = ground.cluster
  const begunAtMs = time.monoMs()
  for (const fault of scenario.faults)
    time.later(fault.fromMs, () => {
      const heal = ground.fault(fault, (node) => node === ground.placeOf(scenario.here, '').node)
      if (heal !== undefined) time.later(begunAtMs + fault.toMs - time.monoMs(), heal)
    })
  for (const deed of scenario.deeds) time.later(deed.atMs, () => ground.deed(deed))
  for (const atMs of scenario.servicesAtMs) time.later(atMs, () => ground.addService())
  for (const atMs of scenario.killsAtMs) time.later(atMs, () => controllers.kill())
  time.later(scenario.healAtMs, () => ground.uncordonAll())
  const { deedAtTouch } = scenario
  controllers.onTouch = () => {
    if (deedAtTouch === 'kill') controllers.kill()
    else if (deedAtTouch !== 'none') ground.deed({ kind: deedAtTouch, atMs: time.monoMs(), pick: scenario.here.pick })
  }
  const keptSince = new Map<string, number>()
  const tidy = (): void => {
    const now = time.monoMs()
    for (const { metadata } of ground.pods.quarantined()) {
      const since = keptSince.get(metadata.uid) ?? now
      keptSince.set(metadata.uid, since)
      if (now - since >= scenario.keptMs) ground.deleteQuarantined()
    }
    time.later(KEPT_CHECK_MS, tidy)
  }
  tidy()
}

interface World {
  readonly ground: DnsGround
  readonly scenario: DnsScenario
  readonly controllers: Controllers
}

async function checkEnd({ ground, scenario: { here, hasRelays, setup }, controllers }: World, say: Say): Promise<void> {
  // From outside, UDP to the pods is not seen.
  const isSeenOutside = setup.beside === 'nodePort' && !setup.isHostNetwork && setup.policy === 'none'
  const isBlind = here.kind === 'outside' && (!hasRelays || setup.isFull) && !isSeenOutside
  const well = isBlind ? 'unverified' : 'ok'
  const isWell = (): boolean => controllers.verdict === well && ground.pods.quarantined().length === 0
  await ground.until(`DNS to be ${well}, and nothing to be kept`, isWell, WELL_WITHIN_S)
  // A repair that is under way goes on for four minutes.
  await ground.cluster.time.advance(QUIET_MS)
  if (!isWell()) say('well-at-the-end', `${controllers.verdict}, ${ground.pods.quarantined().length} pods are kept`)
  const status = well === 'ok' ? '=True' : '=Unknown'
  if (!ground.condition().includes(status)) say('well-at-the-end', `the Service says ${ground.condition()}`)
  const before = controllers.writes.length
  await ground.cluster.time.advance(QUIET_MS)
  const written = controllers.writes.slice(before)
  if (written.length > 0) say('no-write-without-change', written.join(', '))
}

/** All writes of the world, in their order. */
function digestOf({ cluster }: DnsGround): () => string {
  const hash = createHash('sha256')
  for (const resource of API_RESOURCES)
    cluster.world.store.subscribe(resource, ({ revision, type, object }) => {
      hash.update(`${cluster.time.monoMs()} ${revision} ${type} ${resource.plural} ${jsonOf(object)}\n`)
    })
  return () => hash.digest('hex')
}
