import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type WallMs, wallMs } from '../../../src/ground/model/time.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { type ScheduleSnapshot, scheduleAnswer } from '../../../src/operator/decide/schedule.ts'
import { ROLLS } from '../../../src/operator/model/roll-kind.ts'
import type { RollObject } from '../../../src/operator/model/roll-object.ts'
import { ROLL_SCHEDULES } from '../../../src/operator/model/roll-schedule.ts'
import { scheduleFaults, scheduleTimes } from '../../../src/operator/reading/schedule-times.ts'

const NOON = wallMs(Date.parse('2026-01-05T12:00:00Z'))
const at = (time: string): WallMs => wallMs(Date.parse(`2026-01-05T${time}Z`))

const schedule = (spec: object = {}, status: object = {}) =>
  ROLL_SCHEDULES.parse(
    new Untrusted(
      {
        metadata: {
          namespace: 'evenkeel',
          name: 'night',
          uid: 's1',
          resourceVersion: '1',
          creationTimestamp: '2026-01-05T00:00:00Z',
        },
        spec: { schedule: '0 * * * *', template: { spec: { nodes: { all: true } } }, ...spec },
        status,
      },
      'schedule',
    ),
  )

const roll = (name: string, state: string, status: object = {}): RollObject =>
  ROLLS.parse(
    new Untrusted(
      {
        metadata: {
          namespace: 'evenkeel',
          name,
          uid: name,
          resourceVersion: '1',
          creationTimestamp: `2026-01-05T${name.slice(-4, -2)}:00:00Z`,
        },
        spec: {},
        status: { state, ...status },
      },
      'roll',
    ),
  )

interface Given extends Partial<Pick<ScheduleSnapshot, 'rolls' | 'needs'>> {
  readonly now: WallMs
  readonly since?: WallMs
  readonly spec?: object
  readonly status?: object
}

function shown({ now, since = at('11:30:00'), spec, status, ...rest }: Given): string {
  const of = schedule(spec, status)
  const faults = scheduleFaults(of, [])
  const s: ScheduleSnapshot = {
    ...{ now, isFresh: true, schedule: of, faults, rolls: [], refusals: new Map() },
    ...(faults.length > 0 || of.when === 'FleetLock' ? {} : { times: scheduleTimes(of, { since, now }) }),
    ...rest,
  }
  const { reasons, actions, settled } = scheduleAnswer(s)
  const did = actions.map((action) => (action.kind === 'createRoll' ? `+${action.name}` : `-${action.roll.name}`))
  const time = settled === undefined ? '' : ` settled ${new Date(settled).toISOString().slice(11, 16)}`
  return `${reasons.map(({ code }) => code).join(' ')}: ${did.join(' ')}${time}`
}

const BY_CLIENT = {
  schedule: '',
  when: 'FleetLock',
  template: { spec: { nodes: { all: true }, reboot: { fleetLock: {} } } },
}

const ROWS: readonly (readonly [title: string, given: Given, wanted: string])[] = [
  ['before its time', { now: at('11:59:59') }, 'ScheduleWaits: '],
  ['at its time', { now: NOON }, 'ScheduleWaits: +night-202601051200'],
  ['a little late', { now: at('12:59:59') }, 'ScheduleWaits: +night-202601051200'],
  [
    'a Roll was made already',
    { now: at('12:00:01'), rolls: [roll('night-202601051200', 'Running')] },
    'ScheduleWaits:  settled 12:00',
  ],
  [
    'too late',
    { now: at('12:11:00'), spec: { startingDeadline: '10min' } },
    'ScheduleMissed ScheduleWaits:  settled 12:00',
  ],
  [
    'after a long absence',
    { now: at('12:05:00'), since: at('08:30:00') },
    'ScheduleMissed ScheduleWaits: +night-202601051200',
  ],
  ['the last Roll is under way', { now: NOON, rolls: [roll('night-202601051100', 'Held')] }, 'ScheduleForbidden: '],
  [
    'the last Roll is under way for too long',
    { now: at('12:11:00'), spec: { startingDeadline: '10min' }, rolls: [roll('night-202601051100', 'Running')] },
    'ScheduleForbidden:  settled 12:00',
  ],
  [
    'the last Roll has ended',
    { now: NOON, rolls: [roll('night-202601051100', 'Stopped')] },
    'ScheduleWaits: +night-202601051200',
  ],
  ['its Rolls are made for clients', { now: NOON, spec: BY_CLIENT }, 'ScheduleOnRequest: '],
  [
    'of the Rolls for clients the oldest are removed',
    {
      now: at('11:40:00'),
      spec: { ...BY_CLIENT, successfulRollsHistoryLimit: 1 },
      rolls: ['0700', '0800'].map((time) => roll(`night-20260105${time}`, 'Succeeded')),
    },
    'ScheduleOnRequest: -night-202601050700',
  ],
  ['for clients, and suspended', { now: NOON, spec: { ...BY_CLIENT, suspend: true } }, 'ScheduleSuspended: '],
  ['for clients, and with times', { now: NOON, spec: { ...BY_CLIENT, schedule: '0 * * * *' } }, 'ScheduleRefused: '],
  [
    'for clients, and rebooted in another way',
    { now: NOON, spec: { schedule: '', when: 'FleetLock' } },
    'ScheduleRefused: ',
  ],
  ['suspended', { now: NOON, spec: { suspend: true } }, 'ScheduleSuspended: '],
  [
    'no node needs it',
    { now: NOON, spec: { when: 'RebootRequired' }, needs: 0 },
    'ScheduleNotNeeded ScheduleWaits:  settled 12:00',
  ],
  ['a node needs it', { now: NOON, spec: { when: 'RebootRequired' }, needs: 1 }, 'ScheduleWaits: +night-202601051200'],
  [
    'more Rolls than are kept',
    {
      now: at('11:40:00'),
      status: { lastScheduleTime: '2026-01-05T11:00:00Z' },
      rolls: ['0700', '0800', '0900', '1000'].map((time) => roll(`night-20260105${time}`, 'Succeeded')),
    },
    'ScheduleWaits: -night-202601050700',
  ],
  [
    'more Rolls than are kept, and the status does not have their times yet',
    {
      now: at('11:40:00'),
      spec: { successfulRollsHistoryLimit: 0 },
      status: { lastScheduleTime: '2026-01-05T10:00:00Z' },
      rolls: ['1000', '1100'].map((time) => roll(`night-20260105${time}`, 'Succeeded')),
    },
    'ScheduleWaits: -night-202601051000 settled 11:00',
  ],
  [
    'a replica whose clock is ahead made the next Roll',
    { now: at('11:56:00'), since: NOON, rolls: [roll('night-202601051200', 'Running')] },
    'ScheduleWaits:  settled 12:00',
  ],
  [
    'no other Roll is kept',
    {
      now: at('11:40:00'),
      spec: { failedRollsHistoryLimit: 0 },
      status: { lastScheduleTime: '2026-01-05T10:00:00Z' },
      rolls: [roll('night-202601050900', 'Aborted'), roll('night-202601051000', 'Held')],
    },
    'ScheduleWaits: -night-202601050900',
  ],
  [
    'no other Roll is kept, and one keeps a node out',
    {
      now: at('11:40:00'),
      spec: { failedRollsHistoryLimit: 0 },
      status: { lastScheduleTime: '2026-01-05T09:00:00Z' },
      rolls: [roll('night-202601050900', 'Stopped', { nodes: [{ name: 'n1', state: 'Out' }] })],
    },
    'ScheduleWaits: ',
  ],
  [
    'a clock that was wrong wrote a time to come',
    { now: NOON, since: at('18:00:00'), status: { lastScheduleTime: '2026-01-05T18:00:00Z' } },
    'ScheduleWaits:  settled 12:00',
  ],
  [
    'in another zone',
    { now: at('20:30:00'), since: at('19:30:00'), spec: { schedule: '0 21 * * *', timeZone: 'Europe/Berlin' } },
    'ScheduleWaits: +night-202601052000',
  ],
  [
    'of Rolls that wait for approvals, and begin paused',
    { now: NOON, spec: { template: { spec: { nodes: { all: true }, approval: 'perNode', paused: true } } } },
    'ScheduleWaits: +night-202601051200',
  ],
  ['wrong fields', { now: NOON, spec: { schedule: 'daily', timeZone: 'Berlin' } }, 'ScheduleRefused: '],
]

for (const [title, given, wanted] of ROWS) {
  test(`a RollSchedule: ${title}`, () => {
    assert.equal(shown(given), wanted)
  })
}

test('law: a time of a schedule makes at most one Roll, and none while an earlier Roll of it is under way', () => {
  for (const state of ['', 'Waiting', 'Running', 'Held', 'Aborting', 'Succeeded', 'Stopped', 'Aborted'])
    for (const minute of [0, 1, 30, 59])
      for (const name of ['night-202601051200', 'night-202601051100']) {
        const now = wallMs(NOON + minute * 60_000)
        const makes = shown({ now, rolls: [roll(name, state)] }).includes('+')
        const mayMake = name.endsWith('1100') && ['Succeeded', 'Stopped', 'Aborted'].includes(state)
        assert.equal(makes, mayMake, `${name} ${state} at ${minute} min`)
      }
})

test('each field that is wrong is named, with what to write', () => {
  const spec = { schedule: 'daily', timeZone: 'Berlin', startingDeadline: '10', template: { spec: { soak: '1 day' } } }
  assert.deepEqual(scheduleFaults(schedule(spec), []), [
    'spec.schedule: "daily" is not a cron expression; schedule: "0 22 * * MON-FRI"',
    'spec.timeZone: unknown time zone "Berlin"; timeZone: Europe/Berlin',
    'spec.startingDeadline: "10" has no unit: write ms, s, min or h; startingDeadline: 1h',
    'spec.template.spec.soak: "1 day" is not a duration; soak: 24h',
  ])
})

test('the Rolls of a schedule may ask for approvals, and begin paused', () => {
  const probes = [{ name: 'shop', url: 'http://192.0.2.1/' }]
  const template = { spec: { nodes: { all: true }, probes, approval: 'perNode', approved: ['n1'], paused: true } }
  assert.deepEqual(scheduleFaults(schedule({ template }), []), [])
})

test('a schedule of every minute whose controller was away for a year is read at once, and makes one Roll', () => {
  const spec = { schedule: '* * * * *' }
  const given = { now: NOON, since: wallMs(Date.parse('2025-01-05T12:00:00Z')), spec }
  assert.match(shown(given), /^ScheduleMissed ScheduleWaits: \+night-2026010512(00|01)$/)
})
