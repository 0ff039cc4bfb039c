import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LiveProgress } from '../../../../src/roll/cli/screen/live-progress.ts'
import { PlainProgress } from '../../../../src/roll/cli/screen/plain-progress.ts'
import { Screen } from '../../../ground/text/terminal/screen.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'
import { budget, heldStory, load, Story } from './roll-story.ts'

const style = { color: false, symbols: 'ascii' } as const

/** A progress view that has just seen the hold of 06:19:13, on a clock that stands at that moment. */
function setUp(kind: 'plain' | 'live', level: 0 | 1 = 1) {
  const screen = new Screen()
  const clock = new VirtualClock('2026-11-21T06:19:13.000Z')
  const parts = { sink: screen, clock, style, level }
  const progress = kind === 'plain' ? new PlainProgress(parts) : new LiveProgress(parts)
  const stop = new AbortController()
  const run = progress.run(stop.signal).catch((error: unknown) => error)
  for (const event of heldStory().events) progress.event(event)
  const end = async (): Promise<void> => {
    progress.close()
    stop.abort(new Error('over'))
    await run
  }
  return { screen, clock, progress, end }
}

const HOLD_BLOCK = `HOLD  w-2, drain: waits for shop/cart-0
  why    shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3
  since  06:19:13Z, 30 s; rechecked on every change, gives up at 06:34:13Z
  state  w-2 is cordoned and detached; 8 of 11 pods; 0 failed of 32,000
  next   kubectl -n shop describe pod cart-2`

test('a log says a hold that lasts in full once, then beats once a minute', async () => {
  const { screen, clock, end } = setUp('plain')
  await clock.advance(151_000)
  assert.equal(
    screen.text,
    `06:14:39Z -      start     prod-eu1, 8 nodes, run 20261121T061439Z-1f0e
06:14:49Z -      baseline  0 failed of 1,000, p99 11 ms
06:18:45Z w-1    done      4:06, 14 pods moved, 0 failed of 24,600
06:19:13Z w-2    drain     HOLD shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3
${HOLD_BLOCK}
06:20:43Z w-2    drain     still held 1 min 30 s of 15 min, 8 of 11 pods, 0 failed
06:21:43Z w-2    drain     still held 2 min 30 s of 15 min, 8 of 11 pods, 0 failed`,
  )
  await end()
})

test('a hold is said in full again when its reason changes', async () => {
  const { screen, clock, progress, end } = setUp('plain', 0)
  await clock.advance(31_000)
  const reasons = [
    { ...budget, object: 'shop/cart-1', text: 'shop/cart-1, budget shop/cart needs 2 healthy, has 1 of 3' },
  ]
  progress.event({
    v: '1.0',
    seq: 99,
    at: '2026-11-21T06:19:44.000Z',
    type: 'hold.changed',
    node: 'w-2',
    step: 'drain',
    reasons,
  })
  await clock.advance(200_000)
  assert.deepEqual(
    screen.lines.filter((line) => line.startsWith('HOLD')),
    ['HOLD  w-2, drain: waits for shop/cart-0', 'HOLD  w-2, drain: waits for shop/cart-1'],
  )
  assert.doesNotMatch(screen.text, /still held/, 'quiet has no heartbeat')
  await end()
})

test('live: the log above, the region below, gone at the end', async () => {
  const { screen, clock, progress, end } = setUp('live')
  await clock.advance(1_000)
  assert.deepEqual(screen.lines.slice(-6), [
    '06:19:13Z w-2    drain     HOLD shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3',
    'roll prod-eu1    1 done, 1 active, 6 waiting   4 min 35 s, 29 min left + hold',
    'w-2  5/11 drain, stage 2 of 2   8 of 11 pods  [###########....]  0:27',
    '     held 1 s: shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3',
    'load 0 failed of 32,000   100/s   p99 12 ms (before 11)   strays 0',
    '',
  ])
  progress.say('^C Stopping')
  await end()
  assert.equal(screen.lines.filter((line) => line !== '').at(-1), '^C Stopping')
  assert.equal(screen.cursorShown, true)
})

test('live: at most four frames a second however much happens, and clocks tick once a second', async () => {
  const { screen, clock, progress, end } = setUp('live')
  await clock.advance(1_000)
  const before = screen.writes.length
  for (let index = 0; index < 1_000; index += 1) {
    progress.event({
      v: '1.0',
      seq: 100 + index,
      at: '2026-11-21T06:19:14.000Z',
      type: 'load.tick',
      load: load(32_000 + index),
    })
    if (index % 100 === 99) await clock.advance(100)
  }
  assert.ok(screen.writes.length - before <= 5, String(screen.writes.length - before))
  const quiet = screen.writes.length
  await clock.advance(5_000)
  assert.ok(screen.writes.length - quiet <= 6, String(screen.writes.length - quiet))
  await end()
})

test('in the baseline, when no node has begun, a log and a terminal say what is waited for', async () => {
  const baseline = (kind: 'plain' | 'live') => {
    const screen = new Screen()
    const clock = new VirtualClock('2026-11-21T06:14:39.000Z')
    const progress = new (kind === 'plain' ? PlainProgress : LiveProgress)({ sink: screen, clock, style, level: 1 })
    const stop = new AbortController()
    const run = progress.run(stop.signal).catch((error: unknown) => error)
    const story = new Story()
      .add('06:14:39', { type: 'roll.started', run: 'r', cluster: 'prod-eu1', nodes: ['w-1'], resumed: false })
      .add('06:14:40', { type: 'load.tick', load: { ...load(100), inBaseline: true } })
    for (const event of story.events) progress.event(event)
    const end = async (): Promise<void> => {
      progress.close()
      stop.abort(new Error('over'))
      await run
    }
    return { screen, clock, end }
  }
  const plain = baseline('plain')
  await plain.clock.advance(21_000)
  assert.deepEqual(plain.screen.lines.slice(1, 3), [
    '06:14:49Z -      baseline  traffic is measured before the roll begins, 0 failed of 100',
    '06:14:59Z -      baseline  traffic is measured before the roll begins, 0 failed of 100',
  ])
  await plain.end()
  const live = baseline('live')
  await live.clock.advance(1_000)
  assert.match(live.screen.text, /^load 0 failed of 100, before the roll begins /m)
  await live.end()
})
