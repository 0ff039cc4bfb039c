import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plannedEntry } from '../../../src/controllers/roll/run-from-journal.ts'
import { newRun } from '../../../src/controllers/roll/run-state.ts'
import { takeUp } from '../../../src/controllers/roll/take-up.ts'
import type { RollPlan } from '../../../src/model/roll-plan.ts'
import { wallMs } from '../../../src/model/time.ts'
import { UserError } from '../../../src/model/user-error.ts'
import type { JournalEntry } from '../../../src/ports/journal.ts'
import { aNode, aSpec } from '../../support/roll-world.ts'

const AT = '2026-01-01T00:00:00.000Z'
const spec = aSpec()
const PLAN: RollPlan = {
  cluster: 'here',
  nodes: [],
  skipped: [],
  unmatchedServers: [],
  findings: [],
  load: [],
  checksPassed: 0,
}
const begun = newRun({ spec, order: ['n1', 'n2'] }, { wall: wallMs(0), suffix: '1f0e' })

function journalOf(run: typeof begun) {
  const appended: JournalEntry[] = []
  const header = { at: AT, type: 'journal', v: 1, run: run.id, cluster: 'c', tool: '0' } as const
  const entries = [plannedEntry(run, { at: AT, clusterName: 'here' })]
  const append = async (entry: JournalEntry): Promise<void> => void appended.push(entry)
  return { run: run.id, header, entries, append, appended }
}

/** A file that chooses n1, n2 and n3, as `evenkeel roll resume -f` reads it. */
function amendingBy(refused?: UserError) {
  const warnings: string[] = []
  const wanted = { ...spec, nodes: { ...spec.nodes, names: ['n1', 'n2', 'n3'] } }
  return {
    warnings,
    file: { name: 'roll.yaml', spec: wanted, refusal: () => new UserError('the file is wrong', { code: 'x' }) },
    at: AT,
    nodes: () => Promise.resolve(['n1', 'n2', 'n3'].map((name) => aNode(name))),
    plan: () => Promise.resolve(PLAN),
    refusal: () => refused,
    warn: (text: string) => void warnings.push(text),
  }
}

test('a run whose journal was made to put nodes back is ended, and not gone on with', async () => {
  const restoring = journalOf({ ...begun, restoresAs: `${begun.id}+1f0e` })
  await assert.rejects(takeUp({ journal: restoring }), { code: 'journal.restores' })
  const verdict = { kind: 'aborted', keepOut: false, reasons: [] } as const
  const { run } = await takeUp({ journal: restoring, verdict })
  assert.deepEqual([run.verdict, run.order], [verdict, ['n1', 'n2']])
})

test('a run goes on by another file, which is in its journal; nodes that the run does not have are named', async () => {
  const journal = journalOf(begun)
  const amending = amendingBy()
  const { run } = await takeUp({ journal, amending })
  assert.deepEqual([run.spec, run.order], [amending.file.spec, ['n1', 'n2']])
  assert.deepEqual(
    journal.appended.map(({ type }) => type),
    ['amended'],
  )
  assert.match(amending.warnings.join(), /^roll.yaml chooses nodes that are not in this run; .*: n3$/)
})

test('a run stays by its file where the plan by another one is refused', async () => {
  const journal = journalOf(begun)
  const refused = new UserError('1 error in the plan', { code: 'plan.refused' })
  await assert.rejects(takeUp({ journal, amending: amendingBy(refused) }), { code: 'plan.refused' })
  assert.deepEqual(journal.appended, [])
})
