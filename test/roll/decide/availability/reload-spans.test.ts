import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeReload, preventReloads } from '../../../../src/roll/decide/availability/describe-reload.ts'
import {
  foldAway,
  foldReloads,
  type OutServer,
  type TimedReading,
} from '../../../../src/roll/decide/availability/reload-spans.ts'
import type { ReloadSpan } from '../../../../src/roll/model/reload-span.ts'
import type { AdminState, ServerReading } from '../../../../src/service/model/balancer.ts'
import { anInstance, aServer } from '../../../support/roll-world.ts'
import { at } from './a-sample.ts'

type Answer = readonly [askedAt: number, process: string, n2: AdminState, instance?: string]

const readingOf = ([askedAt, process, n2, instance = 'lb-1']: Answer): TimedReading => {
  const servers = [aServer('n1'), aServer('n2', { adminState: n2 })]
  const { reading } = anInstance(servers)
  assert.ok(reading)
  return {
    balancer: 'edge',
    reading: { ...reading, instance, process },
    askedAt: at(askedAt),
    answeredAt: at(askedAt + 10),
  }
}

const N2: OutServer = { balancer: 'edge', instance: 'lb-1', backend: 'web', address: '10.0.0.2', node: 'n2' }

function spansOf(answers: readonly Answer[], mustBeOut: readonly OutServer[] = [N2]): readonly ReloadSpan[] {
  const last = new Map<string, TimedReading>()
  return answers.map(readingOf).reduce<readonly ReloadSpan[]>((spans, now) => {
    const before = last.get(now.reading.instance)
    last.set(now.reading.instance, now)
    return foldReloads(spans, { before, now: now, mustBeOut })
  }, [])
}

const LB1 = { balancer: 'edge', instance: 'lb-1' }
const FORGOT = { ...LB1, servers: ['web/n2'], nodes: ['n2'] }

const TABLE: readonly (readonly [what: string, answers: readonly Answer[], spans: readonly ReloadSpan[]])[] = [
  [
    'one process that answers on and on was not reloaded',
    [
      [0, '100', 'drain'],
      [200, '100', 'ready'],
    ],
    [],
  ],
  [
    'from the last question to the old process until what it had out is out again',
    [
      [0, '100', 'drain'],
      [200, '100', 'drain'],
      [400, '101', 'ready'],
      [450, '101', 'ready'],
      [480, '101', 'drain'],
    ],
    [{ ...FORGOT, from: at(200), seenAt: at(410), to: at(490) }],
  ],
  [
    'while it serves there is no end',
    [
      [0, '100', 'maint'],
      [200, '101', 'ready'],
      [400, '101', 'ready'],
    ],
    [{ ...FORGOT, from: at(0), seenAt: at(210) }],
  ],
  [
    'a silence between the two processes belongs to it',
    [
      [0, '100', 'drain'],
      [30_000, '101', 'ready'],
      [30_050, '101', 'drain'],
    ],
    [{ ...FORGOT, from: at(0), seenAt: at(30_010), to: at(30_060) }],
  ],
  [
    'what kept its state over the reload was never in service',
    [
      [0, '100', 'drain'],
      [200, '101', 'drain'],
    ],
    [{ ...LB1, servers: [], nodes: [], from: at(0), seenAt: at(210), to: at(210) }],
  ],
  [
    'what served before was not forgotten',
    [
      [0, '100', 'ready'],
      [200, '101', 'ready'],
    ],
    [{ ...LB1, servers: [], nodes: [], from: at(0), seenAt: at(210), to: at(210) }],
  ],
  [
    'reloaded twice before it was said again it is one span, twice after it they are two',
    [
      [0, '100', 'drain'],
      [200, '101', 'ready'],
      [400, '102', 'ready'],
      [450, '102', 'drain'],
      [600, '103', 'ready'],
      [650, '103', 'drain'],
    ],
    [
      { ...FORGOT, from: at(0), seenAt: at(210), to: at(460) },
      { ...FORGOT, from: at(450), seenAt: at(610), to: at(660) },
    ],
  ],
  [
    'the other instance of a pair tells of itself alone',
    [
      [0, '100', 'drain'],
      [100, '900', 'drain', 'lb-2'],
      [200, '101', 'ready'],
      [300, '900', 'drain', 'lb-2'],
    ],
    [{ ...FORGOT, from: at(0), seenAt: at(210) }],
  ],
]

for (const [what, answers, spans] of TABLE) {
  test(`a reload: ${what}`, () => assert.deepEqual(spansOf(answers), spans))
}

test('a reload ends where its node may serve again', () => {
  const answers: readonly Answer[] = [
    [0, '100', 'drain'],
    [200, '101', 'ready'],
  ]
  const [span] = spansOf(answers)
  assert.ok(span !== undefined && span.to === undefined)
  const next = { before: readingOf([200, '101', 'ready']), now: readingOf([400, '101', 'ready']), mustBeOut: [] }
  assert.deepEqual(foldReloads([span], next), [{ ...FORGOT, from: at(0), seenAt: at(210), to: at(410) }])
})

test('a reload that gives servers other names had the node in service under its new one, until that is out', () => {
  const answer = (askedAt: number, process: string, servers: readonly ServerReading[]): TimedReading => {
    const timed = readingOf([askedAt, process, 'ready'])
    return { ...timed, reading: { ...timed.reading, servers } }
  }
  const at2 = { address: '10.0.0.2' }
  const answers = [
    answer(0, '100', [aServer('n1'), aServer('n2', { adminState: 'drain' })]),
    answer(200, '101', [aServer('n2', { address: '10.0.0.1' }), aServer('srv2', at2)]),
    answer(400, '101', [aServer('n2', { address: '10.0.0.1' }), aServer('srv2', { ...at2, adminState: 'drain' })]),
  ]
  const spans = answers.reduce<readonly ReloadSpan[]>(
    (known, now, i) => foldReloads(known, { before: answers[i - 1], now, mustBeOut: [N2] }),
    [],
  )
  assert.deepEqual(spans, [{ ...FORGOT, servers: ['web/srv2'], from: at(0), seenAt: at(210), to: at(410) }])
})

test('a reload in words: when, which node it had in service, for how long at most', () => {
  const span: ReloadSpan = { ...FORGOT, from: at(200), seenAt: at(410), to: at(580) }
  assert.equal(describeReload(span), 'lb-1 was reloaded at 06:00:00Z and had n2 in service again for at most 380 ms')
  const { to: _, ...open } = { ...span, seenAt: at(30_000) }
  assert.equal(
    describeReload(open),
    'lb-1 was reloaded between 06:00:00Z and 06:00:30Z and has had n2 in service again since',
  )
  const harmless = { ...span, servers: [], nodes: [] }
  assert.equal(describeReload(harmless), 'lb-1 was reloaded at 06:00:00Z')
  assert.equal(preventReloads([harmless]), 'do not reload lb-1 while a roll is under way')
  assert.equal(
    preventReloads([span, { ...span, instance: 'lb-2' }]),
    'do not reload lb-1, lb-2 while a roll is under way unless HAProxy keeps the states: "load-server-state-from-file global" in haproxy.cfg, and "show servers state" written to its server-state-file before each reload',
  )
})

const outOf = (change: Partial<OutServer>): OutServer => ({ ...N2, ...change })
const LOOKS: readonly Answer[] = [
  [0, '100', 'drain'],
  [200, '101', 'ready'],
]
const KEPT_NOTHING = [{ ...LB1, servers: [], nodes: [], from: at(0), seenAt: at(210), to: at(210) }]

test('a reload forgot nothing if the server has to be out on another instance or another balancer', () => {
  assert.deepEqual(spansOf(LOOKS, [outOf({ instance: 'lb-2' })]), KEPT_NOTHING)
  assert.deepEqual(spansOf(LOOKS, [outOf({ balancer: 'inner' })]), KEPT_NOTHING)
})

test('an answer of another balancer’s instance with the same name does not end a reload', () => {
  const open = { ...FORGOT, from: at(0), seenAt: at(210) }
  const now = { ...readingOf([400, '100', 'drain']), balancer: 'inner' }
  assert.deepEqual(foldReloads([open], { before: now, now, mustBeOut: [N2] }), [open])
})

test('a reload ends when its node may serve again, although another node has to stay out', () => {
  const open = { ...FORGOT, from: at(0), seenAt: at(210) }
  const now = readingOf([400, '101', 'ready'])
  const mustBeOut = [outOf({ address: '10.0.0.1', node: 'n1' })]
  assert.deepEqual(foldReloads([open], { before: now, now, mustBeOut }), [{ ...open, to: at(410) }])
})

const TWO_NODES: ReloadSpan = { ...FORGOT, nodes: ['n2', 'n3'], from: at(0), seenAt: at(1_000), to: at(2_000) }

test('a reload is described by two moments if they are a second or more apart, and by each node', () => {
  assert.equal(
    describeReload(TWO_NODES),
    'lb-1 was reloaded between 06:00:00Z and 06:00:01Z and had n2, n3 in service again for at most 2 s',
  )
  assert.equal(describeReload({ ...TWO_NODES, nodes: [], seenAt: at(999) }), 'lb-1 was reloaded at 06:00:00Z')
})

test('the state file is advised if any of several reloads put a node back in service', () => {
  const harmless = { ...TWO_NODES, servers: [], nodes: [] }
  assert.equal(preventReloads([harmless, TWO_NODES]), preventReloads([TWO_NODES]))
})

const WHY = 'lb-1 (/run/haproxy.sock): no process listens there'
const unreached = (atMs: number) => ({ ...LB1, at: at(atMs), why: WHY })

test('a balancer without a process is away from its last answer until it answers again, and is so named', () => {
  const last = readingOf([0, '100', 'drain'])
  const spans = [200, 400, 600].reduce<readonly ReloadSpan[]>((known, ms) => foldAway(known, unreached(ms), last), [])
  assert.deepEqual(spans, [{ ...LB1, servers: [], nodes: [], from: at(0), seenAt: at(400), away: WHY }])
  assert.deepEqual(spans.map(describeReload), [`${WHY}, since 06:00:00Z`])
  const back = foldReloads(spans, { before: last, now: readingOf([20_000, '101', 'ready']), mustBeOut: [N2] })
  assert.deepEqual(back, [{ ...FORGOT, from: at(0), seenAt: at(20_010), away: WHY }])
  const out = foldReloads(back, {
    before: readingOf([20_000, '101', 'ready']),
    now: readingOf([20_200, '101', 'drain']),
    mustBeOut: [N2],
  })
  assert.deepEqual(out.map(describeReload), [
    `${WHY}, from 06:00:00Z to 06:00:20Z and had n2 in service again for at most 200 ms`,
  ])
  assert.equal(preventReloads(out), 'find out why lb-1 did not answer')
})

test('a balancer whose same process answers again was away, and forgot nothing', () => {
  const last = readingOf([0, '100', 'drain'])
  const spans = foldAway([], unreached(400), last)
  const back = foldReloads(spans, { before: last, now: readingOf([1_000, '100', 'drain']), mustBeOut: [N2] })
  assert.deepEqual(back, [{ ...LB1, servers: [], nodes: [], from: at(0), seenAt: at(1_010), to: at(1_010), away: WHY }])
})

test('one poll that meets a reload finds no balancer away', () => {
  assert.deepEqual(foldAway([], unreached(200), readingOf([0, '100', 'drain'])), [])
})
