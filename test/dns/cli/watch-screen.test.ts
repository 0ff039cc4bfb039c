import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { watchScreen } from '../../../src/dns/cli/watch-screen.ts'
import type { PathReading } from '../../../src/dns/decide/path-reading.ts'
import type { DnsStatus } from '../../../src/dns/run/dns-metrics.ts'
import { type CheckOrTrouble, EMPTY_DNS_STATUS, foldCheck } from '../../../src/dns/run/fold-check.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { cellWidth } from '../../../src/ground/text/cell-width.ts'
import { paintLine, type Style } from '../../../src/ground/text/terminal/style.ts'
import { aPodOfDns, aReading, aScene, DEAD, SILENT, STALE } from '../decide/a-scene.ts'
import { aCheck } from '../run/a-check.ts'

const BEGIN = Date.parse('2026-11-21T06:14:39.000Z')
const EVERY_MS = 10_000
const SICK = 'coredns-79f459c89d-4jcm6'
const SOUND = 'coredns-79f459c89d-4tjlz'
const unicode: Style = { color: false, symbols: 'unicode' }
const { medianMs: _median, ...UNANSWERED } = SILENT
const SLOW = [0.4, 1.5, 3, 7, 15, 30, 70, 200]

interface Seen {
  readonly names?: readonly string[]
  readonly ill?: Readonly<Record<string, PathReading>>
  readonly medianMs?: number
}

const seen = ({ names = [SICK, SOUND], ill = {}, medianMs = 0.4 }: Seen): CheckOrTrouble =>
  aCheck(
    aScene({
      pods: ill,
      service: aReading({ medianMs, asked: 12 }),
      change: {
        pods: names.map((name, at) => aPodOfDns(name, { node: `n${at + 1}` })),
        vantages: [{ name: 'here', control: 'answers' }],
      },
    }),
  )

const after = (checks: readonly CheckOrTrouble[]): DnsStatus =>
  checks.reduce((view, check, at) => foldCheck(view, check, wallMs(BEGIN + EVERY_MS * at)), EMPTY_DNS_STATUS)

function drawn(view: DnsStatus, columns: number, { rows = 24, style = unicode } = {}): readonly string[] {
  const now = (view.last?.at ?? BEGIN) + 3_000
  const show = { now, size: { columns, rows }, style, intervalMs: EVERY_MS }
  return watchScreen(view, show).map((line) => paintLine(line, style, columns - 1))
}

const WELL_THEN_SICK = after(SLOW.map((medianMs, at) => seen({ medianMs, ill: at < 4 ? {} : { [SICK]: UNANSWERED } })))

test('at 80 columns a sick pod is named, with its last checks and what changed', () => {
  assert.equal(
    drawn(WELL_THEN_SICK, 80).join('\n'),
    `BAD  for 33 s, since 06:15:19Z: DNS of Service kube-system/kube-dns
8 checks, every 10 s; 40 queries in the last, 3 s ago

  FROM  TO                            STATE          LOST    MEDIAN   LAST 10
  here  pod coredns-79f459c89d-4jcm6  UDP silent   4 of 4            ▂▂▂▂××××
  here  pod coredns-79f459c89d-4tjlz  answers      0 of 7    1.0 ms  ▂▂▂▂▂▂▂▂
  here  service 10.96.0.10            answers     0 of 12  200.0 ms  ▁▂▃▄▅▆▇█

UdpDead pod coredns-79f459c89d-4jcm6: the pod answers over TCP but not over UDP

06:15:19Z  BAD  UdpDead pod coredns-79f459c89d-4jcm6
06:14:39Z  OK   Healthy`,
  )
})

test('at 50 columns what matters most is left: which path, its state and its last checks', () => {
  assert.equal(
    drawn(WELL_THEN_SICK, 50, { style: { color: false, symbols: 'ascii' } }).join('\n'),
    `BAD  for 33 s, since 06:15:19Z: DNS of Service k~
8 checks, every 10 s; 40 queries in the last, 3 ~

  TO                       STATE        LAST 10
  pod ~s-79f459c89d-4jcm6  UDP silent  ....xxxx
  pod ~s-79f459c89d-4tjlz  answers     ........
  service 10.96.0.10       answers     _.-:=+*#

UdpDead pod coredns-79f459c89d-4jcm6: the pod an~

06:15:19Z  BAD  UdpDead pod coredns-79f459c89d-4~
06:14:39Z  OK   Healthy`,
  )
})

test('where there is no room one line is left', () => {
  assert.deepEqual(drawn(WELL_THEN_SICK, 30), ['BAD 33 s: UdpDead'])
  assert.deepEqual(drawn(WELL_THEN_SICK, 80, { rows: 9 }), ['BAD 33 s: UdpDead'])
})

test('of 200 pods the worst are shown, and how many more are well', () => {
  const names = Array.from({ length: 200 }, (_, at) => `coredns-${at}`)
  const ill = { 'coredns-150': DEAD, 'coredns-77': SILENT, 'coredns-3': STALE }
  const lines = drawn(after([seen({ names, ill })]), 80, { rows: 20 })
  assert.equal(lines.length, 19)
  assert.deepEqual(
    lines.slice(4, 8).map((line) => /coredns-\d+ +n\d+ +[A-Za-z]+( [a-z]+)?/.exec(line)?.[0].split(/ {2,}/)),
    [
      ['coredns-150', 'n151', 'silent'],
      ['coredns-77', 'n78', 'UDP silent'],
      ['coredns-3', 'n4', 'stale'],
      ['coredns-0', 'n1', 'answers'],
    ],
  )
  assert.ok(lines.includes('  and 193 more, all well'), lines.join('\n'))
})

test('rows keep their order as long as all fit, whatever they say', () => {
  const lines = drawn(after([seen({ ill: { [SOUND]: DEAD } })]), 80)
  assert.deepEqual(
    lines.slice(4, 7).map((line) => line.split(/ {2,}/)[2]),
    [`pod ${SICK}`, `pod ${SOUND}`, 'service 10.96.0.10'],
  )
})

test('a check that could not be made says why, and claims nothing of the paths', () => {
  const lines = drawn(after([seen({}), { trouble: 'the API server does not answer' }]), 80)
  assert.equal(
    lines.join('\n'),
    `UNVERIFIED  for 3 s, since 06:14:49Z: DNS of Service kube-system/kube-dns
1 check and 1 that failed, every 10 s; 40 queries in the last, 3 s ago

  FROM  TO                            NODE  STATE      LOST  MEDIAN  LAST 10
  here  pod coredns-79f459c89d-4jcm6  n1    not known                     ▂·
  here  pod coredns-79f459c89d-4tjlz  n2    not known                     ▂·
  here  service 10.96.0.10                  not known                     ▁·

the check could not be made: the API server does not answer

06:14:49Z  UNVERIFIED  the API server does not answer
06:14:39Z  OK          Healthy`,
  )
})

test('before the first check it says what it waits for', () => {
  assert.deepEqual(drawn(EMPTY_DNS_STATUS, 80), ['checks DNS for the first time'])
})

test('no line is ever wider than the terminal, no more lines than fit, and colour says nothing that words do not', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 60 })
  const size = fc.record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 60 }) })
  const states = fc.array(fc.constantFrom(aReading(), SILENT, DEAD, STALE), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(name, size, states, (text, { columns, rows }, readings) => {
      const names = readings.map((_, at) => `${text}${at}`)
      const ill = Object.fromEntries(readings.map((reading, at) => [`${text}${at}`, reading]))
      const view = after([seen({ names, ill }), { trouble: text }, seen({ names, ill })])
      for (const symbols of ['unicode', 'ascii'] as const) {
        const plain = drawn(view, columns, { rows, style: { color: false, symbols } })
        assert.ok(plain.length <= Math.max(1, rows - 1), `${plain.length} lines of ${rows}`)
        for (const line of plain) {
          assert.ok(cellWidth(line) <= Math.max(0, columns - 1), JSON.stringify(line))
          assert.ok(!/[\x00-\x1f\x7f-\x9f]/.test(line))
        }
        const colored = drawn(view, columns, { rows, style: { color: true, symbols } })
        assert.deepEqual(
          colored.map((line) => line.replace(/\x1b\[[0-9;]*m/g, '')),
          plain,
        )
      }
    }),
    { numRuns: 200 },
  )
})
