import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeUdp, type UdpSeen } from '../../../src/dns/decide/udp-seen.ts'

type Span = Parameters<typeof judgeUdp>[0][number]

/** A pod that was asked so often in so many seconds, and answered all of it. */
const pod = (name: string, answered: number, change: Partial<Span> = {}): Span => ({
  name,
  isServing: true,
  before: { received: 100, answered: 100 },
  after: { received: 100 + answered, answered: 100 + answered },
  overMs: 5_000,
  ...change,
})

const NOT_SERVING = { isServing: false }

const TABLE: readonly (readonly [
  what: string,
  spans: readonly Span[],
  states: Readonly<Record<string, UdpSeen['state']>>,
  isEven?: boolean,
])[] = [
  ['both answer', [pod('a', 1), pod('b', 40)], { a: 'observed', b: 'observed' }],
  ['nothing is asked', [pod('a', 0), pod('b', 0)], { a: 'idle', b: 'idle' }],
  ['one answers none, and ten are due', [pod('a', 0), pod('b', 10)], { a: 'suspect', b: 'observed' }],
  ['one answers none, and nine are due', [pod('a', 0), pod('b', 9)], { a: 'idle', b: 'observed' }],
  [
    'two of three answer none, and fifteen are due',
    [pod('a', 0), pod('b', 0), pod('c', 30)],
    { a: 'suspect', b: 'suspect', c: 'observed' },
  ],
  ['there is no other pod', [pod('a', 0)], { a: 'idle' }],
  ['queries are led unevenly', [pod('a', 0), pod('b', 500)], { a: 'idle', b: 'observed' }, false],
  [
    'the Service leads nothing to a pod that is not Ready',
    [pod('a', 0, NOT_SERVING), pod('b', 500)],
    { a: 'idle', b: 'observed' },
  ],
  [
    'a pod that is not Ready is no sibling',
    [pod('a', 0), pod('b', 10), pod('c', 0, NOT_SERVING)],
    { a: 'suspect', b: 'observed', c: 'idle' },
  ],
  [
    'one takes queries and answers none',
    [pod('a', 0, { after: { received: 130, answered: 100 } }), pod('b', 30)],
    { a: 'suspect', b: 'observed' },
  ],
  [
    'one was started anew, and is compared with none',
    [pod('a', 0), pod('b', 0, { after: { received: 90, answered: 90 } })],
    { a: 'idle' },
  ],
  [
    'one was started anew, though it answers more than before',
    [pod('a', 0, { after: { received: 99, answered: 101 } })],
    {},
  ],
  ['no time has gone by', [pod('a', 3, { overMs: 0 })], {}],
]

for (const [what, spans, states, isEven = true] of TABLE)
  test(`${what}: ${Object.values(states).join(', ') || 'nothing is known'}`, () => {
    const seen = judgeUdp(spans, isEven)
    assert.deepEqual(Object.fromEntries([...seen].map(([name, { state }]) => [name, state])), states)
  })

test('a pod is compared over the time between its own readings', () => {
  const seen = judgeUdp([pod('a', 0, { overMs: 2_000.4 }), pod('b', 20), pod('c', 31)], true)
  assert.deepEqual(seen.get('a'), { state: 'suspect', received: 0, answered: 0, overMs: 2_000, siblingsMean: 10.2 })
  const [half] = judgeUdp([pod('a', 0, { overMs: 2_000 }), pod('b', 20)], true).values()
  assert.deepEqual([half?.state, half?.siblingsMean], ['idle', 8])
})
