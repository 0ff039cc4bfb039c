import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { LiveProgress } from '../../../../src/roll/cli/screen/live-progress.ts'
import { PlainProgress } from '../../../../src/roll/cli/screen/plain-progress.ts'
import { Screen } from '../../../ground/text/terminal/screen.ts'
import { leave, memoryRoll } from '../../../support/memory-roll.ts'

const STEP_MS = 250
const style = { color: false, symbols: 'ascii' } as const

interface Shown {
  readonly atMs: number
  readonly text: string
}

/** A roll of one node that comes back 20 s after its reboot, and whose data port then never answers. */
async function watched(t: TestContext, kind: 'plain' | 'live') {
  const roll = memoryRoll({ portAnswers: false })
  const screen = new Screen()
  const progress = new (kind === 'plain' ? PlainProgress : LiveProgress)({
    sink: screen,
    clock: roll.clock,
    style,
    level: 1,
  })
  const stop = new AbortController()
  const run = progress.run(stop.signal).catch((error: unknown) => error)
  const rolling = roll.begin()
  t.after(async () => {
    progress.close()
    stop.abort(new Error('over'))
    await run
    await leave(roll, rolling)
  })
  let [shownEvents, written] = [0, 0]
  const shown: Shown[] = []
  const advance = async (ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
      await roll.clock.advance(STEP_MS)
      for (const event of roll.events.slice(shownEvents)) progress.event(event)
      shownEvents = roll.events.length
      const writes = screen.writes.slice(written)
      written = screen.writes.length
      if (writes.length > 0) shown.push({ atMs: roll.clock.monoMs(), text: writes.join('') })
    }
  }
  return { roll, screen, shown, advance }
}

test('off a terminal no silence is longer than ten seconds while a step waits, and each line says for what', async (t) => {
  const { roll, shown, advance } = await watched(t, 'plain')
  await advance(90_000)
  const times = shown.map(({ atMs }) => atMs)
  const silences = times.map((at, index) => (times[index + 1] ?? roll.clock.monoMs()) - at)
  assert.ok(Math.max(...silences) <= 11_000, silences.join())
  const silent = 'nothing answers at 10.0.0.1:30080 yet, not measured'
  assert.deepEqual(
    shown.slice(0, 6).map(({ text }) => text.trimEnd()),
    [
      '00:00:00Z -      start     test, 3 nodes, run run-1',
      '00:00:11Z n1     reboot    step 6/11 for 11 s, n1 is rebooting; the API still shows its old boot id, not measured',
      '00:00:21Z n1     proof     step 7/11 for 1 s, n1 has sent no heartbeat since its new boot id appeared, not measured',
      `00:00:31Z n1     settle    step 9/11 for 6 s, ${silent}`,
      `00:00:41Z n1     settle    step 9/11 for 16 s, ${silent}`,
      `00:00:51Z n1     settle    step 9/11 for 26 s, ${silent}`,
    ],
  )
})

test('on a terminal it says at once what a step waits for', async (t) => {
  const { roll, screen, advance } = await watched(t, 'live')
  const inProof = () => roll.events.some((event) => event.type === 'step.started' && event.step === 'proof')
  for (let tries = 0; !inProof() && tries < 400; tries += 1) await advance(STEP_MS)
  await advance(2 * STEP_MS)
  assert.match(screen.text, /n1 +7\/11 proof .*\n +waits: \S/)
})

test('the journal has none of it', async (t) => {
  const types: unknown[] = []
  const append = async ({ type }: { readonly type: string }): Promise<void> => void types.push(type)
  const roll = memoryRoll({ append })
  const rolling = roll.begin()
  t.after(() => leave(roll, rolling))
  await roll.clock.advance(60_000)
  assert.ok(roll.events.some(({ type }) => type === 'step.waits'))
  assert.deepEqual([types.includes('step.started'), types.includes('step.waits')], [true, false])
})
