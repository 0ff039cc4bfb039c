import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { FileJournalStore } from '../../../src/roll/io/file-journal-store.ts'
import { newestRun } from '../../../src/roll/run/newest-run.ts'

const OLDER = '20261120T061439Z-77aa'
const NEWER = '20261121T061439Z-1f0e'

const header = (run: string, at: string, v = 1): string =>
  `${JSON.stringify({ at, type: 'journal', v, run, cluster: 'c', tool: '0.1.0' })}\n`

/** A store with these journals; without a text the directory of a run is empty. */
function storeOf(context: TestContext, journals: Readonly<Record<string, string | undefined>>): FileJournalStore {
  const directory = mkdtempSync(join(tmpdir(), 'evenkeel-runs-'))
  context.after(() => rmSync(directory, { recursive: true }))
  for (const [run, text] of Object.entries(journals)) {
    mkdirSync(join(directory, run))
    if (text !== undefined) writeFileSync(join(directory, run, 'journal.jsonl'), text)
  }
  return new FileJournalStore(directory)
}

const older = header(OLDER, '2026-11-20T06:14:39.000Z')
const refusedWith = (code: string) => (error: unknown) => error instanceof UserError && error.code === code

test('the run that was begun last is the one that is meant', async (context) => {
  const store = storeOf(context, { [OLDER]: older, [NEWER]: header(NEWER, '2026-11-21T06:14:39.000Z') })
  assert.equal(await newestRun(store), NEWER)
})

test('an older run is not taken in place of one whose journal cannot be read', async (context) => {
  const version = storeOf(context, { [OLDER]: older, [NEWER]: header(NEWER, '2026-11-21T06:14:39.000Z', 2) })
  await assert.rejects(newestRun(version), refusedWith('journal.version'))
  const damaged = storeOf(context, { [OLDER]: older, [NEWER]: 'what?\n{"at":"","type":""}\n' })
  await assert.rejects(newestRun(damaged), refusedWith('journal.damaged'))
})

test('a run that was never begun is passed over', async (context) => {
  assert.equal(await newestRun(storeOf(context, { [OLDER]: older, [NEWER]: undefined })), OLDER)
  assert.equal(await newestRun(storeOf(context, { [OLDER]: older, [NEWER]: '' })), OLDER)
  await assert.rejects(newestRun(storeOf(context, { [NEWER]: '' })), refusedWith('journal.none'))
})

test('an unreadable journal that is older stands in the way of none', async (context) => {
  const store = storeOf(context, { [OLDER]: 'what?\n{}\n', [NEWER]: header(NEWER, '2026-11-21T06:14:39.000Z') })
  assert.equal(await newestRun(store), NEWER)
})
