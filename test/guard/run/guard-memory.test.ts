import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type WallMs, wallMs } from '../../../src/ground/model/time.ts'
import { GuardMemory } from '../../../src/guard/run/guard-memory.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import { readGuard } from '../decide/read-guard.ts'

const at = (time: string): WallMs => wallMs(Date.parse(`2026-01-01T${time}Z`))
const guardWith = (...rows: readonly (readonly [name: string, requestedAt?: string])[]) =>
  readGuard({
    status: {
      nodes: rows.map(([name, requestedAt]) => ({ name, ...(requestedAt === undefined ? {} : { requestedAt }) })),
    },
  })

/** What is known, as times of the day. */
function asked(memory: GuardMemory, names: readonly string[], now: string, guards = [guardWith()]): object {
  const { requestedAt: times } = memory.asking('default', { names, guards, now: at(now) })
  return Object.fromEntries([...times].map(([name, time]) => [name, new Date(time).toISOString().slice(11, 19)]))
}

test('a node has asked since it was first seen to ask, and anew once it has stopped', () => {
  const memory = new GuardMemory(new VirtualClock())
  assert.deepEqual(asked(memory, ['n1'], '12:00:00'), { n1: '12:00:00' })
  assert.deepEqual(asked(memory, ['n1', 'n2'], '12:00:05'), { n1: '12:00:00', n2: '12:00:05' })
  assert.deepEqual(asked(memory, ['n2'], '12:00:06'), { n2: '12:00:05' })
  assert.deepEqual(asked(memory, ['n1', 'n2'], '12:00:07'), { n2: '12:00:05', n1: '12:00:07' })
})

test('a process that has begun anew goes by the status, the earliest time of all guards', () => {
  const guards = [guardWith(['n1', '2026-01-01T11:00:00Z'], ['n2']), guardWith(['n1', '2026-01-01T10:00:00Z'])]
  assert.deepEqual(asked(new GuardMemory(new VirtualClock()), ['n1', 'n2'], '12:00:00', guards), {
    n1: '10:00:00',
    n2: '12:00:00',
  })
})

for (const [title, requestedAt] of [
  ['ahead of now', '2026-01-01T13:00:00Z'],
  ['that cannot be read', 'soon'],
] as const) {
  test(`a time of the status ${title} is now`, () => {
    assert.deepEqual(asked(new GuardMemory(new VirtualClock()), ['n1'], '12:00:00', [guardWith(['n1', requestedAt])]), {
      n1: '12:00:00',
    })
  })
}

test('what the process has seen itself counts, whatever the status says later', () => {
  const memory = new GuardMemory(new VirtualClock())
  asked(memory, ['n1'], '12:00:00')
  assert.deepEqual(asked(memory, ['n1'], '12:01:00', [guardWith(['n1', '2026-01-01T10:00:00Z'])]), { n1: '12:00:00' })
})

test('a node whose grant ended unused has asked since it began to, and waits behind the others, also for the next process', () => {
  const memory = new GuardMemory(new VirtualClock())
  asked(memory, ['n1'], '12:00:00')
  memory.waitAgain('default', 'n1', at('12:10:00'))
  assert.deepEqual(asked(memory, ['n1'], '12:10:01'), { n1: '12:00:00' })
  const given = { names: ['n1'], guards: [], now: at('12:10:02') }
  assert.deepEqual([...memory.asking('default', given).waitedFrom], [['n1', at('12:10:00')]])
  const row = { name: 'n1', requestedAt: '2026-01-01T12:00:00Z', waitedFrom: '2026-01-01T12:10:00Z' }
  const next = new GuardMemory(new VirtualClock())
  const guards = [readGuard({ status: { nodes: [row] } })]
  assert.deepEqual([...next.asking('default', { ...given, guards }).waitedFrom], [['n1', at('12:10:00')]])
  assert.deepEqual([...memory.asking('default', { ...given, names: [] }).waitedFrom], [])
})

test('nodes of different groups ask by themselves', () => {
  const memory = new GuardMemory(new VirtualClock())
  asked(memory, ['n1'], '12:00:00')
  const other = memory.asking('other', { names: ['n1'], guards: [], now: at('12:05:00') })
  assert.deepEqual([...other.requestedAt], [['n1', at('12:05:00')]])
})
