import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { DnsCheck } from '../../../src/dns/run/check-dns.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aDnsScene, askedOn, found } from '../../support/roll-dns.ts'
import { aSpec } from '../../support/roll-world.ts'

const ROLLED_MS = 400_000
type Next = (from: readonly string[], signal: AbortSignal) => Promise<DnsCheck>

/** What a check would find, from relays on these nodes. */
const check = (
  findings: readonly string[],
  from: readonly string[],
  udp: 'answers' | 'silent' = 'answers',
): DnsCheck => ({
  verdict: 'ok',
  findings: findings.map(found),
  scene: aDnsScene({
    vantages: from.flatMap((node) => askedOn(node).vantages),
    paths: from.flatMap((node) => askedOn(node, udp).paths),
  }),
  askedZone: {
    zone: 'cluster.local',
    apiAddresses: [],
    dnsService: { namespace: 'kube-system', name: 'kube-dns', addresses: [] },
  },
  selector: {},
  notes: [],
  queriesPerSecond: 800,
  queries: 1,
  rounds: 1,
  tookMs: 1,
})

const well = (from: readonly string[]): DnsCheck => check(['Healthy cluster dns'], from)
const never = (): Promise<never> => new Promise(() => undefined)

/** A checker that is asked by a roll of one node; `next` says what it finds from then on. */
function checker(first: Next) {
  const asked: string[] = []
  const parts = { next: first, isClosed: false, asked }
  const checks = {
    next: ({ from = [] }: { readonly from?: readonly string[] }, signal: AbortSignal): Promise<DnsCheck> => {
      asked.push(from.join(' '))
      return parts.next(from, signal)
    },
    close: async (): Promise<readonly string[]> => {
      parts.isClosed = true
      return []
    },
  }
  return { parts, checks }
}

const ONE = { order: ['n1'], spec: aSpec({ dns: { namespace: 'evenkeel' } }) }

function begun(t: TestContext, dns: ReturnType<typeof checker>['checks'], run: object = ONE): MemoryRoll {
  const roll = memoryRoll({ dns, run })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return roll
}

const outcomeOf = ({ ended }: MemoryRoll) => ended() && [ended()?.outcome, ended()?.exitCode]
const heldBy = ({ events }: MemoryRoll): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'hold.started' ? event.reasons.map(({ code }) => `${event.step} ${code}`) : [],
  )
const warnings = ({ events }: MemoryRoll): readonly string[] =>
  events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))

/** Until that is so, second by second. */
async function until(roll: MemoryRoll, what: string, isSo: () => boolean): Promise<void> {
  for (let passed = 0; !isSo(); passed += 1_000) {
    assert.ok(passed < ROLLED_MS, what)
    await roll.clock.advance(1_000)
  }
}

test('no node goes while DNS is ill, and it goes once DNS is well', async (t) => {
  const { parts, checks } = checker(async (from) => check(['UdpDropped pod c-1, pod c-2'], from))
  const roll = begun(t, checks)
  await roll.clock.advance(120_000)
  assert.deepEqual([heldBy(roll), roll.cluster.node('n1').unschedulable, roll.reboots], [['record DnsIll'], false, []])
  parts.next = async (from) => well(from)
  await roll.clock.advance(ROLLED_MS)
  assert.deepEqual([outcomeOf(roll), roll.reboots], [['completed', 0], ['n1']])
})

test('a roll is held at its limit, with nothing touched, where DNS stays ill', async (t) => {
  const { checks } = checker(async (from) => check(['OnlyPodDead pod c-1'], from))
  const roll = begun(t, checks)
  await roll.clock.advance(620_000)
  assert.deepEqual([outcomeOf(roll), roll.reboots], [['held', 3], []])
})

test('a node that is back is not attached before DNS works on it', async (t) => {
  const { parts, checks } = checker(async (from) => well(from))
  const roll = begun(t, checks)
  await until(roll, 'n1 was never rebooted', () => roll.reboots.length > 0)
  parts.next = async (from) => check(['ProxyStale node n1'], from, 'silent')
  await roll.clock.advance(120_000)
  assert.deepEqual([heldBy(roll), outcomeOf(roll)], [['settle DnsNotReady', 'settle DnsNotReady'], undefined])
  assert.equal(parts.asked.at(-1), 'n1 n2')
  parts.next = async (from) => well(from)
  await roll.clock.advance(ROLLED_MS)
  assert.deepEqual(outcomeOf(roll), ['completed', 0])
})

test('the check that lets a node serve again began after the node was back', async (t) => {
  const { parts, checks } = checker(async (from) => well(from))
  const roll = begun(t, checks)
  await until(roll, 'n1 was never rebooted', () => roll.reboots.length > 0)
  const before = parts.asked.length
  await until(roll, 'n1 was never attached', () => outcomeOf(roll) !== undefined)
  assert.equal(parts.asked[before], 'n1 n2')
})

test('nodes are asked one after another by relays that stay where they may', async (t) => {
  const { parts, checks } = checker(async (from) => well(from))
  const roll = begun(t, checks, { spec: ONE.spec })
  await roll.clock.advance(3 * ROLLED_MS)
  assert.deepEqual(outcomeOf(roll), ['completed', 0])
  const changes = parts.asked.filter((from, at) => at === 0 || parts.asked[at - 1] !== from)
  assert.deepEqual(changes, ['n3 n2', 'n1 n3', 'n2 n1', 'n3 n2'])
  assert.equal(parts.isClosed, true)
})

test('a checker that hangs holds each wait for its limit, and the roll ends well', async (t) => {
  const { checks } = checker(never)
  const roll = begun(t, checks)
  await roll.clock.advance(25_000)
  assert.equal(roll.cluster.node('n1').unschedulable, false)
  await roll.clock.advance(ROLLED_MS)
  assert.deepEqual([outcomeOf(roll), roll.reboots], [['completed', 0], ['n1']])
})

test('a checker that fails is reported once, and holds nothing up', async (t) => {
  const { checks } = checker(() => Promise.reject(new TypeError('x is not a function')))
  const roll = begun(t, checks)
  await roll.clock.advance(ROLLED_MS)
  assert.deepEqual(outcomeOf(roll), ['completed', 0])
  assert.deepEqual(heldBy(roll), [])
  assert.deepEqual(warnings(roll), [
    'the state of DNS is not known: x is not a function; the roll only checks that an endpoint of DNS is Ready; ' +
      'set "dns.image" in the roll file to send queries from nodes',
  ])
})

test('a right that is missing is reported, and a cluster without DNS is not', async (t) => {
  const forbidden = new UserError('this identity is not allowed to list services', { code: 'dns.forbidden', fix: 'x' })
  const none = new UserError('no Service looks like DNS', { code: 'dns.no-service', fix: 'x' })
  const warningsOf = async (error: Error): Promise<readonly string[]> => {
    const roll = begun(t, checker(() => Promise.reject(error)).checks)
    await roll.clock.advance(ROLLED_MS)
    assert.deepEqual(outcomeOf(roll), ['completed', 0])
    return warnings(roll).map((text) => text.split(';')[0] ?? '')
  }
  assert.deepEqual(await warningsOf(forbidden), [
    'the state of DNS is not known: this identity is not allowed to list services',
  ])
  assert.deepEqual(await warningsOf(none), [])
})

test('DNS that is not quite well is reported once, and the node goes', async (t) => {
  const { checks } = checker(async (from) => check(['NotReady pod c-1'], from))
  const roll = begun(t, checks)
  await roll.clock.advance(ROLLED_MS)
  assert.deepEqual(outcomeOf(roll), ['completed', 0])
  assert.deepEqual(warnings(roll), [
    'the cluster DNS has a problem: NotReady, pod c-1: the pod answers correctly but is not Ready',
  ])
})

test('relays are taken away before the end is reported, whatever the end, and what is left of them is said', async (t) => {
  const { parts, checks } = checker(async (from) => check(['OnlyPodDead pod c-1'], from))
  const roll = begun(t, { ...checks, close: async () => ['Job evenkeel/x was not deleted: it ends by itself'] })
  await roll.clock.advance(60_000)
  assert.equal(parts.isClosed, false)
  roll.over.abort()
  await roll.clock.advance(10_000)
  assert.deepEqual(outcomeOf(roll), ['interrupted', 130])
  assert.deepEqual(warnings(roll), ['Job evenkeel/x was not deleted: it ends by itself'])
  assert.equal(roll.events.at(-1)?.type, 'roll.ended')
})

test('a checker that cannot end keeps no roll from its end', async (t) => {
  const { checks } = checker(never)
  const roll = begun(t, { ...checks, close: never })
  await roll.clock.advance(5_000)
  roll.over.abort()
  await roll.clock.advance(15_000)
  assert.deepEqual(outcomeOf(roll), ['interrupted', 130])
  assert.deepEqual(warnings(roll), ['relays were not deleted: they end by themselves within a minute'])
})

test('that DNS was ill is not forgotten while the API server is away', async (t) => {
  const { parts, checks } = checker(async (from) => check(['UdpDropped pod c-1'], from))
  const roll = begun(t, checks)
  await roll.clock.advance(30_000)
  parts.next = () =>
    Promise.reject(new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' }))
  await roll.clock.advance(60_000)
  assert.equal(roll.cluster.node('n1').unschedulable, false)
  parts.next = async (from) => well(from)
  await roll.clock.advance(ROLLED_MS)
  assert.deepEqual(outcomeOf(roll), ['completed', 0])
})
