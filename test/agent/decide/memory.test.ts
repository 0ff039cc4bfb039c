import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentEvidence } from '../../../src/agent/decide/evidence.ts'
import { formatMemory, mayStandFor, parseMemory } from '../../../src/agent/decide/memory.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { someFacts } from '../../support/agent-world.ts'

const BOOT = '11111111-1111-4111-8111-111111111111'
const OTHER_BOOT = '22222222-2222-4222-8222-222222222222'
const NOW = monoMs(9_000)

const NODE_OUT = someFacts({
  resourceVersion: '',
  lifecycle: ['DrainInProgress'],
  removal: ['x'],
  maintenance: 'withdrawn',
})

const WHOLE: AgentEvidence = {
  answer: 'drain',
  since: monoMs(1_000),
  node: NODE_OUT,
  dataPort: 'open',
  brake: 'granted',
  cordonCounts: true,
  cordonedSince: monoMs(2_000),
  leavingSince: monoMs(3_000),
  clearSince: monoMs(9_000),
  owed: { 'lb-1': { told: 0 } },
}

/** What an agent recalls of this evidence with something else in it. */
const recalled = (change: object): ReturnType<typeof parseMemory> =>
  parseMemory(JSON.stringify({ version: 1, bootId: BOOT, evidence: { ...WHOLE, ...change } }), BOOT, NOW)

test('an agent recalls all that it had seen, but for the version of its Node', () => {
  const node = { ...NODE_OUT, resourceVersion: '4711' }
  assert.deepEqual(parseMemory(formatMemory(BOOT, { ...WHOLE, node }), BOOT, NOW), WHOLE)
  const bare: AgentEvidence = { answer: 'up', since: monoMs(0) }
  assert.deepEqual(parseMemory(formatMemory(BOOT, bare), BOOT, NOW), bare)
  assert.deepEqual(parseMemory(formatMemory(BOOT, { ...bare, node: 'gone' }), BOOT, NOW), { ...bare, node: 'gone' })
  const unasked = { ...bare, node: someFacts({ resourceVersion: '' }) }
  assert.deepEqual(parseMemory(formatMemory(BOOT, unasked), BOOT, NOW), unasked)
})

test('an address that it told to drain is told again that the drain is over, as if it had heard nothing of that', () => {
  const evidence = recalled({ owed: { 'lb-1': { told: 7, since: 5 }, 'lb-2': { told: 1 } } })
  assert.ok(typeof evidence === 'object')
  assert.deepEqual(evidence.owed, { 'lb-1': { told: 0 }, 'lb-2': { told: 0 } })
})

test('the memory of another boot is distinguished from what makes no sense', () => {
  const text = formatMemory(BOOT, WHOLE)
  assert.equal(parseMemory(text, OTHER_BOOT, NOW), 'of another boot')
  const ofNoBoot = JSON.stringify({ version: 1, bootId: 'none', evidence: WHOLE })
  assert.equal(parseMemory(ofNoBoot, 'none', NOW), 'of another boot')
  for (const senseless of ['', '{', 'null', '[]', text.replace('"version":1', '"version":2')]) {
    assert.equal(parseMemory(senseless, BOOT, NOW), undefined, senseless)
  }
  assert.equal(parseMemory(JSON.stringify({ version: 1, bootId: BOOT, evidence: 'x' }), BOOT, NOW), undefined)
})

const NODE = someFacts({ resourceVersion: '' })
const SENSELESS: readonly object[] = [
  { answer: 'maybe' },
  { since: '1000' },
  { since: -1 },
  { since: 9_001 },
  { since: null },
  { node: 'lost' },
  { node: null },
  ...['uid', 'unschedulable', 'deleting', 'lifecycle', 'removal', 'excluded'].map((key) => ({
    node: { ...NODE, [key]: 5 },
  })),
  { node: { ...NODE, lifecycle: ['a', 5] } },
  { node: { ...NODE, removal: [5] } },
  { node: { ...NODE, maintenance: 5 } },
]

for (const change of SENSELESS) {
  test(`a memory with ${JSON.stringify(change)} makes no sense`, () => {
    assert.equal(recalled(change), undefined)
  })
}

test('what is odd beside the answer and the Node is left out', () => {
  const odd = {
    dataPort: 'ajar',
    brake: 'broken',
    cordonCounts: 'yes',
    owed: [1],
    cordonedSince: '5',
    leavingSince: 9_001,
    clearSince: -1,
  }
  const { answer, since, node } = WHOLE
  assert.deepEqual(recalled(odd), { answer, since, node })
})

test('each word of the brake and of the data port is recalled', () => {
  for (const brake of ['none', 'granted', 'withheld', 'unknown'] as const) {
    const evidence = recalled({ brake })
    assert.ok(typeof evidence === 'object')
    assert.equal(evidence.brake, brake)
  }
  const closed = recalled({ dataPort: 'closed' })
  assert.ok(typeof closed === 'object')
  assert.equal(closed.dataPort, 'closed')
})

test('an older memory may stand for a newer one of the same answer, Node and brake that owes no further address', () => {
  const memory = (change: Partial<AgentEvidence>): string => formatMemory(BOOT, { ...WHOLE, ...change })
  const owed = { 'lb-1': { told: 0 }, 'lb-2': { told: 0 } }
  assert.equal(mayStandFor(memory({}), memory({ clearSince: monoMs(8_000) })), true)
  assert.equal(mayStandFor(memory({ owed }), memory({})), true)
  assert.equal(mayStandFor(memory({}), memory({ owed })), false)
  assert.equal(mayStandFor(memory({ owed: {} }), memory({})), false)
  assert.equal(mayStandFor(memory({}), memory({ answer: 'up' })), false)
  assert.equal(mayStandFor(memory({}), memory({ node: 'gone' })), false)
  assert.equal(mayStandFor(memory({}), memory({ brake: 'withheld' })), false)
  const { owed: _, ...debtless } = WHOLE
  assert.equal(mayStandFor(formatMemory(BOOT, debtless), formatMemory(BOOT, debtless)), true)
  assert.equal(mayStandFor(formatMemory(BOOT, debtless), memory({})), false)
  assert.equal(mayStandFor(memory({}), formatMemory(BOOT, debtless)), true)
  for (const [older, newer] of [
    ['', memory({})],
    [memory({}), ''],
    ['', ''],
  ] as const)
    assert.equal(mayStandFor(older, newer), false)
})
