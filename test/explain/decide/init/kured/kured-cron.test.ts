import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kuredCron } from '../../../../../src/explain/decide/init/kured/kured-cron.ts'
import { KuredReader } from '../../../../../src/explain/decide/init/kured/kured-reader.ts'
import { openSpans } from '../../../../../src/explain/decide/init/kured/kured-window.ts'
import { kuredSettings } from '../../../../../src/ground/model/kured-settings.ts'
import { Untrusted } from '../../../../../src/ground/model/untrusted.ts'
import { cronFault, cronTimes } from '../../../../../src/roll/file/cron-times.ts'
import { daemonSetOf } from './real-kureds.ts'

function readerOf(flags: string): KuredReader {
  const settings = kuredSettings(
    new Untrusted(daemonSetOf({ flags: flags.split(' ').filter((flag) => flag !== '') }), 'daemonset'),
  )
  assert.ok(settings !== undefined)
  return new KuredReader(settings)
}

const WEEK = '--reboot-days=mon,tue,wed,thu,fri'

const ROWS: readonly (readonly [flags: string, cron: string])[] = [
  ['', '0 * * * *'],
  ['--period=1h', '0 * * * *'],
  ['--period=10m', '*/10 * * * *'],
  ['--period=7m', '*/6 * * * *'],
  ['--period=30s', '*/5 * * * *'],
  ['--period=90m', '0 * * * *'],
  ['--period=6h', '0 0,6,12,18 * * *'],
  ['--period=168h', '0 0 * * *'],
  ['--period=soon', '0 * * * *'],
  ['--reboot-days=sa,su', '0 * * * SUN,SAT'],
  ['--start-time=2am --end-time=6am', '0 2-5 * * *'],
  [`--start-time=9:00 --end-time=16:00 --period=10m ${WEEK}`, '*/10 9-15 * * MON,TUE,WED,THU,FRI'],
  ['--start-time=22:00 --end-time=6:00', '0 0-5,22-23 * * *'],
  ['--start-time=22:00 --end-time=6:00 --period=4h', '0 2,22 * * *'],
  [`--start-time=22:00 --end-time=6:00 ${WEEK}`, '0 0-5,22-23 * * MON,TUE,WED,THU,FRI'],
  [`--start-time=22:30 --end-time=6:00 ${WEEK}`, '30 0-5,22-23 * * MON,TUE,WED,THU,FRI'],
  ['--start-time=3:30 --end-time=16:00 --period=10m', '30 3-15 * * *'],
  ['--start-time=3:30 --end-time=4:00', '30 3 * * *'],
  ['--start-time=4:00 --end-time=4:00', '0 4 * * *'],
  ['--start-time=23:59:59 --end-time=03:59:59 --reboot-days=mo', '0 0-3 * * MON'],
  ['--start-time=2:00 --end-time=6:00 --period=24h', '0 2 * * *'],
  ['--start-time=2:00 --end-time=6:00 --period=2h', '0 2,4 * * *'],
]

for (const [flags, cron] of ROWS) {
  test(`Rolls of a kured with ${flags || 'no flag'} are made at ${cron}`, () => {
    const reader = readerOf(flags)
    assert.equal(kuredCron(reader), cron)
    assert.equal(cronFault(cron), undefined)
  })
}

test('no Roll is made while the time window is closed, and the first one is made as it opens', () => {
  for (const [flags] of ROWS) {
    const reader = readerOf(flags)
    const cron = kuredCron(reader)
    const spans = openSpans(reader)
    const saturdayNight = Date.UTC(2026, 0, 3, 23, 0, 0)
    const times = cronTimes(cron, 'UTC', saturdayNight).take(60).toArray()
    const isOpen = (at: number): boolean =>
      spans.some(({ from, minutes, on }) =>
        [0, 1].some((daysAgo) => {
          const midnight = Math.floor(at / 86_400_000) * 86_400_000 - daysAgo * 86_400_000
          const opens = midnight + from * 60_000
          return on.includes(new Date(midnight).getUTCDay()) && opens <= at && at < opens + minutes * 60_000
        }),
      )
    for (const at of times) assert.ok(isOpen(at), `${flags}: ${new Date(at).toISOString()}`)
    const [last] = spans.slice(-1)
    assert.ok(
      times.some((at) => Math.floor((at % 86_400_000) / 60_000) === last?.from),
      flags,
    )
  }
})
