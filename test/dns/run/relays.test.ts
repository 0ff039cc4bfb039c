import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { decideRepair } from '../../../src/dns/decide/repair/decide-repair.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsAsker } from '../../../src/dns/ports/dns-asker.ts'
import type { DnsObjects } from '../../../src/dns/ports/dns-objects.ts'
import type { DnsRelays } from '../../../src/dns/ports/dns-relays.ts'
import { checkDns, type DnsCheck, DnsChecks } from '../../../src/dns/run/check-dns.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import type { Endpoint } from '../../../src/ground/model/endpoint.ts'
import { type DnsWorld, dnsWorld } from '../../support/dns/dns-world.ts'
import type { FakeDnsServer } from '../../support/dns/fake-dns-server.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const never = new AbortController().signal
const asker = new SocketAsker(clock, systemRandom)

/** Relays that ask from this machine, and what is left of them. */
class MemoryRelays implements DnsRelays {
  /** Nodes whose relay does not reach its control. */
  cutOff: readonly string[] = []
  /** Nodes whose relay is gone. */
  lost: readonly string[] = []
  notes: readonly string[] = []
  leaves: readonly string[] = []
  openOn: readonly string[] = []
  onOpen: () => void = () => undefined
  /** Nodes whose relay is lost after so many queries, as by an eviction. */
  evictedAfter: Readonly<Record<string, number>> = {}
  /** What the relay of a node asks by, where that is not this machine. */
  askers: Readonly<Record<string, DnsAsker>> = {}

  async open(nodes: readonly string[]) {
    this.openOn = nodes
    this.onOpen()
    return {
      relays: nodes.map((node) => ({
        name: `relay ${node}`,
        node,
        asker:
          this.askers[node] ?? (this.evictedAfter[node] === undefined ? asker : lostAfter(this.evictedAfter[node])),
        control: { reaches: async () => !this.cutOff.includes(node) },
        isOpen: () => !this.lost.includes(node),
      })),
      notes: this.notes,
      isLacking: this.notes.length > 0,
      close: async () => {
        this.openOn = []
        return this.leaves
      },
    }
  }
}

const LOST = { kind: 'notAsked' as const, text: 'the relay was lost' }

/** Asks so many queries; from then on nothing can be asked. */
function lostAfter(queries: number): DnsAsker {
  let asked = 0
  return {
    ask: async (query, signal) => {
      asked += 1
      return asked > queries ? LOST : asker.ask(query, signal)
    },
    canary: () => ({ ask: async () => LOST, close: () => undefined }),
  }
}

/** Reaches these servers alone. */
const reaching = (...servers: readonly (FakeDnsServer | undefined)[]): DnsAsker => ({
  ask: async (query, signal) =>
    servers.some((server) => server?.port === query.at.port) ? asker.ask(query, signal) : { kind: 'timeout' },
  canary: (at) => asker.canary(at),
})

const NO_WAY = { ask: async () => ({ kind: 'notAsked' as const, text: 'forbidden' }) }

/** From a place that reaches the API server alone. */
const PARTS = {
  asker: { ask: async () => ({ kind: 'timeout' as const }), canary: (at: Endpoint) => asker.canary(at) },
  control: { reaches: async () => false },
  loopback: NO_WAY,
  clock,
  sought: {},
  timeoutMs: 100,
}

interface Asked {
  readonly node?: string
  /** What this machine asks by. */
  readonly here?: DnsAsker
  /** Nothing but the API server is reached from here. */
  readonly isOutside?: boolean
  readonly signal?: AbortSignal
}

const check = (
  { objects }: DnsWorld,
  relays: DnsRelays,
  { node, here, isOutside = true, signal = never }: Asked = {},
): Promise<DnsCheck> =>
  checkDns(
    {
      objects,
      relays: [relays],
      ...PARTS,
      ...(isOutside ? {} : { asker, control: { reaches: async () => true } }),
      ...(here === undefined ? {} : { asker: here }),
      random: new SeededRandom(1),
      ...(node === undefined ? {} : { node }),
    },
    signal,
  )

const NO_RELAYS = { relays: [], notes: [], isLacking: false, close: async () => [] }

/** All but the evidence lets a repair go on. */
const NOTHING_AGAINST = {
  budgets: {},
  workload: { kind: 'Deployment', name: 'coredns', desired: 2, total: 2, updated: 2, ready: 2, isObserved: true },
  proxies: [],
  cordoned: [],
  downNodes: [],
  quarantined: [],
  past: [],
  memory: { namespace: 'evenkeel', name: 'evenkeel-dns-repairs' },
  wallMs: 0,
} as const

const nodesOf = (t: TestContext, names: readonly string[], ready = true): Promise<DnsWorld> => {
  const nodes: DnsObjects['nodes'] = async () => names.map((name) => ({ name, ready, addresses: [] }))
  return dnsWorld(t, 2, { nodes })
}

const said = ({ findings }: DnsCheck): readonly string[] =>
  findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`)

test('a place outside that reaches nothing is left out where relays reach all, and says nothing against DNS', async (t) => {
  const relays = new MemoryRelays()
  const checked = await check(await dnsWorld(t), relays)
  assert.deepEqual([checked.verdict, said(checked)], ['ok', ['Healthy dns']])
  assert.deepEqual(
    checked.scene.vantages.map(({ name, node }) => [name, node]),
    [
      ['relay n1', 'n1'],
      ['relay n2', 'n2'],
    ],
  )
  assert.ok(checked.notes.includes('here was not used: it reaches neither pods nor Services of the cluster'))
  assert.deepEqual(relays.openOn, [])
})

test('a node that reaches nothing is named, and what relays see beside it counts', async (t) => {
  const world = await dnsWorld(t)
  world.pods[1]?.stopUdp()
  const checked = await check(world, new MemoryRelays(), { node: 'n3' })
  assert.deepEqual(said(checked), ['UdpDead coredns-2', 'VantageCutOff here, n3'])
})

test('a relay that does not reach its control says nothing of DNS, and its node is named', async (t) => {
  const relays = new MemoryRelays()
  relays.cutOff = ['n2']
  const world = await dnsWorld(t)
  const checked = await check(world, relays, { isOutside: false })
  // It reaches pods all the same: those are judged.
  assert.deepEqual([checked.verdict, said(checked)], ['ok', ['Healthy dns']])
  assert.ok(checked.notes.includes('relay n2 reaches pods but no Services: only pods that answer there are judged'))
})

describe('a place that does not reach its control, and reaches some pods, says nothing against the others', () => {
  test('where relays reach all of them', async (t) => {
    const world = await dnsWorld(t, 3)
    const checked = await check(world, new MemoryRelays(), { here: reaching(world.pods[0]) })
    assert.deepEqual([checked.verdict, said(checked)], ['ok', ['Healthy dns']])
  })

  test('where no other place asks: the state of the others is not known', async (t) => {
    const world = await dnsWorld(t, 3)
    const checked = await check(world, { open: async () => NO_RELAYS }, { here: reaching(world.pods[0]) })
    assert.deepEqual(
      [checked.verdict, said(checked)],
      ['unverified', ['NotAsked coredns-2, coredns-3, kube-system/kube-dns']],
    )
  })

  test('of a pod that is dead over UDP it is no second witness, and the pod is not repaired', async (t) => {
    const world = await dnsWorld(t)
    world.pods[0]?.stopUdp()
    const relays = new MemoryRelays()
    relays.cutOff = ['n2']
    relays.askers = { n2: reaching(world.pods[1]) }
    const { scene, findings, rounds } = await check(world, relays)
    const decision = decideRepair({ ...NOTHING_AGAINST, scene, findings, rounds })
    assert.equal(decision.kind === 'held' && decision.sick.code, 'UdpDead')
    assert.deepEqual(decision.kind === 'held' && decision.guards.flatMap(({ guard, holds }) => (holds ? [] : guard)), [
      'evidence',
    ])
  })

  test('where UDP gets no answer from any pod, and TCP does, UDP may be dropped on the way', async (t) => {
    const world = await dnsWorld(t)
    const here: DnsAsker = {
      ...reaching(),
      ask: async (query, signal) => (query.over === 'tcp' ? asker.ask(query, signal) : { kind: 'timeout' }),
    }
    const alone = await check(world, { open: async () => NO_RELAYS }, { here })
    assert.deepEqual([alone.verdict, said(alone)], ['unverified', ['NotAsked dns']])
    const both = await check(world, new MemoryRelays(), { here })
    assert.deepEqual(said(both), ['Healthy dns'])
  })
})

test('one relay is on a node without a pod of DNS where there is one, and none on a node that is not Ready', async (t) => {
  const found: string[][] = []
  const relays = new MemoryRelays()
  relays.onOpen = () => found.push([...relays.openOn])
  await check(await nodesOf(t, ['n1', 'n2', 'n3', 'n4']), relays)
  await check(await nodesOf(t, ['n2']), relays)
  await check(await nodesOf(t, ['n3', 'n4', 'n5']), relays)
  await check(await nodesOf(t, ['n1', 'n2'], false), relays)
  assert.deepEqual(found, [['n3', 'n1'], ['n2'], ['n3', 'n4'], []])
})

test('no relay is opened on a node that cannot run one', async (t) => {
  const opened: string[][] = []
  const relays = new MemoryRelays()
  relays.onOpen = () => opened.push([...relays.openOn])
  const ready = { ready: true, addresses: [] }
  const nodes: DnsObjects['nodes'] = async () => [
    { name: 'a-windows', ...ready, runsNoRelay: true },
    { name: 'n1', ...ready },
    { name: 'n3', ...ready },
  ]
  await check(await dnsWorld(t, 2, { nodes }), relays)
  assert.deepEqual(opened, [['n3', 'n1']])
})

test('why relays are not to be had, and what is left of them, is noted', async (t) => {
  const relays = new MemoryRelays()
  relays.notes = ['a relay on n9 could not be started: no such image']
  relays.leaves = ['Job evenkeel/relay was not deleted']
  const { notes } = await check(await dnsWorld(t), relays)
  assert.deepEqual(notes.slice(2, 3), relays.notes)
  assert.deepEqual(notes.slice(-1), relays.leaves)
})

test('a check that is interrupted takes its relays away', async (t) => {
  const relays = new MemoryRelays()
  const stop = new AbortController()
  const reason = new Error('interrupted')
  const world = await dnsWorld(t)
  const pod = world.pods[0]
  if (pod !== undefined)
    pod.answering = () => {
      stop.abort(reason)
      return []
    }
  await assert.rejects(check(world, relays, { signal: stop.signal }), reason)
  assert.deepEqual(relays.openOn, [])
})

test('checks one after another share their relays, and make new ones only where one was lost or another node is asked for', async (t) => {
  const relays = new MemoryRelays()
  const opened: string[][] = []
  relays.onOpen = () => opened.push([...relays.openOn])
  const { objects } = await dnsWorld(t)
  const checks = new DnsChecks({ ...PARTS, objects, relays: [relays], random: new SeededRandom(1) })
  await checks.next({}, never)
  await checks.next({}, never)
  assert.deepEqual(opened, [['n1', 'n2']])
  relays.lost = ['n2']
  relays.onOpen = () => {
    relays.lost = []
    opened.push([...relays.openOn])
  }
  const { verdict } = await checks.next({}, never)
  assert.equal(verdict, 'ok')
  await checks.next({ from: ['n2'] }, never)
  await checks.next({ from: ['n2'] }, never)
  assert.deepEqual(opened, [['n1', 'n2'], ['n1', 'n2'], ['n2']])
  assert.deepEqual(relays.openOn, ['n2'])
  await checks.close()
  assert.deepEqual(relays.openOn, [])
})

test('a relay that could not be made is not tried again at each check', async (t) => {
  const relays = new MemoryRelays()
  relays.notes = ['a relay on n9 could not be started: no such image']
  const opened: string[][] = []
  relays.onOpen = () => opened.push([...relays.openOn])
  const { objects } = await dnsWorld(t)
  const checks = new DnsChecks({ ...PARTS, objects, relays: [relays], random: new SeededRandom(1) })
  const notes = [await checks.next({}, never), await checks.next({}, never)].map((one) => one.notes)
  assert.equal(opened.length, 1)
  for (const said of notes) assert.ok(said.includes(relays.notes[0] ?? ''))
})

test('a relay that is evicted in the middle of a sweep says nothing against DNS, and what the other one saw counts', async (t) => {
  const relays = new MemoryRelays()
  relays.evictedAfter = { n1: 5 }
  const { verdict, findings } = await check(await dnsWorld(t), relays)
  assert.deepEqual([verdict, findings.map(({ code }) => code)], ['ok', ['Healthy']])
})

test('where both relays are evicted in the middle of a sweep, what was not asked is not known, and nothing is bad', async (t) => {
  const relays = new MemoryRelays()
  relays.evictedAfter = { n1: 0, n2: 0 }
  const { verdict, findings } = await check(await dnsWorld(t), relays)
  assert.deepEqual([verdict, findings.map(({ code }) => code)], ['unverified', ['NotAsked']])
})
