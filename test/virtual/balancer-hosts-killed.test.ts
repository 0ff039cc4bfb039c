import assert from 'node:assert/strict'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import type { Verdict } from '../../src/roll/model/verdict.ts'
import type { JournalEntry } from '../../src/roll/ports/journal.ts'
import { plannedEntry, runFromJournal } from '../../src/roll/run/run-from-journal.ts'
import type { RunState } from '../../src/roll/run/run-state.ts'
import { MemoryPair } from '../support/memory-pair.ts'
import { leave, memoryRoll } from '../support/memory-roll.ts'
import { hostsSpec, RUN_HOSTS } from '../support/two-hosts-run.ts'

const spec = hostsSpec()

/** By day some of the writes, at night all. */
const STRIDE = Number(process.env.CRASH_STRIDE ?? 7)

const AT = '2026-01-01T00:00:00.000Z'
const ABORTED: Verdict = { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'aborted' }] }

/** A process that is killed at its nth write about a machine: before the entry is on disk, or right after. */
async function killedAt(t: TestContext, nth: number, isOnDisk: boolean) {
  const entries: JournalEntry[] = []
  let [count, isDead] = [0, false]
  let pair: MemoryPair | undefined
  const append = async (entry: JournalEntry): Promise<void> => {
    const isOfHost = entry.type === 'host' || entry.type === 'host.meant'
    if (isDead || (isOfHost && ++count === nth && !isOnDisk)) {
      isDead = true
      return new Promise(() => undefined)
    }
    entries.push(entry)
    if (isOfHost && count === nth) {
      isDead = true
      return new Promise(() => undefined)
    }
  }
  const first = memoryRoll({
    run: { spec, order: [], hosts: RUN_HOSTS },
    pair: (clock) => {
      pair = new MemoryPair(clock)
      return pair
    },
    append,
  })
  assert.ok(pair !== undefined)
  const world = pair
  void first.begin()
  await first.clock.advance(110_000)
  const wasKilled = isDead
  isDead = true
  const next = (verdict?: Verdict) => {
    const header = { type: 'journal', v: 1, at: AT, run: 'run-1', cluster: 'test', tool: 'test' } as const
    const planned = plannedEntry({ id: 'run-1', spec, order: [] } as unknown as RunState, {
      at: AT,
      clusterName: 'test',
    })
    const { run } = runFromJournal({ header, entries: [planned, ...entries] })
    const second = memoryRoll({
      run: { ...run, verdict },
      world: first,
      seed: 2,
      pair: () => world,
      append: async (entry) => void entries.push(entry),
    })
    const running = second.begin()
    t.after(() => leave(second, running))
    return second
  }
  return { pair: world, wasKilled, next }
}

for (const isOnDisk of [false, true]) {
  const when = isOnDisk ? 'right after' : 'before'
  test(`killed ${when} any write about a machine, resume finishes both: each rebooted once, with its address elsewhere`, async (t) => {
    let writes = 0
    for (let nth = 1; nth < 30; nth += STRIDE) {
      const { pair, wasKilled, next } = await killedAt(t, nth, isOnDisk)
      if (!wasKilled) break
      writes = nth
      const resumed = next()
      await resumed.clock.advance(300_000)
      assert.deepEqual([nth, resumed.ended()?.outcome], [nth, 'completed'])
      assert.deepEqual([nth, pair.boots(), pair.wrongs], [nth, [1, 1], []])
      assert.deepEqual([pair.machine('lb-1').isAway, pair.machine('lb-2').isAway], [false, false])
    }
    assert.ok(writes >= 10, `${writes} writes were looked at`)
  })

  test(`killed ${when} any write about a machine, abort restores what was not announced, and finishes what was`, async (t) => {
    for (let nth = 1; nth < 30; nth += STRIDE) {
      const { pair, wasKilled, next } = await killedAt(t, nth, isOnDisk)
      if (!wasKilled) break
      const aborted = next(ABORTED)
      await aborted.clock.advance(300_000)
      const states = aborted.ended()?.standings.map(({ state }) => state) ?? []
      assert.equal(states.includes('out'), false, `${nth}: ${states}`)
      assert.deepEqual([nth, aborted.ended()?.outcome, pair.wrongs], [nth, 'aborted', []])
      assert.deepEqual([pair.machine('lb-1').isAway, pair.machine('lb-2').isAway], [false, false], `${nth}`)
      const rebooted = pair.boots().reduce((sum, boots) => sum + boots, 0)
      assert.ok(rebooted <= 2 && states.filter((state) => state === 'inService').length === rebooted, `${nth}`)
    }
  })
}
