import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { ServiceAsRead, ServiceConditions } from '../../../src/dns/ports/service-conditions.ts'
import { AnnouncedHealth } from '../../../src/dns/run/announced-health.ts'
import { DnsLoop } from '../../../src/dns/run/dns-loop.ts'
import { LoopRepair } from '../../../src/dns/run/loop-repair.ts'
import { repairAlone } from '../../../src/dns/run/repair-alone.ts'
import type { Condition } from '../../../src/ground/model/condition.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { ObjectNotices } from '../../../src/ground/ports/object-notices.ts'
import { ONE, REPAIR_LEASE, RepairWorld, type Seen, SICK, WELL } from '../../support/dns/repair-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { aScene, DEAD } from '../decide/a-scene.ts'

const INTERVAL_MS = 30_000
const refused = (code: string): WorldError => new WorldError('refused', { code, retry: 'backoff' })

/** The loop of a controller over a cluster whose DNS is as its scenes say, and the Service as people see it. */
class LoopWorld extends RepairWorld {
  isLeading = true
  isHanging = false
  checks = 0
  closed = 0
  /** Each condition that was written, and each Event, in order. */
  readonly written: string[] = []
  readonly events: string[] = []
  readonly logged: string[] = []
  condition: Condition | undefined
  /** What goes wrong with the next writes of the Service. */
  refusals: string[] = []
  readonly loop: DnsLoop
  readonly #life = new AbortController()

  constructor({ repairs }: { readonly repairs: boolean }, ...scenes: Seen[]) {
    super(...scenes)
    const { clock } = this
    const random = new SeededRandom(1)
    const leader = { isLeading: () => this.isLeading }
    const log = { debug: () => undefined, warn: (text: string) => this.logged.push(text) }
    const notices: ObjectNotices = {
      tell: async ({ kind, name, type, reason }) => {
        this.events.push(`${kind} ${name} ${type} ${reason.code}: ${reason.text}`)
      },
    }
    const checks = {
      next: () => {
        this.checks += 1
        return this.isHanging ? new Promise<never>(() => undefined) : this.check()
      },
      close: async () => {
        this.closed += 1
        return []
      },
    }
    const { repairer, past } = this
    const repair = new LoopRepair({ ...this.alone('me'), repairer, past, notices, leader, log })
    this.loop = new DnsLoop({
      checks,
      health: new AnnouncedHealth({ conditions: this.#conditions, notices, clock }),
      leader,
      intervalMs: INTERVAL_MS,
      clock,
      random,
      log,
      ...(repairs ? { repair } : {}),
    })
  }

  get #conditions(): ServiceConditions {
    const asRead = (): ServiceAsRead => ({
      namespace: 'kube-system',
      name: 'kube-dns',
      uid: 'uid-service',
      resourceVersion: '1',
      conditions: this.condition === undefined ? [] : [this.condition],
    })
    return {
      read: async () => asRead(),
      write: async (_, condition) => {
        const refusal = this.refusals.shift()
        if (refusal !== undefined) throw refused(refusal)
        this.condition = condition
        const { status, reason, lastTransitionTime } = condition
        this.written.push(`${status} ${reason} since ${lastTransitionTime}`)
      },
    }
  }

  /** It runs, and this much time passes. */
  async run(ms: number): Promise<void> {
    this.loop.run(this.#life.signal).catch(() => undefined)
    await this.pass(ms)
  }

  /** In steps, so that what follows from one another has the turns of the host's loop that it takes. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) await this.clock.advance(Math.min(500, left))
  }

  leads(isLeading: boolean): void {
    this.isLeading = isLeading
    this.loop.wake()
  }

  end(): void {
    this.#life.abort(new Error('the test is over'))
  }
}

const AWAY = new WorldError('the API server refuses', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
const FORBIDDEN = new UserError('this identity is not allowed to list services', {
  code: 'dns.forbidden',
  fix: 'allow it',
})
const MINUTE_MS = 60_000

const never = (): never => {
  throw new Error('it is over')
}

const worldOf = (t: TestContext, { repairs = false }, ...scenes: Seen[]): LoopWorld => {
  const world = new LoopWorld({ repairs }, ...scenes)
  t.after(() => world.end())
  return world
}

describe('what the Service shows', () => {
  test('DNS that stays healthy is written once, and reported by one Event', async (t) => {
    const world = worldOf(t, {}, WELL)
    await world.run(10 * MINUTE_MS)
    assert.ok(world.checks >= 15 && world.checks <= 26, `${world.checks} checks`)
    assert.deepEqual(world.written, ['True Healthy since 2026-01-01T00:00:00.000Z'])
    assert.deepEqual(world.events, [
      'Service kube-dns Normal Healthy: Every pod and the Service answer correctly over UDP.',
    ])
    assert.deepEqual(world.loop.status().trouble, [])
  })

  test('each change of it is written and told, and a time is kept while the status stays', async (t) => {
    const world = worldOf(t, {}, WELL)
    await world.run(1_000)
    world.becomes(SICK)
    await world.clock.advance(MINUTE_MS)
    const since = world.condition?.lastTransitionTime
    assert.equal(world.condition?.message, 'Pod a: the pod answers over TCP but not over UDP.')
    world.becomes(aScene({ pods: { a: DEAD, b: DEAD } }))
    await world.pass(MINUTE_MS)
    world.becomes(WELL)
    await world.pass(MINUTE_MS)
    assert.deepEqual(
      world.written.map((line) => line.replace(/ since .*/, '')),
      ['True Healthy', 'False UdpDead', 'False AllPodsSilent', 'True Healthy'],
    )
    assert.equal(world.written[2], `False AllPodsSilent since ${since}`)
    assert.ok(Date.parse(world.condition?.lastTransitionTime ?? '') > Date.parse(since ?? ''))
    assert.deepEqual(
      world.events.map((event) => event.replace(/:.*/, '')),
      [
        'Service kube-dns Normal Healthy',
        'Service kube-dns Warning UdpDead',
        'Service kube-dns Warning AllPodsSilent',
        'Service kube-dns Normal Healthy',
      ],
    )
  })

  test('what an earlier leader wrote is neither written nor reported again, and what was taken away comes back', async (t) => {
    const first = worldOf(t, {}, SICK)
    await first.run(1_000)
    const world = worldOf(t, {}, SICK)
    world.condition = first.condition
    await world.run(MINUTE_MS)
    assert.deepEqual([world.written, world.events], [[], []])
    world.condition = undefined
    await world.pass(MINUTE_MS)
    assert.deepEqual([world.written.length, world.events], [1, []])
  })

  test('a Service that something else wrote meanwhile is read again', async (t) => {
    const world = worldOf(t, {}, WELL)
    world.refusals = ['KUBE_CONFLICT', 'KUBE_CONFLICT']
    await world.run(500)
    assert.equal(world.written.length, 1)
  })

  test('a condition that could not be written is tried again after a moment, and the Event is not reported twice', async (t) => {
    const world = worldOf(t, {}, WELL)
    world.refusals = ['KUBE_UNREACHABLE', 'KUBE_UNREACHABLE', 'KUBE_UNREACHABLE']
    await world.run(500)
    assert.deepEqual([world.written, world.loop.status().trouble], [[], ['refused']])
    await world.pass(15_000)
    assert.deepEqual([world.written.length, world.events.length, world.loop.status().trouble], [1, 1, []])
    assert.deepEqual(world.logged, ['dns: the health of DNS was not published to the cluster'])
  })
})

describe('what keeps it from checking', () => {
  test('an API server that is away is said once and asked again, more and more seldom', async (t) => {
    const world = worldOf(t, {}, AWAY)
    await world.run(10 * MINUTE_MS)
    assert.ok(world.checks > 20 && world.checks < 70, `${world.checks} checks`)
    assert.deepEqual(world.logged, ['dns: a check failed'])
    assert.deepEqual(world.loop.status().trouble, ['the API server refuses'])
    world.becomes(WELL)
    await world.pass(MINUTE_MS)
    assert.deepEqual([world.written.length, world.loop.status().trouble], [1, []])
    const { checks, failures } = world.loop.status().seen
    assert.equal(checks + failures, world.checks)
  })

  test('a right that was taken away is said once per change, and DNS is called unknown until it is back', async (t) => {
    const world = worldOf(t, {}, WELL)
    await world.run(1_000)
    world.becomes(FORBIDDEN)
    await world.pass(5 * MINUTE_MS)
    assert.deepEqual(world.loop.status().trouble, ['this identity is not allowed to list services'])
    assert.deepEqual(
      [world.condition?.status, world.condition?.reason, world.condition?.message],
      ['Unknown', 'NotAsked', 'DNS could not be checked: this identity is not allowed to list services.'],
    )
    world.becomes(WELL)
    await world.pass(MINUTE_MS)
    world.becomes(FORBIDDEN)
    await world.pass(MINUTE_MS)
    assert.equal(world.logged.length, 2)
    assert.deepEqual(
      world.written.map((line) => line.split(' ')[0]),
      ['True', 'Unknown', 'True', 'Unknown'],
    )
  })
})

describe('leadership', () => {
  test('a standby checks nothing; a leader checks at once, and one that leads no more ends and takes its relays away', async (t) => {
    const world = worldOf(t, {}, WELL)
    world.isLeading = false
    await world.run(5 * MINUTE_MS)
    assert.deepEqual([world.checks, world.loop.status().state], [0, 'standby'])
    world.leads(true)
    await world.pass(500)
    assert.deepEqual([world.checks, world.loop.status().state], [1, 'waiting'])
    world.leads(false)
    await world.pass(5 * MINUTE_MS)
    assert.deepEqual([world.checks, world.closed, world.loop.status().state], [1, 1, 'standby'])
  })

  test('a loop that is stopped has taken its relays away', async (t) => {
    const world = worldOf(t, {}, WELL)
    await world.run(500)
    await world.loop.stop()
    assert.equal(world.closed, 1)
    await world.pass(MINUTE_MS)
    assert.equal(world.checks, 1)
  })

  test('a check that never ends is given up', async (t) => {
    const world = worldOf(t, {}, WELL)
    world.isHanging = true
    await world.run(4 * MINUTE_MS)
    assert.deepEqual(world.loop.status().trouble, ['the check of DNS did not answer within 180000 ms'])
  })
})

describe('repairs', () => {
  test('without the option an ill pod is reported and not touched', async (t) => {
    const world = worldOf(t, {}, SICK)
    await world.run(10 * MINUTE_MS)
    assert.deepEqual([world.touched, world.events.length], [[], 1])
    assert.equal(world.loop.status().repair, undefined)
  })

  test('an ill pod is replaced once every guard holds, and the Service and the pod tell of it', async (t) => {
    const world = worldOf(t, { repairs: true }, SICK, SICK, WELL)
    await world.run(3 * MINUTE_MS)
    assert.deepEqual([world.touched, world.outcomes], [['quarantine a (a begun)'], ['a cured']])
    assert.deepEqual(
      world.events.map((event) => event.replace(/ after .*?, /, ' after T, ')),
      [
        'Service kube-dns Warning UdpDead: Pod a: the pod answers over TCP but not over UDP.',
        'Service kube-dns Normal Healthy: Every pod and the Service answer correctly over UDP.',
        'Pod a Normal UdpDead: replaced: DNS was well after T, and stayed so for a minute; the pod stays, without its labels: look at it, then: kubectl delete pod -n kube-system a',
      ],
    )
    assert.equal(world.leases.get(REPAIR_LEASE)?.holder, '')
  })

  test('a repair that cured nothing leaves a pod in quarantine as well, and its Event says how to delete it', async (t) => {
    const world = worldOf(t, { repairs: true }, SICK, SICK, ONE)
    await world.run(5 * MINUTE_MS)
    assert.deepEqual(world.outcomes, ['a notCured'])
    assert.deepEqual(
      world.events.filter((event) => event.startsWith('Pod')),
      [
        'Pod a Warning UdpDead: replaced, and DNS is still unhealthy: after 3 min 1 of 2 pods serve; the pod stays, without its labels: look at it, then: kubectl delete pod -n kube-system a',
      ],
    )
  })

  test('what no new pod cures is not even decided upon', async (t) => {
    const world = worldOf(t, { repairs: true }, aScene({ pods: { a: DEAD, b: DEAD } }))
    await world.run(10 * MINUTE_MS)
    assert.deepEqual([world.touched, world.leases.get(REPAIR_LEASE)], [[], undefined])
    assert.deepEqual(world.loop.status().repair, { last: 'nothing', why: [], isUnderWay: false })
  })

  test('a guard that holds it back is said once, and again where it is another', async (t) => {
    const world = worldOf(t, { repairs: true }, SICK)
    world.cordoned = ['n-b']
    await world.run(10 * MINUTE_MS)
    const ofPod = () => world.events.filter((event) => event.startsWith('Pod'))
    assert.deepEqual(ofPod(), [
      'Pod a Warning UdpDead: not replaced: nothingElseMoves: n-b has a DNS pod and is cordoned: a drain may be under way',
    ])
    assert.deepEqual(world.logged, ['dns: repair: not replaced'])
    assert.deepEqual([world.touched, world.leases.get(REPAIR_LEASE)], [[], undefined])
    world.cordoned = []
    world.kept = {
      namespace: 'evenkeel',
      name: 'evenkeel-dns-repairs',
      resourceVersion: '1',
      annotations: {},
      data: { 'repairs.json': '[{"at":"2026-01-01T00:10:00Z","pod":"b","outcome":"cured"}]' },
    }
    await world.pass(MINUTE_MS)
    assert.match(ofPod()[1] ?? '', /^Pod a Warning UdpDead: not replaced: pace: b was replaced at 2026-01-01T00:10:00Z/)
    assert.equal(ofPod().length, 2)
  })

  test('while a person repairs, the controller does not, and goes on checking', async (t) => {
    const world = worldOf(t, { repairs: true }, SICK)
    const stopped = new AbortController()
    const repairing = () => world.clock.sleep(60 * MINUTE_MS, stopped.signal).then(never)
    const person = repairAlone(world.alone('person'), repairing, stopped.signal)
    person.catch(() => undefined)
    await world.run(10 * MINUTE_MS)
    assert.deepEqual([world.touched, world.loop.status().repair?.why], [[], ['it is held by person']])
    assert.ok(world.checks > 5, `${world.checks} checks`)
    assert.deepEqual(world.logged, ['dns: repair: not replaced, since another repair is under way'])
    stopped.abort(new Error('the test is over'))
    await world.pass(1_000)
  })

  test('a lead that lapses before the pod is touched leaves it alone', async (t) => {
    const world = worldOf(t, { repairs: true }, SICK)
    // The second check is the one under the Lease of repairs.
    world.onCheck = () => {
      if (world.checks === 2) world.isLeading = false
    }
    await world.run(MINUTE_MS)
    assert.deepEqual([world.touched, world.outcomes, world.checks], [[], [], 2])
  })

  test('a lead that is lost in the middle of a repair ends it, and gives the Lease of repairs back', async (t) => {
    const world = worldOf(t, { repairs: true }, SICK, SICK, WELL)
    await world.run(20_000)
    assert.deepEqual([world.touched.length, world.loop.status().repair?.isUnderWay], [1, true])
    assert.equal(world.leases.get(REPAIR_LEASE)?.holder, 'me')
    world.leads(false)
    await world.pass(1_000)
    const { checks } = world
    await world.pass(10 * MINUTE_MS)
    assert.deepEqual([world.checks, world.outcomes], [checks, ['a begun']])
    assert.deepEqual([world.leases.get(REPAIR_LEASE)?.holder, world.loop.status().repair?.isUnderWay], ['', false])
  })

  test('a right that a repair lacks is said once, and checks go on', async (t) => {
    const world = worldOf(t, { repairs: true }, SICK)
    world.kept = {
      namespace: 'evenkeel',
      name: 'evenkeel-dns-repairs',
      resourceVersion: '1',
      annotations: {},
      data: { 'repairs.json': 'spoilt' },
    }
    await world.run(10 * MINUTE_MS)
    assert.ok(world.checks > 15, `${world.checks} checks`)
    assert.deepEqual(world.logged, ['dns: a repair failed'])
    assert.match(world.loop.status().trouble[0] ?? '', /is not a list of repairs$/)
  })
})
