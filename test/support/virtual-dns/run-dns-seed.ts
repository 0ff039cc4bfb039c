import { createHash } from 'node:crypto'
import { checkDns } from '../../../src/dns/run/check-dns.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { API_RESOURCES } from '../../../src/sim/world/api-resource.ts'
import { jsonOf } from '../../../src/sim/world/json-of.ts'
import { Controllers } from './controllers.ts'
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

/** A node that lost its power is Ready again, pods have moved, and the last repair was watched to its end. */
const WELL_WITHIN_S = 600
const QUIET_MS = 150_000
const KEPT_CHECK_MS = 5_000

interface World {
  readonly ground: DnsGround
  readonly scenario: DnsScenario
  readonly controllers: Controllers
  readonly witness: DnsWitness
  readonly say: Say
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
    const world = { ground, scenario, controllers, witness, say }
    plan(world)
    await time.advance(scenario.healAtMs)
    await checkEnd(world)
  } catch (error) {
    say('ends-in-time', String(error))
  }
  for (const error of controllers.errors) say('no-crash', stackOf(error))
  const { deaths } = controllers
  const { checks, touched, codes } = witness
  const report = { seed, digest: digest(), violations, virtualMs: time.monoMs(), deaths, checks, touched, codes }
  ground.end()
  return { ...report, events: violations.length === 0 ? [] : controllers.events }
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))

function plan(world: World): void {
  const { ground, scenario, controllers } = world
  const { time } = ground.cluster
  const begunAtMs = time.monoMs()
  for (const fault of scenario.faults)
    time.later(fault.fromMs, () => {
      const kept = ground.placeOf(scenario.here, { name: '', owner: '' }).node
      const heal = ground.fault(fault, (node) => node === kept)
      if (heal !== undefined) time.later(begunAtMs + fault.toMs - time.monoMs(), heal)
    })
  for (const deed of scenario.deeds) time.later(deed.atMs, () => ground.deed(deed))
  for (const atMs of scenario.servicesAtMs) time.later(atMs, () => ground.addService())
  for (const atMs of scenario.killsAtMs) time.later(atMs, () => controllers.kill())
  for (const person of scenario.persons) time.later(person.atMs, () => asks(world, person))
  time.later(scenario.healAtMs, () => ground.uncordonAll())
  const { deedAtTouch } = scenario
  controllers.onTouch = () => {
    if (deedAtTouch === 'kill') controllers.kill()
    else if (deedAtTouch !== 'none') ground.deed({ kind: deedAtTouch, atMs: time.monoMs(), pick: scenario.here.pick })
  }
  tidy(ground, scenario.keptMs)
}

/** A person checks DNS once, from elsewhere. */
function asks({ ground, scenario, witness, say }: World, person: DnsScenario['persons'][number]): void {
  const { network, cluster } = ground
  const owner = `person ${person.atMs}`
  const process = new DnsProcess({
    ground,
    place: ground.placeOf(person.here, { name: 'here', owner }),
    outside: {},
    hasRelays: person.hasRelays,
    onRelay: (node) => witness.relayOn(node),
    clockAheadMs: scenario.clockAheadMs,
    perSecond: scenario.perSecond,
  })
  const fromMs = cluster.time.monoMs()
  checkDns(process.checks, new AbortController().signal).then(
    (check) => witness.checked({ check, fromMs, asked: network.takeAsked(owner) }),
    (error: unknown) => {
      if (!(error instanceof WorldError || error instanceof UserError)) say('no-crash', stackOf(error))
    },
  )
}

/** A person deletes what a repair has kept, once it was looked at for so long. */
function tidy(ground: DnsGround, keptMs: number): void {
  const { time } = ground.cluster
  const keptSince = new Map<string, number>()
  const look = (): void => {
    const now = time.monoMs()
    for (const { metadata } of ground.pods.quarantined()) {
      const since = keptSince.get(metadata.uid) ?? now
      keptSince.set(metadata.uid, since)
      if (now - since >= keptMs) ground.deleteQuarantined()
    }
    time.later(KEPT_CHECK_MS, look)
  }
  look()
}

/** From outside, UDP to the pods is not seen. */
function wellOf({ here, hasRelays, setup, lacks }: DnsScenario): readonly string[] {
  const isSeenOutside = setup.beside === 'nodePort' && !setup.isHostNetwork && setup.policy === 'none'
  const areNodesKnown = !lacks.includes('nodes')
  const areRelays = hasRelays && !setup.isFull && areNodesKnown
  const isBlind = here.kind === 'outside' && !areRelays && !(isSeenOutside && areNodesKnown)
  if (isBlind) return ['unverified', 'observed']
  // Without the Corefile it is not known which names it serves.
  return lacks.includes('corefile') && setup.corefile === 'namespaces' ? ['ok', 'unverified'] : ['ok']
}

async function checkEnd({ ground, scenario, controllers, say }: World): Promise<void> {
  const well = wellOf(scenario)
  const isWell = (): boolean => well.includes(controllers.verdict) && ground.pods.quarantined().length === 0
  await ground.until(`DNS to be ${well.join(' or ')}, and nothing to be kept`, isWell, WELL_WITHIN_S)
  // A repair that is under way goes on for four minutes.
  await ground.cluster.time.advance(QUIET_MS)
  if (!isWell()) say('well-at-the-end', `${controllers.verdict}, ${ground.pods.quarantined().length} pods are kept`)
  const isSaid = well.includes('ok') ? ground.condition().includes('=True') : true
  if (!isSaid && well.length === 1) say('well-at-the-end', `the Service says ${ground.condition()}`)
  const before = controllers.writes.length
  await ground.cluster.time.advance(QUIET_MS)
  const written = controllers.writes.slice(before)
  if (written.length > 0 && well.length === 1) say('no-write-without-change', written.join(', '))
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
