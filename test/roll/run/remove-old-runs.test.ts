import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RollEvent } from '../../../src/roll/model/roll-event.ts'
import { removeOldRuns } from '../../../src/roll/run/remove-old-runs.ts'
import { ClusterJournals } from '../../support/cluster-journals.ts'

const end = (outcome: 'completed' | 'interrupted' | 'stopped', out: boolean) => ({
  ...{ type: 'roll.ended', outcome, exitCode: 0, reasons: [], next: [], v: '1.0', seq: 1 },
  standings: out ? [{ node: 'n1', state: 'out' }] : [],
})

test('runs that are over are removed beyond the newest; one that was interrupted, has a node out, is in work or cannot be read stays', async () => {
  const journals = new ClusterJournals()
  const { store } = journals.process()
  const open = []
  for (const [day, name, entry] of [
    ['01', 'over', end('completed', false)],
    ['02', 'interrupted', end('interrupted', false)],
    ['03', 'out', end('stopped', true)],
    ['04', 'killed', { type: 'roll.started', v: '1.0', seq: 0 } as unknown as RollEvent],
    ['05', 'broken', end('completed', false)],
    ['06', 'in-work', end('completed', false)],
    ['07', 'stopped', end('stopped', false)],
    ['08', 'new', end('completed', false)],
  ] as const) {
    const at = `2026-01-${day}T00:00:00.000Z`
    const journal = await journals.done(store.create({ at, run: name, cluster: 'cluster-1', tool: '0.1.0' }))
    await journals.done(journal.append({ ...entry, at }))
    if (name === 'in-work') open.push(journal)
    else await journals.done(journal.close())
  }
  await journals.put('broken', 'rubbish\n')
  assert.deepEqual(await journals.done(removeOldRuns(store, 1)), ['stopped', 'over'])
  const left = (await journals.done(store.runs())).map(({ run }) => run)
  assert.deepEqual(left, ['new', 'in-work', 'killed', 'out', 'interrupted', 'broken'])
  assert.equal((await journals.objects()).length, 6)
  assert.deepEqual(await journals.done(removeOldRuns(store)), [])
  for (const journal of open) await journals.done(journal.close())
})
