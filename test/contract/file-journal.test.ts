import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import { FileJournalStore } from '../../src/roll/io/file-journal-store.ts'
import { journalContract } from './journal-contract.ts'

describe('journals as files', () => {
  journalContract(async (t) => {
    const state = await mkdtemp(join(tmpdir(), 'evenkeel-journal-'))
    t.after(() => rm(state, { recursive: true, force: true }))
    return {
      store: new FileJournalStore(state),
      another: new FileJournalStore(state),
      put: (run, text) => writeFile(join(state, run, 'journal.jsonl'), text),
      done: (work) => work,
    }
  })
})
