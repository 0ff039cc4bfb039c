import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../src/ground/model/time.ts'
import type { RollEvent } from '../../src/roll/model/roll-event.ts'
import type { TimeWindowSpec } from '../../src/roll/model/time-window.ts'
import type { JournalEntry } from '../../src/roll/ports/journal.ts'
import { plannedEntry, runFromJournal } from '../../src/roll/run/run-from-journal.ts'
import type { RunState } from '../../src/roll/run/run-state.ts'
import { fixedWindows } from '../support/fixed-windows.ts'
import { aHook, MemoryPrograms } from '../support/gate-and-hook-world.ts'
import { MemoryPair } from '../support/memory-pair.ts'
import { leave, type MemoryRoll, memoryRoll } from '../support/memory-roll.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { hostsSpec, RUN_HOSTS } from '../support/two-hosts-run.ts'
import { VirtualClock } from '../support/virtual-clock.ts'
import { articleCluster, virtualRollFile } from '../support/virtual-roll/article-cluster.ts'
import { StorageFlags } from '../support/virtual-roll/crash/storage-flags.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'
import { VirtualRoll } from '../support/virtual-roll/virtual-roll.ts'

const HOUR_MS = 3_600_000
/** By day some of the places. All: `CRASH_STRIDE=1 node test/run.ts virtual/time-windows-killed`. */
const STRIDE = Number(process.env.CRASH_STRIDE ?? 5)

type Phase = 'before' | 'after'

/** A node whose window closes in its drain, killed at the nth effect from then on: before it is done, or right after. */
async function nodeKilledAt(nth: number, phase: Phase) {
  const cluster = await articleCluster({ nodes: 3 })
  const now = new Date(cluster.time.wallMs())
  const window = { zone: 'UTC', open: [{ cron: `${now.getUTCMinutes()} ${now.getUTCHours()} * * *`, duration: '4h' }] }
  const hooks = [{ name: 'outer', at: 'beforeNode', run: ['set', '{node}'], undo: ['unset', '{node}'] }]
  const spec = {
    nodes: { names: ['n1'] },
    soak: '1s',
    baseline: { duration: '1s' },
    settle: { limit: '2min', timesInARow: 1 },
  }
  const flags = new StorageFlags(() => undefined)
  const ran: string[] = []
  let [setByMs, count] = [0, 0]
  // Entries that are handed to the journal together begin all before the first of them is done.
  let nthEffect = ''
  let killed = ''
  const roll = new VirtualRoll(cluster, virtualRollFile({ spec: { ...spec, probes: [], hooks, window } }), {
    clockSetByMs: () => setByMs,
    programOf: (argv) => {
      ran.push(argv.join(' '))
      return flags.program(argv)
    },
    onEffect: (what, at, lifeline) => {
      if (setByMs === 0 || killed !== '') return
      if (at === 'before' && ++count === nth) nthEffect = what
      if (what !== nthEffect || at !== phase) return
      killed = what
      lifeline.cut()
    },
  })
  const boots = () => cluster.machines.get('n1')?.boots ?? 0
  const before = boots()
  const first = await roll.begin()
  first.listen((event: RollEvent) => {
    if (event.type === 'step.started' && event.node === 'n1' && event.step === 'drain') setByMs = 5 * HOUR_MS
  })
  await cluster.time.advance(120_000)
  const isOver = first.events.some((event) => event.type === 'node.ended')
  const open = (): void => {
    setByMs = 0
  }
  return { cluster, roll, ran, killed, isOver, rebooted: () => boots() - before, open }
}

for (const phase of ['before', 'after'] as const)
  test(`killed ${phase} any effect by which a node is put back after its window, resume puts it back with its hook undone, reboots nothing, and begins it again in the next window`, async () => {
    let places = 0
    for (let nth = 1; nth < 100; nth += STRIDE) {
      const { cluster, roll, ran, killed, isOver, rebooted, open } = await nodeKilledAt(nth, phase)
      if (killed === '' || isOver) break
      places += 1
      const resumed = roll.resume()
      await cluster.time.advance(120_000)
      const where = `${nth}: ${killed}`
      assert.deepEqual([where, await leftoversOf(new VirtualGround(cluster)), rebooted()], [where, [], 0])
      assert.deepEqual([where, ran[0], ran.at(-1)], [where, 'set n1', 'unset n1'])
      assert.deepEqual([where, ran.filter((line) => line === 'set n1').length], [where, 1])
      open()
      const end = await cluster.time.settle(resumed.ended, HOUR_MS)
      assert.deepEqual([where, end === 'died' ? end : end.outcome, rebooted()], [where, 'completed', 1])
      assert.deepEqual([where, ran.slice(-2)], [where, ['set n1', 'unset n1']])
      assert.deepEqual([where, await leftoversOf(new VirtualGround(cluster))], [where, []])
      cluster.end()
    }
    assert.ok(places * STRIDE >= 12, `${places} places were looked at`)
  })

const AT = '2026-01-01T00:00:00.000Z'
const [CLOSES_MS, OPENS_MS] = [15_000, 900_000]
const never = (): Promise<never> => new Promise(() => undefined)

/** A machine whose window closes while it has connections left, killed at the nth write or effect from then on. */
async function hostKilledAt(nth: number, phase: Phase) {
  const start = new VirtualClock().wallMs()
  const spans = [
    { from: start, to: wallMs(start + CLOSES_MS) },
    { from: wallMs(start + OPENS_MS), to: wallMs(start + 2 * OPENS_MS) },
  ]
  const window: TimeWindowSpec = { zone: 'UTC', open: [], not: [], onClose: 'restore' }
  const spec = hostsSpec({ window, hooks: [aHook({ appliesTo: ['hosts'], at: 'beforeNode' })] })
  const programs = new MemoryPrograms()
  const entries: JournalEntry[] = []
  let pair: MemoryPair | undefined
  let [count, isDead, isTakenUp] = [0, false, false]
  let clock: VirtualClock | undefined
  const effect = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isTakenUp) return work()
    if (isDead) return never()
    const isNth = (clock?.wallMs() ?? start) >= start + CLOSES_MS && ++count === nth
    isDead ||= isNth
    if (!isNth) return work()
    if (phase === 'after') await work()
    return never()
  }
  const asked = {
    pair: (of: VirtualClock): MemoryPair => {
      clock = of
      pair ??= new MemoryPair(of)
      return pair
    },
    programs: { run: (argv: readonly string[]) => effect(() => programs.run(argv)) },
    timeWindows: fixedWindows(spans),
  }
  const isOfHost = ({ type }: JournalEntry): boolean => type === 'host' || type === 'host.meant' || type === 'hook'
  const first = memoryRoll({
    run: { spec, order: [], hosts: RUN_HOSTS },
    ...asked,
    append: async (entry) => {
      if (isDead) return never()
      const kept = async (): Promise<void> => void entries.push(entry)
      return isOfHost(entry) ? effect(kept) : kept()
    },
  })
  assert.ok(pair !== undefined)
  const run = pair.ssh.run.bind(pair.ssh)
  pair.ssh.run = (...of) => effect(() => run(...of))
  pair.machine('lb-1').connections = 2
  void first.begin()
  await first.clock.advance(120_000)
  const wasKilled = isDead
  isDead = true
  const resume = (): MemoryRoll => {
    isTakenUp = true
    const header = { type: 'journal', v: 1, at: AT, run: 'run-1', cluster: 'test', tool: 'test' } as const
    const planned = plannedEntry({ id: 'run-1', spec, order: [] } as unknown as RunState, {
      at: AT,
      clusterName: 'test',
    })
    const { run: taken } = runFromJournal({ header, entries: [planned, ...entries] })
    return memoryRoll({ run: taken, ...asked, world: first, seed: 2 })
  }
  return { pair, programs, wasKilled, resume }
}

for (const phase of ['before', 'after'] as const)
  test(`killed ${phase} any write or effect by which a machine is put back after its window, resume puts it back with its hook undone, reboots nothing, and begins it again in the next window`, async (t) => {
    let places = 0
    const stride = Math.min(2, STRIDE)
    for (let nth = 1; nth < 30; nth += stride) {
      const { pair, programs, wasKilled, resume } = await hostKilledAt(nth, phase)
      if (!wasKilled) break
      places += 1
      const resumed = resume()
      const running = resumed.begin()
      t.after(() => leave(resumed, running))
      await resumed.clock.advance(300_000)
      assert.deepEqual([nth, pair.machine('lb-1').isAway, pair.boots()], [nth, false, [0, 0]])
      assert.deepEqual([nth, programs.set.size, programs.ran.at(-1)], [nth, 0, 'ceph unset lb-1'])
      assert.deepEqual([nth, programs.ran.filter((line) => line === 'ceph set lb-1').length], [nth, 1])
      await resumed.clock.advance(OPENS_MS)
      assert.deepEqual([nth, resumed.ended()?.outcome, pair.boots(), pair.wrongs], [nth, 'completed', [1, 1], []])
      assert.equal(programs.ran.filter((line) => line === 'ceph set lb-1').length, 2)
      assert.equal(programs.set.size, 0)
    }
    assert.ok(places * stride >= 6, `${places} writes and effects were looked at`)
  })
