import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { EventLog } from '../../../src/roll/run/event-log.ts'
import { aTick } from '../../support/journaled.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

test('of the ticks, one in five seconds is kept in the journal; all are shown', async () => {
  const clock = new VirtualClock()
  const kept: JournalEntry[] = []
  let shown = 0
  const journal = { run: 'run-1', append: async (entry: JournalEntry) => void kept.push(entry) }
  const events = new EventLog({ journal, clock, sink: () => (shown += 1), firstSeq: 0 })
  for (let second = 1; second <= 12; second += 1) {
    await clock.advance(1000)
    events.emit(aTick(second * 100))
  }
  await events.flushed()
  assert.equal(shown, 12)
  assert.deepEqual(
    kept.map(({ at }) => at),
    ['2026-01-01T00:00:01.000Z', '2026-01-01T00:00:06.000Z', '2026-01-01T00:00:11.000Z'],
  )
})

test('the same warning of a node is given once in ten seconds', async () => {
  const clock = new VirtualClock()
  const said: string[] = []
  const journal = { run: 'run-1', append: () => Promise.resolve() }
  const sink = (event: StampedEvent): void =>
    void (event.type === 'warning' && said.push(`${event.node} ${event.text}`))
  const events = new EventLog({ journal, clock, sink, firstSeq: 0 })
  const warn = (node: string, text: string): void => events.emit({ type: 'warning', node, text })
  for (let second = 0; second < 12; second += 1) {
    warn('n1', 'a hook failed')
    if (second === 1) warn('n2', 'a hook failed')
    await clock.advance(1000)
  }
  assert.deepEqual(said, ['n1 a hook failed', 'n2 a hook failed', 'n1 a hook failed'])
})

test('what the next process cannot do without is noted as soon as a disk that refused it has room, before anything else', async () => {
  const kept: JournalEntry[] = []
  let isFull = true
  const append = async (entry: JournalEntry): Promise<void> => {
    if (isFull) throw new WorldError('no space left on device', { code: 'JOURNAL_WRITE', retry: 'backoff' })
    kept.push(entry)
  }
  const journal = { run: 'run-1', append }
  const events = new EventLog({ journal, clock: new VirtualClock(), sink: () => undefined, firstSeq: 0 })
  events.note('through', { node: 'n1' })
  events.note('verdict', { verdict: {} })
  for (const action of ['removeRecord', 'cordon'])
    events.emit({ type: 'write', node: 'n1', action, text: action, ok: true })
  events.note('retry', {})
  assert.equal(await events.meant({ actions: [] }), false)
  isFull = false
  assert.equal(await events.meant({ actions: ['the first after'] }), true)
  assert.deepEqual(
    kept.map(({ type, action }) => [type, action]),
    [
      ['through', undefined],
      ['verdict', undefined],
      ['write', 'removeRecord'],
      ['meant', undefined],
    ],
  )
})

test('the journal counts as writable again with the first entry that it takes, and the trouble is reported once', async () => {
  const full = new WorldError('no space left on device', { code: 'JOURNAL_WRITE', retry: 'backoff' })
  const warnings: string[] = []
  let isFull = true
  const append = (): Promise<void> => (isFull ? Promise.reject(full) : Promise.resolve())
  const events = new EventLog({
    journal: { run: 'run-1', append },
    clock: new VirtualClock(),
    sink: (event) => warnings.push(event.type === 'warning' ? event.text : event.type),
    firstSeq: 0,
  })
  const taken = [await events.meant({}), await events.meant({}), events.writable]
  isFull = false
  assert.deepEqual([...taken, await events.meant({}), events.writable], [false, false, false, true, true])
  assert.deepEqual(warnings, [
    'the journal cannot be written: no space left on device; nothing disruptive is started until it can be written',
  ])
})

test('what is noted while an entry is written goes to the journal together, and where a part is refused, only what is needed of it is owed', async () => {
  const clock = new VirtualClock()
  const groups: string[][] = []
  const refused = new Set<unknown>()
  const append = async ({ type, n }: JournalEntry): Promise<void> => {
    const now = String(clock.monoMs())
    if (groups.at(-1)?.[0] !== now) groups.push([now])
    groups.at(-1)?.push(`${type} ${n}`)
    const error = new WorldError('too large', { code: 'JOURNAL_WRITE', retry: 'never' })
    const isRefused = refused.has(n)
    await clock.sleep(10, new AbortController().signal)
    if (isRefused) throw error
  }
  const events = new EventLog({ journal: { run: 'run-1', append }, clock, sink: () => undefined, firstSeq: 0 })
  refused.add(2).add(3)
  events.note('meant', { n: 1 })
  await clock.advance(1)
  for (const [type, n] of [
    ['through', 2],
    ['meant', 3],
  ] as const)
    events.note(type, { n })
  const isKept = events.kept('verdict', { n: 4 })
  await clock.advance(30)
  assert.equal(await isKept, false)
  refused.clear()
  const next = events.meant({ n: 5 })
  await clock.advance(10)
  assert.equal(await next, true)
  assert.deepEqual(groups, [
    ['0', 'meant 1'],
    ['10', 'through 2', 'meant 3', 'verdict 4'],
    ['31', 'through 2', 'meant 5'],
  ])
  assert.deepEqual((await events.gap())?.entries, 2)
})
