import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, onlyFinding, rollYaml } from './roll-file.ts'

const all = '  nodes: {all: true}'
const withWindow = (...lines: readonly string[]): string =>
  rollYaml(all, '  window:', ...lines.map((line) => `    ${line}`))

test('time windows are read with the defaults filled in', () => {
  const { window } = load(withWindow('zone: Europe/Berlin', 'open: [{cron: "0 22 * * MON-FRI", duration: 6h}]'))
  assert.deepEqual(window, {
    zone: 'Europe/Berlin',
    open: [{ cron: '0 22 * * MON-FRI', durationMs: 21_600_000, zone: 'Europe/Berlin' }],
    not: [],
    onClose: 'restore',
  })
  const whole = load(
    withWindow(
      'zone: UTC',
      'open: [{cron: "0 22 * * *", duration: 6h, zone: Asia/Tokyo}]',
      'not: [{cron: "0 0 24 12 *", duration: 72h}]',
      'onClose: finish',
      'waitLimit: 0s',
    ),
  )
  assert.deepEqual(whole.window, {
    zone: 'UTC',
    open: [{ cron: '0 22 * * *', durationMs: 21_600_000, zone: 'Asia/Tokyo' }],
    not: [{ cron: '0 0 24 12 *', durationMs: 259_200_000, zone: 'UTC' }],
    onClose: 'finish',
    waitLimitMs: 0,
  })
  assert.equal(load(rollYaml(all)).window, undefined)
})

test('an unknown time zone is refused at its place, with the nearest one that is known', () => {
  assert.equal(
    onlyFinding(withWindow('zone: Europe/Berln', 'open: [{cron: "0 22 * * *", duration: 6h}]')),
    `error: unknown time zone "Europe/Berln" (config.zone)
 --> roll.yaml:7:11
7 |     zone: Europe/Berln
  |           ^^^^^^^^^^^^ a name of the IANA time zone database
  = fix: zone: Europe/Berlin`,
  )
})

test('an opening that lasts longer than the time to the next one is refused at its duration', () => {
  assert.equal(
    onlyFinding(withWindow('zone: UTC', 'open:', '  - cron: "0 * * * *"', '    duration: 2h')),
    `error: the duration is longer than the time from one opening to the next, which is 1 h at its shortest (config.window)
  --> roll.yaml:10:19
10 |         duration: 2h
   |                   ^^ "0 * * * *" opens again before it is over
   = fix: write a shorter duration, or an expression that comes true less often`,
  )
})

/** An expression, and what is wrong with it. */
const CRONS: readonly (readonly [string, RegExp])[] = [
  ['0 0 31 2 *', /"0 0 31 2 \*" never comes true/],
  ['0 22 * *', /"0 22 \* \*" is not a cron expression[\s\S]*five fields/],
  ['0 0 22 * * *', /is not a cron expression[\s\S]*five fields/],
  ['@daily', /"@daily" is not a cron expression/],
  ['0 25 * * *', /is not a cron expression[\s\S]*Invalid value for hour: 25/],
  ['2026-05-01T00:00:00', /is not a cron expression/],
  ['', /"" is not a cron expression/],
]

for (const [cron, said] of CRONS)
  test(`the cron expression "${cron}" is refused at its place`, () => {
    const finding = onlyFinding(withWindow('zone: UTC', `open: [{cron: "${cron}", duration: 6h}]`))
    assert.match(finding, said)
    assert.match(finding, /--> roll\.yaml:8:19\n/)
    assert.match(finding, /= fix: cron: "0 22 \* \* MON-FRI"/)
  })

/** Lines of a window with one fault, and what is said. */
const FAULTS: readonly (readonly [readonly string[], RegExp])[] = [
  [['open: [{cron: "0 22 * * *", duration: 6h}]'], /missing field "zone"/],
  [['zone: UTC'], /missing field "open"/],
  [['zone: UTC', 'open: []'], /"open" is an empty list/],
  [['zone: +02:00', 'open: [{cron: "0 22 * * *", duration: 6h}]'], /unknown time zone "\+02:00"/],
  [['zone: UTC', 'open: [{cron: "0 22 * * *", duration: 1min}]'], /"1min" is too short/],
  [['zone: UTC', 'open: [{cron: "0 22 * * *", duration: 6h}]', 'onClose: stop'], /unknown onClose "stop"/],
  [['zone: UTC', 'open: [{cron: "0 22 * * *", duration: 6h, zone: Mars}]'], /unknown time zone "Mars"/],
  [['zone: UTC', 'open: [{cron: "0 22 * * *", duration: 6h}]', 'close: 4h'], /unknown field "close"/],
]

for (const [lines, said] of FAULTS)
  test(`a window of ${lines.join(', ')} is refused`, () => assert.match(onlyFinding(withWindow(...lines)), said))
