import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow, Lane } from '../../../src/ground/model/probe.ts'
import { OutageTeller } from '../../../src/roll/cli/outage-teller.ts'
import { at } from '../decide/availability/a-sample.ts'

interface Given {
  readonly target?: string
  readonly lane?: Lane
  /** Time between two requests of the lane. */
  readonly periodMs?: number
}

/** One request that failed. */
const oneFailed = (ms: number, { target = 'shop', lane = 'new', periodMs = 20 }: Given = {}): FailureWindow => ({
  target,
  control: false,
  lane,
  sent: 1,
  failed: 1,
  failures: { status: 1 },
  firstError: 'HTTP 503',
  lastOkAt: at(ms - periodMs),
  firstBadAt: at(ms),
  lastBadAt: at(ms),
  firstOkAt: at(ms + periodMs),
})

function teller() {
  const it = new OutageTeller()
  const line = (news: ReturnType<typeof it.due>) =>
    news && `${news.type} ${news.windows.map(({ window }) => `${window.target}/${window.lane}`).join('+')}`
  return {
    opened: (window: FailureWindow, ms: number) => {
      const { firstOkAt: _end, ...open } = window
      it.note({ window: open, closed: false }, at(ms))
    },
    closed: (window: FailureWindow, ms: number) => it.note({ window, closed: true }, at(ms)),
    /** What is said at this time, looked at four times a second until then. */
    until: (from: number, to: number) => {
      const said: string[] = []
      for (let ms = from; ms <= to; ms += 250) {
        const text = line(it.due(at(ms)))
        if (text !== undefined) said.push(`${ms} ${text}`)
      }
      return said
    },
    due: (ms: number) => it.due(at(ms)),
    rest: () => it.rest().map(line),
  }
}

test('a request that failed on each lane is one line, once the other lane can have told too', () => {
  const { opened, closed, until } = teller()
  opened(oneFailed(0), 250)
  closed(oneFailed(0), 250)
  opened(oneFailed(10, { lane: 'kept' }), 500)
  closed(oneFailed(10, { lane: 'kept' }), 500)
  assert.deepEqual(until(500, 5_000), ['1250 closed shop/new+shop/kept'])
})

test('an outage that lasts is reported while it does, and once more when both lanes are over', () => {
  const { opened, closed, until } = teller()
  opened(oneFailed(0), 250)
  opened(oneFailed(10, { lane: 'kept' }), 250)
  assert.deepEqual(until(250, 8_000), ['1250 opened shop/new+shop/kept'])
  closed(oneFailed(0), 8_250)
  assert.deepEqual(until(8_250, 10_000), [], 'the other lane is not over')
  closed(oneFailed(10, { lane: 'kept' }), 10_250)
  assert.deepEqual(until(10_250, 12_000), ['10250 closed shop/new+shop/kept'])
})

test('one failed request of a low rate is one line, though its window is open for seconds', () => {
  const { opened, closed, until } = teller()
  opened(oneFailed(0, { periodMs: 500 }), 500)
  assert.deepEqual(until(500, 2_000), [])
  closed(oneFailed(0, { periodMs: 500 }), 2_250)
  assert.deepEqual(until(2_250, 5_000), ['2250 closed shop/new'])
})

test('of hundreds of failed requests a line is said each second, with all that is new', () => {
  const { closed, due } = teller()
  const said: [ms: number, outages: number, failed: number][] = []
  for (let ms = 0; ms < 60_000; ms += 100) {
    closed(oneFailed(ms, { lane: ms % 200 === 0 ? 'new' : 'kept' }), ms)
    const news = due(ms)
    if (news !== undefined) said.push([ms, news.outages, news.windows.length])
  }
  assert.deepEqual(said.slice(0, 3), [
    [1_000, 1, 1],
    [2_000, 10, 10],
    [3_000, 10, 10],
  ])
  assert.equal(said.length, 59)
})

test('several targets take turns, a line a second, the one that waits longest first', () => {
  const { closed, until } = teller()
  for (const target of ['shop', 'api', 'edge']) closed(oneFailed(0, { target }), 250)
  closed(oneFailed(600), 750)
  assert.deepEqual(until(250, 6_000), [
    '1250 closed shop/new',
    '2250 closed api/new',
    '3250 closed edge/new',
    '4250 closed shop/new',
  ])
})

test('at the end all that was not reported yet is reported, a line for each target, and nothing twice', () => {
  const { opened, closed, rest } = teller()
  closed(oneFailed(0), 100)
  closed(oneFailed(300), 400)
  opened(oneFailed(350, { target: 'api' }), 400)
  assert.deepEqual(rest(), ['closed shop/new+shop/new', 'opened api/new'])
  assert.deepEqual(rest(), [])
})
