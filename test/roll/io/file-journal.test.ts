import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { FileJournalStore } from '../../../src/roll/io/file-journal-store.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { inOwn, requiresOwn } from '../../support/namespaces.ts'
import { SpokenProcess } from '../../support/spoken-process.ts'

const AT = '2026-01-01T00:00:00.000Z'
const BEGINNING = { at: AT, run: 'roll-1', cluster: 'cluster-1', tool: '0.1.0' }
const WRITER = join(import.meta.dirname, '../../support/journal-writer.ts')

const entry = (n: number): JournalEntry => ({ at: AT, type: 'entry', n })
const numbers = (entries: readonly JournalEntry[]): unknown[] => entries.map(({ n }) => n)

async function stateDir(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'evenkeel-journal-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return directory
}

const journalPath = (state: string, run = 'roll-1'): string => join(state, run, 'journal.jsonl')
const code = (expected: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === expected

test('directories and files are private to the user', async (t) => {
  const state = join(await stateDir(t), 'deep', 'evenkeel')
  const journal = await new FileJournalStore(state).create(BEGINNING)
  t.after(() => journal.close())
  const modes = await Promise.all(
    [state, join(state, 'roll-1'), journalPath(state), join(state, 'roll-1', 'lock.db')].map(async (path) =>
      ((await stat(path)).mode & 0o777).toString(8),
    ),
  )
  assert.deepEqual(modes, ['700', '700', '600', '600'])
})

test('a state directory that cannot be one is the choice of a person', async (t) => {
  const state = await stateDir(t)
  await writeFile(join(state, 'file'), '')
  for (const path of [join(state, 'file'), join(state, 'file', 'below'), '/proc/evenkeel/below', '/dev/null']) {
    await assert.rejects(new FileJournalStore(path).create(BEGINNING), {
      name: 'UserError',
      code: 'journal.state-dir',
      fix: 'choose a directory of your own with --state-dir',
    })
  }
})

test('law: an acknowledged entry of the journal survives kill -9; none is acknowledged once the file is gone', async (t) => {
  const state = await stateDir(t)
  const journal = await new FileJournalStore(state).create(BEGINNING)
  t.after(() => journal.close())
  await rm(journalPath(state))
  await assert.rejects(journal.append(entry(1)), { name: 'WorldError', code: 'JOURNAL_WRITE' })
})

test('law: one process at a time works on a run; after kill -9 of it the other does, at once', async (t) => {
  const state = await stateDir(t)
  const store = new FileJournalStore(state)
  const writer = new SpokenProcess(t, [process.execPath, WRITER, state, 'roll-1', 'create', '3'])
  await writer.said('done')
  await assert.rejects(store.open('roll-1', 'cluster-1'), { name: 'UserError', code: 'journal.in-use' })
  assert.deepEqual(numbers((await store.read('roll-1')).entries), [0, 1, 2], 'reading needs no lock')
  await assert.rejects(store.open('roll-1', 'cluster-1'), code('journal.in-use'), 'and does not break it')
  await writer.end('SIGKILL')
  const mine = await store.open('roll-1', 'cluster-1')
  assert.deepEqual(numbers(mine.entries), [0, 1, 2])
  await assert.rejects(store.open('roll-1', 'cluster-1'), code('journal.in-use'), 'within one process as well')
  await mine.close()
  await (await store.open('roll-1', 'cluster-1')).close()
  assert.equal(writer.errors, '', 'no warning of an experimental part')
})

test(
  'law: one process at a time works on a run; the other is kept out from another network namespace, too',
  requiresOwn('--net'),
  async (t) => {
    const state = await stateDir(t)
    const unshare = inOwn('--net') ?? []
    const writer = new SpokenProcess(t, [...unshare, process.execPath, WRITER, state, 'roll-1', 'create', '1'])
    await writer.said('done')
    await assert.rejects(new FileJournalStore(state).open('roll-1', 'cluster-1'), code('journal.in-use'))
  },
)

test('law: an acknowledged entry of the journal survives kill -9; the writer is killed in the middle of appends', async (t) => {
  const state = await stateDir(t)
  const store = new FileJournalStore(state)
  for (const round of [1, 2, 3]) {
    const run = `roll-${round}`
    const writer = new SpokenProcess(t, [process.execPath, WRITER, state, run, 'create', '1000000'])
    await writer.said(String(50 * round))
    await writer.end('SIGKILL')
    const journal = await store.open(run, 'cluster-1')
    const acknowledged = Number(writer.lines.at(-1))
    const kept = numbers(journal.entries)
    assert.ok(kept.length > acknowledged)
    assert.deepEqual(kept, [...kept.keys()])
    await journal.close()
  }
})

test(
  'a full disk rejects the entry, leaves no half line, and has no say once there is room',
  requiresOwn('--mount'),
  async (t) => {
    const state = await stateDir(t)
    const script = `mount -t tmpfs -o size=128k tiny "$1" && head -c 64k /dev/zero > "$1/ballast" && shift && exec "$@"`
    const writer = [process.execPath, WRITER, state, 'roll-1', 'create', '300']
    const disk = new SpokenProcess(t, [...(inOwn('--mount') ?? []), 'sh', '-c', script, 'sh', state, ...writer])
    await disk.said('failed JOURNAL_WRITE')
    const seen = join('/proc', String(disk.pid), 'root', state)
    const store = new FileJournalStore(seen)
    const acknowledged = disk.lines.filter((line) => /^\d+$/.test(line)).map(Number)
    assert.ok(acknowledged.length > 100)
    assert.deepEqual(numbers((await store.read('roll-1')).entries), acknowledged)

    await rm(join(seen, 'ballast'))
    await disk.said('done')
    assert.deepEqual(numbers((await store.read('roll-1')).entries), [...Array(300).keys()])
    assert.ok((await readFile(journalPath(seen), 'utf8')).endsWith('\n'))
  },
)
