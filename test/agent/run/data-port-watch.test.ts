import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DataPortWatch } from '../../../src/agent/run/data-port-watch.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const WATCHED = { at: { address: '10.0.0.1', port: 443 }, everyMs: 2_000, limitMs: 1_000, fall: 3, rise: 2 }
const LOOKS_IN_22_S = 12

test('as many looks at the data port as health checks need are apart by the interval of checks', async (t) => {
  const clock = new VirtualClock()
  const found: (readonly [string, number])[] = []
  const over = new AbortController()
  let [isOpen, asked] = [true, 0]
  const answers = async (): Promise<boolean> => {
    asked += 1
    // Without a wait between its looks it would go on for ever in no time.
    if (asked > LOOKS_IN_22_S) over.abort()
    return isOpen
  }
  const watch = new DataPortWatch({
    dataPort: { answers },
    ...WATCHED,
    clock,
    onChange: (state) => found.push([state, clock.monoMs()]),
  })
  const running = watch.run(over.signal).catch(() => undefined)
  t.after(async () => {
    over.abort()
    await running
  })
  await clock.advance(1_999)
  assert.deepEqual([found, watch.isFound], [[], false])
  await clock.advance(1)
  assert.deepEqual(found, [['open', 2_000]])
  isOpen = false
  await clock.advance(20_000)
  assert.deepEqual(found, [
    ['open', 2_000],
    ['closed', 8_000],
  ])
})

test('a data port that does not answer within its limit is closed, and is asked again', async (t) => {
  const clock = new VirtualClock()
  const found: (readonly [string, number])[] = []
  const over = new AbortController()
  const watch = new DataPortWatch({
    dataPort: { answers: () => new Promise(() => undefined) },
    ...WATCHED,
    clock,
    onChange: (state) => found.push([state, clock.monoMs()]),
  })
  watch.run(over.signal).catch(() => undefined)
  t.after(() => over.abort())
  await clock.advance(20_000)
  // Asked at 0, 3 and 6 s, and given up a second later each time.
  assert.deepEqual(found, [['closed', 7_000]])
})

test('a machine that can make no connection says nothing about its data port: what was found stays, and people are told', async (t) => {
  const clock = new VirtualClock()
  const found: string[] = []
  const over = new AbortController()
  let asked: boolean | Error = true
  const watch = new DataPortWatch({
    dataPort: {
      answers: async () => {
        if (asked instanceof Error) throw asked
        return asked
      },
    },
    ...WATCHED,
    clock,
    onChange: (state) => found.push(state),
  })
  watch.run(over.signal).catch(() => undefined)
  t.after(() => over.abort())
  await clock.advance(4_000)
  asked = new WorldError('no port is free (EADDRNOTAVAIL)', { code: 'DATA_PORT_UNASKED', retry: 'backoff' })
  await clock.advance(60_000)
  assert.deepEqual([found, watch.trouble], [['open'], ['no port is free (EADDRNOTAVAIL)']])
  asked = false
  await clock.advance(6_000)
  assert.deepEqual([found, watch.trouble], [['open', 'closed'], []])
})
