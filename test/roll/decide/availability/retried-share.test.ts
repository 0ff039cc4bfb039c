import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LaneSummary } from '../../../../src/ground/model/probe.ts'
import { monoMs } from '../../../../src/ground/model/time.ts'
import { RetriedShare } from '../../../../src/roll/decide/availability/retried-share.ts'
import { aLane } from '../../cli/probe/a-reading.ts'

/** What is said in so many seconds, by the counts of each second; when, and how it begins. */
function saidIn(seconds: number, counts: (second: number) => Partial<LaneSummary>): readonly string[] {
  const share = new RetriedShare()
  return Array.from({ length: seconds }, (_, second) =>
    share
      .found({ lanes: [aLane({ target: 'shop', lane: 'kept', ...counts(second) })] }, monoMs(second * 1_000))
      .map((text) => `${second} s: ${text.split(' before ')[0]}`),
  ).flat()
}

test('a server that resets every second request on its kept connections is noticed within seconds, and again while it lasts', () => {
  assert.deepEqual(
    saidIn(40, (second) => ({ sent: second * 50, retried: second * 25 })),
    [
      '1 s: shop closed the kept connection of 25 of 50 requests',
      '31 s: shop closed the kept connection of 750 of 1500 requests',
    ],
  )
})

test('requests that meet the close of an idle connection now and then are counted alone', () => {
  assert.deepEqual(
    saidIn(600, (second) => ({ sent: second * 50, retried: Math.floor(second / 2) })),
    [],
  )
  const atReload = (second: number) => ({ sent: second * 50, retried: second >= 10 ? 8 : 0 })
  assert.deepEqual(saidIn(60, atReload), [], 'eight connections, each once')
})

test('other lanes and controls do not count', () => {
  const many = (second: number) => ({ sent: second * 50, retried: second * 25 })
  assert.deepEqual(
    saidIn(10, (second) => ({ ...many(second), lane: 'new' })),
    [],
  )
  assert.deepEqual(
    saidIn(10, (second) => ({ ...many(second), control: true })),
    [],
  )
})
