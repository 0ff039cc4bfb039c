import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toIsoSeconds, type WallMs, wallMs } from '../../../src/ground/model/time.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { scheduleAnswer, scheduledSince, scheduleStatus } from '../../../src/operator/decide/schedule.ts'
import { ROLLS } from '../../../src/operator/model/roll-kind.ts'
import type { RollObject } from '../../../src/operator/model/roll-object.ts'
import { ROLL_SCHEDULES } from '../../../src/operator/model/roll-schedule.ts'
import { scheduleTimes } from '../../../src/operator/reading/schedule-times.ts'

const MINUTE_MS = 60_000
const MIDNIGHT = Date.parse('2026-01-05T00:00:00Z')

function scheduleWith(status: object) {
  const metadata = { namespace: 'evenkeel', name: 'night', uid: 's1', resourceVersion: '1' }
  const spec = {
    ...{ schedule: '0 * * * *', successfulRollsHistoryLimit: 0, failedRollsHistoryLimit: 0 },
    template: { spec: { nodes: { all: true } } },
  }
  const object = { metadata: { ...metadata, creationTimestamp: toIsoSeconds(wallMs(MIDNIGHT)) }, spec, status }
  return ROLL_SCHEDULES.parse(new Untrusted(object, 'schedule'))
}

function rollNamed(name: string, state: string): RollObject {
  const metadata = { namespace: 'evenkeel', name, uid: name, resourceVersion: '1' }
  const times = { creationTimestamp: toIsoSeconds(wallMs(MIDNIGHT)) }
  return ROLLS.parse(new Untrusted({ metadata: { ...metadata, ...times }, spec: {}, status: { state } }, 'roll'))
}

const HOURS = 6

/** Some hours of an hourly schedule whose Rolls take three minutes and are then removed. Each minute, the replica that leads by then makes one pass. */
function madeBy(clockOf: (minute: number) => number): readonly string[] {
  const made: string[] = []
  let status: object = {}
  let under: { readonly name: string; readonly ends: number } | undefined
  for (let minute = 1; minute < HOURS * 60 + 10; minute += 1) {
    const now: WallMs = wallMs(MIDNIGHT + (minute + clockOf(minute)) * MINUTE_MS)
    const schedule = scheduleWith(status)
    const rolls: readonly RollObject[] =
      under === undefined ? [] : [rollNamed(under.name, under.ends <= minute ? 'Succeeded' : 'Running')]
    const times = scheduleTimes(schedule, { since: scheduledSince({ schedule, rolls, now }), now })
    const s = { now, isFresh: true, schedule, faults: [], times, rolls, refusals: new Map() }
    for (const action of scheduleAnswer(s).actions) {
      if (action.kind === 'deleteRoll') under = undefined
      else {
        made.push(action.name)
        under = { name: action.name, ends: minute + 3 }
      }
    }
    status = scheduleStatus(s, [])?.fields ?? status
  }
  return made
}

const everyHour = (last: number): readonly string[] =>
  Array.from({ length: last }, (_, at) => `night-20260105${String(at + 1).padStart(2, '0')}00`)

test('law: replicas whose clocks differ by up to an hour make no Roll twice; each hour has one Roll, whoever leads', () => {
  for (const apart of [5, 59])
    for (const turn of [1, 7]) {
      const clockOf = (minute: number): number => (Math.floor(minute / turn) % 2 === 0 ? 0 : apart)
      const made = madeBy(clockOf)
      assert.deepEqual(made.slice(0, HOURS), everyHour(HOURS), `${apart} min apart, in turns of ${turn} min`)
      assert.equal(new Set(made).size, made.length)
    }
})

test('law: replicas whose clocks differ by up to an hour make no Roll twice; the next time is none that has had its Roll', () => {
  const schedule = scheduleWith({ lastScheduleTime: '2026-01-05T12:00:00Z' })
  const now = wallMs(Date.parse('2026-01-05T11:56:00Z'))
  const { due, next } = scheduleTimes(schedule, { since: scheduledSince({ schedule, rolls: [], now }), now })
  assert.deepEqual([due, toIsoSeconds(next)], [undefined, '2026-01-05T13:00:00Z'])
})

test('a clock that was a day ahead stops no schedule', () => {
  const schedule = scheduleWith({ lastScheduleTime: '2026-01-06T12:00:00Z' })
  const now = wallMs(Date.parse('2026-01-05T12:00:00Z'))
  assert.equal(scheduledSince({ schedule, rolls: [], now }), now)
})
