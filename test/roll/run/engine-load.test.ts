import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { FailureWindow, ProbeStatus } from '../../../src/ground/model/probe.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import type { Probe } from '../../../src/roll/ports/probe.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aSpec } from '../../support/roll-world.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'

const SHOP = {
  name: 'shop',
  url: 'https://app.example.com/',
  control: false,
  ratePerSecond: 100,
  keptShare: 0,
  keptConnections: 1,
  timeoutMs: 2000,
  expectStatus: [200, 399],
  servedByHeader: 'X-Served-By',
} as const
const START = Date.parse('2026-01-01')
const SPEC = aSpec({ probe: { targets: [SHOP], baselineMs: 10_000, baselineLimitMs: 120_000 } })

const windowAt = (at: number): FailureWindow => ({
  target: 'shop',
  control: false,
  lane: 'new',
  sent: 3,
  failed: 3,
  failures: { connect: 3 },
  firstError: 'ECONNREFUSED',
  lastOkAt: wallMs(at - 10),
  firstBadAt: wallMs(at),
  lastBadAt: wallMs(at + 20),
  firstOkAt: wallMs(at + 30),
})

/** A hundred good requests a second, whose failures a test adds. */
function traffic() {
  const windows: FailureWindow[] = []
  let changed = (): void => undefined
  let now = (): number => START
  const facts = (): ProbeStatus => {
    const sent = Math.round((now() - START) / 10)
    const lane = { target: 'shop', control: false, lane: 'new', scheduled: sent, sent, skipped: 0, failed: 0 } as const
    const times = { slow: 0, p50Ms: 3, p90Ms: 5, p99Ms: 12, maxMs: 20, startErrorP99Ms: 1 }
    return {
      startedAt: wallMs(START),
      lastVerdictAt: wallMs(now()),
      settledBefore: wallMs(now()),
      lanes: [{ ...lane, ...times }],
      windows,
      notMeasured: [],
      greenStreak: sent,
    }
  }
  const probe = (clock: VirtualClock): Probe => {
    now = () => clock.wallMs()
    return {
      run: (onChange, signal) => {
        changed = onChange
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
      status: facts,
      baseline: () => undefined,
      windows: () => windows,
    }
  }
  const fails = (at: number): void => {
    windows.push(windowAt(at))
    changed()
  }
  return { probe, fails }
}

function begun(t: TestContext, roll: MemoryRoll): MemoryRoll {
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return roll
}

const typesOf = ({ events }: MemoryRoll, ...types: readonly string[]): readonly string[] =>
  events.map(({ type }) => type).filter((type) => types.includes(type))

/** What n1's server says differently from now on. */
function saysOf({ balancer }: MemoryRoll, change: (server: ServerReading) => Partial<ServerReading>): void {
  const read = balancer.read.bind(balancer)
  balancer.read = async (instance) => {
    const { servers, ...reading } = await read(instance)
    const changed = servers.map((server) => (server.ref.server === 'n1' ? { ...server, ...change(server) } : server))
    return { ...reading, servers: changed }
  }
}

/** The machine was told to reboot and is away. */
async function rebooting(roll: MemoryRoll, node: string): Promise<void> {
  for (let passed = 0; !roll.reboots.includes(node); passed += 100) {
    assert.ok(passed < 200_000, `${node} was never rebooted`)
    await roll.clock.advance(100)
  }
}

test('the baseline ends once, and what was sent in it is no part of the totals', async (t) => {
  const roll = begun(t, memoryRoll({ run: { spec: SPEC, order: ['n1'] }, probe: traffic().probe }))
  await roll.clock.advance(400_000)
  assert.deepEqual(typesOf(roll, 'baseline.ended', 'roll.ended'), ['baseline.ended', 'roll.ended'])
  const at = (type: string): number => Date.parse(roll.events.find((event) => event.type === type)?.at ?? '')
  assert.equal(roll.ended()?.load?.sent, Math.round((at('roll.ended') - at('baseline.ended')) / 10))
})

test('failed requests stop the roll as soon as the probe tells of them', async (t) => {
  const entries: JournalEntry[] = []
  const { probe, fails } = traffic()
  const roll = memoryRoll({ run: { spec: SPEC }, probe, append: async (entry) => void entries.push(entry) })
  begun(t, roll)
  await rebooting(roll, 'n1')
  await roll.clock.advance(1130)
  const toldAt = roll.clock.wallMs()
  fails(toldAt - 50)
  await roll.clock.advance(10_000)
  const verdicts = entries.filter(({ type }) => type === 'verdict')
  assert.deepEqual(
    verdicts.map(({ at }) => Date.parse(at) - toldAt),
    [0],
  )
})

for (const order of [
  ['n1', 'n2'],
  ['n2', 'n1'],
]) {
  test(`connections that a balancer gave to n1 while it was out are reported once and counted once at the end (${order})`, async (t) => {
    const roll = memoryRoll({ run: { spec: SPEC, order }, probe: traffic().probe })
    let strays = 0
    saysOf(roll, ({ totalSessions }) => ({ totalSessions: totalSessions + strays }))
    begun(t, roll)
    await rebooting(roll, 'n1')
    await roll.clock.advance(2000)
    strays = 3
    await roll.clock.advance(400_000)
    const counts = roll.events.flatMap((event) => (event.type === 'stray' ? [event.count] : []))
    assert.deepEqual([counts, roll.ended()?.outcome, roll.ended()?.load?.strays], [[3], 'completed', 3])
  })
}

test('a window that was kept back until its cause is known is reported before the end', async (t) => {
  const { probe, fails } = traffic()
  const roll = memoryRoll({ run: { spec: SPEC }, probe })
  begun(t, roll)
  await rebooting(roll, 'n1')
  await roll.clock.advance(1130)
  fails(roll.clock.wallMs() - 50)
  roll.over.abort()
  await roll.clock.advance(10_000)
  assert.deepEqual(typesOf(roll, 'window.opened', 'window.closed', 'roll.ended'), [
    'window.opened',
    'window.closed',
    'roll.ended',
  ])
})

test('a node stays in service where requests failed while the journal was slow to write that it is to leave', async (t) => {
  const load = traffic()
  let isSlow = false
  const roll: MemoryRoll = memoryRoll({
    run: { spec: SPEC, order: ['n1'] },
    probe: load.probe,
    append: async ({ actions }) => {
      const isMeant = Array.isArray(actions) && actions.some(({ kind }: { kind: string }) => kind === 'setServer')
      if (!isMeant || isSlow) return
      isSlow = true
      load.fails(roll.clock.wallMs())
    },
  })
  const states = new Set<string>()
  roll.balancer.onState = (server, state) => states.add(`${server} ${state}`)
  begun(t, roll)
  await roll.clock.advance(60_000)
  assert.deepEqual([isSlow, [...states], typesOf(roll, 'roll.ended')], [true, [], ['roll.ended']])
})

test('a node of which requests failed while the journal was slow to write that it is through gives its slot back', async (t) => {
  const load = traffic()
  const roll: MemoryRoll = memoryRoll({
    run: { spec: SPEC, order: ['n1'] },
    probe: load.probe,
    append: async ({ type }) => {
      if (type === 'through') load.fails(roll.clock.wallMs())
    },
  })
  begun(t, roll)
  await roll.clock.advance(400_000)
  const [standing] = roll.ended()?.standings ?? []
  const lease = roll.cluster.leases.get({ namespace: 'evenkeel', name: 'evenkeel-slot-0' })
  assert.deepEqual(
    [roll.ended()?.outcome, standing?.state, roll.balancer.state('n1'), lease?.holder],
    ['stopped', 'inService', 'ready', ''],
  )
})

test('nothing is written to the journal once a roll is over, however slow its disk is', async (t) => {
  const { probe } = traffic()
  let isClosed = false
  const late: string[] = []
  const roll: MemoryRoll = memoryRoll({
    run: { spec: SPEC, verdict: { kind: 'aborted', keepOut: false, reasons: [] } },
    probe,
    append: async (entry) => {
      if (isClosed) late.push(entry.type)
      // Ticks come meanwhile, and are entries, too.
      if (entry.type === 'roll.ended') await roll.clock.sleep(12_000, new AbortController().signal)
    },
  })
  const running = roll.begin().finally(() => {
    isClosed = true
  })
  t.after(() => leave(roll, running))
  await roll.clock.advance(60_000)
  await running
  assert.deepEqual([isClosed, late], [true, []])
})
