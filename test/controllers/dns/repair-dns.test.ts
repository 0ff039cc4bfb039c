import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DnsCheck } from '../../../src/controllers/dns/check-dns.ts'
import { PastRepairs } from '../../../src/controllers/dns/past-repairs.ts'
import { type RepairOrBusy, repairAlone } from '../../../src/controllers/dns/repair-alone.ts'
import { repairDns } from '../../../src/controllers/dns/repair-dns.ts'
import { diagnose } from '../../../src/core/dns/diagnosis/diagnose.ts'
import type { DnsScene } from '../../../src/core/dns/scene.ts'
import { verdictOf } from '../../../src/core/dns/verdict.ts'
import type { ConfigMap } from '../../../src/model/config-map.ts'
import type { EvictionAnswer } from '../../../src/model/eviction.ts'
import { UserError } from '../../../src/model/user-error.ts'
import { WorldError } from '../../../src/model/world-error.ts'
import { aPodOfDns, aScene, SILENT } from '../../core/dns/a-scene.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const LEASE = { namespace: 'evenkeel', name: 'evenkeel-dns-repair' }
const WORKLOAD = { name: 'coredns', desired: 2, total: 2, updated: 2, ready: 2, isObserved: true }
const SICK = aScene({ pods: { a: SILENT } })
const WELL = aScene({ change: { pods: [aPodOfDns('b'), aPodOfDns('c')] } })
const ONE = aScene({ change: { pods: [aPodOfDns('b')] } })

/** A cluster whose DNS is as `scenes` say, one check after the other, the last one for good. */
class RepairWorld {
  readonly clock = new VirtualClock()
  readonly leases = new LeaseStore(this.clock)
  readonly touched: string[] = []
  readonly said: string[] = []
  kind: 'Deployment' | 'DaemonSet' = 'Deployment'
  isReplaced = false
  eviction: EvictionAnswer = { kind: 'accepted' }
  onCheck: () => void = () => undefined
  kept: ConfigMap | undefined
  readonly #scenes: (DnsScene | WorldError)[]

  constructor(...scenes: (DnsScene | WorldError)[]) {
    this.#scenes = scenes
  }

  get outcomes(): readonly string[] {
    return JSON.parse(this.kept?.data['repairs.json'] ?? '[]').map(
      ({ pod, outcome }: Record<string, string>) => `${pod} ${outcome}`,
    )
  }

  readonly #check = async (): Promise<DnsCheck> => {
    this.onCheck()
    const scene = this.#scenes.length > 1 ? this.#scenes.shift() : this.#scenes[0]
    if (scene === undefined || scene instanceof WorldError) throw scene ?? new Error('there is no scene')
    const findings = diagnose(scene)
    const facts = { zone: 'cluster.local', apiAddresses: [], dnsService: { namespace: '', name: '', addresses: [] } }
    return {
      verdict: verdictOf(findings),
      findings,
      scene,
      facts,
      selector: { 'k8s-app': 'kube-dns' },
      notes: [],
      queries: 1,
      rounds: 2,
      tookMs: 1,
    }
  }

  async repair(signal = new AbortController().signal): Promise<RepairOrBusy> {
    const { clock, leases } = this
    const configMaps = {
      read: async () => this.kept,
      write: async (written: ConfigMap) => {
        this.kept = { ...written, resourceVersion: '1' }
        return this.kept
      },
    }
    const repairer = {
      ground: async () => ({ budgets: {}, proxies: [], cordoned: [], workload: { ...WORKLOAD, kind: this.kind } }),
      quarantine: async ({ name }: { readonly name: string }) => {
        this.touched.push(`quarantine ${name} (${this.outcomes})`)
        return !this.isReplaced
      },
      evict: async ({ name }: { readonly name: string }) => {
        this.touched.push(`evict ${name}`)
        return this.eviction
      },
    }
    const past = new PastRepairs(configMaps, 'evenkeel')
    const parts = { check: this.#check, repairer, past, clock, say: (text: string) => this.said.push(text) }
    const alone = { leases: leases.client(), clock, random: new SeededRandom(1), lease: LEASE, identity: 'me' }
    let isOver = false
    const running = repairAlone(alone, (leader) => repairDns(parts, leader, signal), signal).finally(() => {
      isOver = true
    })
    running.catch(() => undefined)
    while (!isOver) await clock.advance(500)
    return running
  }
}

const outcomeOf = (repair: RepairOrBusy): string =>
  'busy' in repair ? `busy ${repair.busy}` : (repair.outcome?.kind ?? repair.decision.kind)

test('the sick pod is put in quarantine, DNS is watched for a minute, and all of it is remembered', async () => {
  const world = new RepairWorld(SICK, ONE, WELL)
  const repair = await world.repair()
  assert.equal(outcomeOf(repair), 'cured')
  // It is written that it began before the pod is touched.
  assert.deepEqual(world.touched, ['quarantine a (a begun)'])
  assert.deepEqual(world.outcomes, ['a cured'])
  assert.equal(world.leases.get(LEASE)?.holder, '')
  assert.ok(world.clock.monoMs() >= 60_000)
})

test('a second repair soon after the first is held', async () => {
  const world = new RepairWorld(SICK, WELL, WELL, WELL, WELL, WELL, WELL, WELL, SICK)
  assert.equal(outcomeOf(await world.repair()), 'cured')
  assert.equal(outcomeOf(await world.repair()), 'held')
  assert.equal(world.touched.length, 1)
})

test('where no other pod comes in its place, it is not cured', async () => {
  const world = new RepairWorld(SICK, ONE)
  const repair = await world.repair()
  assert.ok(!('busy' in repair) && repair.outcome?.kind === 'notCured')
  assert.match(repair.outcome.why, /^after 3 min 1 of 2 endpoints serve$/)
  assert.deepEqual(world.outcomes, ['a notCured'])
})

test('where DNS gets ill again while it is watched, it is not cured', async () => {
  const world = new RepairWorld(SICK, WELL, WELL, SICK)
  const repair = await world.repair()
  assert.ok(!('busy' in repair) && repair.outcome?.kind === 'notCured')
  assert.match(repair.outcome.why, /^DNS was well and is not any more: the check says UdpDead$/)
})

test('what is not seen for a while ends nothing, and for good it is no cure', async () => {
  const blind = aScene({ change: { vantages: [{ name: 'here', control: 'fails' }] } })
  assert.equal(outcomeOf(await new RepairWorld(SICK, blind, WELL, blind, blind, WELL).repair()), 'cured')
  const repair = await new RepairWorld(SICK, WELL, blind).repair()
  assert.ok(!('busy' in repair) && repair.outcome?.kind === 'notCured')
  assert.equal(repair.outcome.why, 'after 4 min it is not known whether DNS is well: VantageCutOff')
})

test('an API server that is away for a moment ends nothing', async () => {
  const away = new WorldError('refused', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  const world = new RepairWorld(SICK, away, away, WELL)
  assert.equal(outcomeOf(await world.repair()), 'cured')
})

test('a pod of a DaemonSet is evicted; where that is refused nothing is remembered', async () => {
  const world = new RepairWorld(SICK, WELL)
  world.kind = 'DaemonSet'
  assert.equal(outcomeOf(await world.repair()), 'cured')
  assert.deepEqual(world.touched, ['evict a'])
  const refused = new RepairWorld(SICK, WELL)
  refused.kind = 'DaemonSet'
  refused.eviction = { kind: 'refused', text: 'no', status: 403 }
  assert.equal(outcomeOf(await refused.repair()), 'notTouched')
  assert.deepEqual(refused.outcomes, [])
})

test('a pod that was replaced meanwhile is not touched', async () => {
  const world = new RepairWorld(SICK, WELL)
  world.isReplaced = true
  assert.equal(outcomeOf(await world.repair()), 'notTouched')
  assert.deepEqual(world.outcomes, [])
})

describe('one at a time', () => {
  const held = (world: RepairWorld): void => {
    const { clock, leases } = world
    leases.put({
      ...LEASE,
      resourceVersion: '',
      holder: 'other',
      durationSeconds: 15,
      renewTime: String(clock.wallMs()),
      transitions: 0,
      annotations: {},
    })
  }

  test('while another repair renews its Lease, nothing is asked or done', async () => {
    const world = new RepairWorld(SICK)
    let checks = 0
    world.onCheck = () => {
      checks += 1
    }
    held(world)
    const stop = new AbortController()
    const renewing = (async () => {
      while (!stop.signal.aborted) {
        await world.clock.sleep(5_000, stop.signal).catch(() => undefined)
        held(world)
      }
    })()
    const repair = await world.repair()
    stop.abort()
    await renewing
    assert.deepEqual([outcomeOf(repair), checks, world.touched], ['busy other', 0, []])
  })

  test('one whose process has died is followed', async () => {
    const world = new RepairWorld(SICK, WELL)
    held(world)
    assert.equal(outcomeOf(await world.repair()), 'cured')
  })

  test('an interrupted repair gives the Lease back, and counts as begun', async () => {
    const world = new RepairWorld(SICK, ONE)
    const stop = new AbortController()
    const reason = new Error('interrupted')
    let checks = 0
    world.onCheck = () => {
      checks += 1
      if (checks === 3) stop.abort(reason)
    }
    await assert.rejects(world.repair(stop.signal), reason)
    assert.deepEqual([world.outcomes, world.leases.get(LEASE)?.holder], [['a begun'], ''])
  })
})

test('repairs that a person has spoilt are told by name, and nothing is touched', async () => {
  const world = new RepairWorld(SICK)
  world.kept = {
    namespace: 'evenkeel',
    name: 'evenkeel-dns-repairs',
    resourceVersion: '1',
    annotations: {},
    data: { 'repairs.json': '{"at":1}' },
  }
  await assert.rejects(world.repair(), (error) => error instanceof UserError && error.code === 'dns.repairs')
  assert.deepEqual(world.touched, [])
})
