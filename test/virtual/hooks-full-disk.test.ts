import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WorldError } from '../../src/ground/model/world-error.ts'
import type { StepHook } from '../../src/roll/model/step-hook.ts'
import type { JournalEntry } from '../../src/roll/ports/journal.ts'
import { aHook, MemoryPrograms } from '../support/gate-and-hook-world.ts'
import { leave, type MemoryRoll, memoryRoll } from '../support/memory-roll.ts'
import { aNode, aSpec } from '../support/roll-world.ts'

const FULL = new WorldError('no space left on device', { code: 'JOURNAL_WRITE', retry: 'backoff' })
const SETTLE_MS = 600_000
const LINE = 'late x n1'

/** A roll of n1 whose disk is full from the moment at which `isFullAt` says so until it is cleaned. */
function begun(t: TestContext, at: StepHook['at'], isFullAt: (entry: JournalEntry) => boolean) {
  const { undo: _, ...hook } = aHook({ at, run: ['late', 'x', '{node}'] })
  const programs = new MemoryPrograms()
  const disk = { isFull: false }
  const wasCordoned = at === 'beforeNode'
  const roll = memoryRoll({
    run: { spec: aSpec({ soakMs: 1_000, hooks: [hook] }), order: ['n1'] },
    nodes: [aNode('n1', { unschedulable: wasCordoned }), aNode('n2'), aNode('n3')],
    programs,
    append: async (entry) => {
      disk.isFull ||= isFullAt(entry) && programs.ran.length === 0
      if (disk.isFull) throw FULL
    },
  })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  /** The disk has room from now on. */
  const clean = (): void => {
    isFullAt = () => false
    disk.isFull = false
  }
  return { ...roll, programs, clean }
}

const isStep =
  (step: string) =>
  (entry: JournalEntry): boolean =>
    entry.type === 'step.started' && entry.step === step

const held = ({ events }: MemoryRoll): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'hold.started' || event.type === 'hold.changed'
      ? event.reasons.map(({ code }) => `${event.step} ${code}`)
      : [],
  )
const codes = ({ ended }: MemoryRoll): readonly string[] => (ended()?.reasons ?? []).map(({ code }) => code)
const state = ({ ended }: MemoryRoll): string | undefined => ended()?.standings[0]?.state

const MOMENTS = [
  ['afterReboot', 'proof', 'uncordon'],
  ['beforeAttach', 'settle', 'settle'],
  ['afterNode', 'soak', 'soak'],
  // A node that people had cordoned has its hooks without the guards of a cordon.
  ['beforeNode', 'cordon', 'cordon'],
] as const

for (const [at, fullFrom, step] of MOMENTS)
  test(`a disk that is full at the step ${fullFrom} holds a hook at ${at}, says so, and the roll goes on once there is room`, async (t) => {
    const roll = begun(t, at, isStep(fullFrom))
    await roll.clock.advance(200_000)
    assert.deepEqual([roll.ended(), roll.programs.ran], [undefined, []])
    assert.deepEqual(
      held(roll).filter((hold) => hold.endsWith(' JournalNotWritable')),
      [`${step} JournalNotWritable`],
    )
    roll.clean()
    await roll.clock.advance(200_000)
    assert.deepEqual([roll.ended()?.outcome, roll.programs.ran, roll.reboots], ['completed', [LINE], ['n1']])
  })

for (const [at, fullFrom] of MOMENTS.slice(0, 2))
  test(`a disk that stays full holds a hook at ${at} of a rebooted node for the limit of settle, and then the node stays out`, async (t) => {
    const roll = begun(t, at, isStep(fullFrom))
    await roll.clock.advance(SETTLE_MS)
    assert.equal(roll.ended(), undefined)
    await roll.clock.advance(200_000)
    assert.deepEqual(
      [roll.ended()?.outcome, codes(roll), state(roll)],
      ['stopped', ['NotSettled', 'JournalNotWritable'], 'out'],
    )
    assert.deepEqual([roll.balancer.state('n1') === 'ready', roll.programs.ran], [false, []])
  })

test('a disk that stays full ends the wait for a hook of a node that people had cordoned at drain.blockedLimit', async (t) => {
  const roll = begun(t, 'beforeNode', isStep('cordon'))
  await roll.clock.advance(1_000_000)
  assert.deepEqual([roll.ended()?.outcome, codes(roll), state(roll)], ['held', ['JournalNotWritable'], 'restored'])
  assert.deepEqual([roll.reboots, roll.programs.ran], [[], []])
})
