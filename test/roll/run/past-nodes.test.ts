import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UserError } from '../../../src/ground/model/user-error.ts'
import type { JournalEntry, JournalStore, StoredJournal } from '../../../src/roll/ports/journal.ts'
import { pastNodes } from '../../../src/roll/run/past-nodes.ts'

const event = (second: number, fields: object): JournalEntry => ({
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  v: '1.0',
  seq: second,
  type: '',
  ...fields,
})
const started = (second: number, node: string) => event(second, { type: 'node.started', node })
const ended = (second: number, node: string, state = 'inService') =>
  event(second, { type: 'node.ended', standing: { node, state } })

const headerOf = (run: string, cluster = 'here') =>
  ({ at: '', type: 'journal', v: 1, run, cluster, tool: '0' }) as const

function storeOf(
  journals: Readonly<Record<string, readonly JournalEntry[] | undefined>>,
  cluster?: string,
): JournalStore {
  const read = (run: string): Promise<StoredJournal> => {
    const entries = journals[run]
    if (entries === undefined) return Promise.reject(new UserError('torn', { code: 'journal.torn' }))
    return Promise.resolve({ header: headerOf(run, cluster), entries })
  }
  const runs = () => Promise.resolve(Object.keys(journals).map((run) => ({ run, header: headerOf(run, cluster) })))
  return { read, runs } as Partial<JournalStore> as JournalStore
}

test('nodes that came back in service are measured, from their start to their end', async () => {
  const entries = [started(0, 'n1'), started(1, 'n2'), ended(60, 'n1'), ended(91, 'n2'), started(92, 'n3')]
  assert.deepEqual(await pastNodes(storeOf({ r2: [started(5, 'n9')], r1: entries }), 'here'), {
    run: 'r1',
    nodeMs: [60_000, 90_000],
  })
})

test('a node that stays out, a journal that cannot be read and a roll of another cluster measure nothing', async () => {
  const stopped = [started(0, 'n1'), ended(60, 'n1', 'out')]
  assert.equal(await pastNodes(storeOf({ r2: undefined, r1: stopped }), 'here'), undefined)
  assert.equal(await pastNodes(storeOf({ r1: [started(0, 'n1'), ended(60, 'n1')] }, 'there'), 'here'), undefined)
  assert.equal(await pastNodes(storeOf({}), 'here'), undefined)
})

test('a machine of a load balancer is no node, and measures nothing', async () => {
  const meant: JournalEntry = { at: '', type: 'host.meant', host: 'lb-1', meant: { kind: 'moveAway' } }
  const entries = [started(0, 'n1'), ended(60, 'n1'), started(61, 'lb-1'), meant, ended(400, 'lb-1')]
  assert.deepEqual(await pastNodes(storeOf({ r1: entries }), 'here'), { run: 'r1', nodeMs: [60_000] })
})

test('of many runs the newest three are read', async () => {
  const one = [started(0, 'n1'), ended(10, 'n1')]
  const found = await pastNodes(storeOf({ r5: one, r4: one, r3: one, r2: one, r1: one }), 'here')
  assert.deepEqual(found, { run: 'r5', nodeMs: [10_000, 10_000, 10_000] })
})
