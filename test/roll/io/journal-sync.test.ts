import assert from 'node:assert/strict'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { FileJournal, type JournalFile } from '../../../src/roll/io/file-journal.ts'

const at = '2026-01-01T00:00:00.000Z'

/** A journal on a real file whose syncs wait until they are let go, each seen with what the file held when it was asked. */
async function heldBack(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'evenkeel-sync-'))
  const path = join(directory, 'journal.jsonl')
  const file = await open(path, 'w+')
  const syncs = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const asked: Promise<string>[] = []
  const watched: JournalFile = {
    write: file.write.bind(file),
    truncate: file.truncate.bind(file),
    stat: file.stat.bind(file),
    close: file.close.bind(file),
    datasync: async () => {
      const turn = syncs[asked.length]
      asked.push(readFile(path, 'utf8'))
      await turn?.promise
      await file.datasync()
    },
  }
  const journal = new FileJournal({
    path,
    file: watched,
    lock: { release: () => undefined },
    header: { at, type: 'journal', v: 1, run: 'run-1', cluster: 'uid-1', tool: '0' },
    entries: [],
    sizeBytes: 0,
    cutBytes: 0,
  })
  t.after(async () => {
    for (const { resolve } of syncs) resolve()
    await journal.close()
    await rm(directory, { recursive: true })
  })
  return { journal, syncs, asked }
}

test('law: an acknowledged entry of the journal survives kill -9; it is acknowledged once the file was synced with the whole of it', async (t) => {
  const { journal, syncs, asked } = await heldBack(t)
  const settled: string[] = []
  const appended = ['first', 'second'].map((type) => journal.append({ at, type }).then(() => settled.push(type)))
  while (asked.length === 0 && settled.length === 0) await new Promise(setImmediate)
  assert.equal(await asked[0], `{"at":"${at}","type":"first"}\n`)
  assert.deepEqual(settled, [])
  syncs[0]?.resolve()
  await appended[0]
  while (asked.length === 1 && settled.length === 1) await new Promise(setImmediate)
  assert.equal(await asked[1], `{"at":"${at}","type":"first"}\n{"at":"${at}","type":"second"}\n`)
  assert.deepEqual(settled, ['first'])
  syncs[1]?.resolve()
  await Promise.all(appended)
  assert.equal(asked.length, 2)
})

test('an entry that the disk refuses takes those with it that wait behind it, and not one that comes later', async (t) => {
  const { journal, syncs, asked } = await heldBack(t)
  const appended = ['first', 'second', 'third'].map((type) => journal.append({ at, type }))
  const settled = Promise.allSettled(appended)
  while (asked.length === 0) await new Promise(setImmediate)
  syncs[0]?.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
  syncs[1]?.resolve()
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
  await journal.append({ at, type: 'fourth' })
  assert.equal(await asked.at(-1), `{"at":"${at}","type":"fourth"}\n`)
})
