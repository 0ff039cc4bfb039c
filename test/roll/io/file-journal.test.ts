import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { FileJournalStore } from '../../../src/roll/io/file-journal-store.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { inOwn, requiresOwn } from '../../support/namespaces.ts'
import { userError } from '../../support/plain.ts'
import { SpokenProcess } from '../../support/spoken-process.ts'

const AT = '2026-01-01T00:00:00.000Z'
const BEGINNING = { at: AT, run: 'roll-1', cluster: 'cluster-1', tool: '0.1.0' }
const HEADER =
  '{"at":"2026-01-01T00:00:00.000Z","type":"journal","v":1,"run":"roll-1","cluster":"cluster-1","tool":"0.1.0"}\n'
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

test('what was appended is there after a reopening, in order, under the header', async (t) => {
  const state = await stateDir(t)
  const store = new FileJournalStore(state)
  const first = await store.create(BEGINNING)
  await Promise.all([1, 2, 3].map((n) => first.append(entry(n))))
  await first.close()

  const again = await store.open('roll-1', 'cluster-1')
  assert.deepEqual(numbers(again.entries), [1, 2, 3])
  assert.deepEqual(again.header, { ...BEGINNING, type: 'journal', v: 1 })
  assert.equal(again.cutBytes, 0)
  await again.append(entry(4))
  await again.close()
  assert.deepEqual(numbers((await store.read('roll-1')).entries), [1, 2, 3, 4])
  assert.ok((await readFile(journalPath(state), 'utf8')).startsWith(HEADER))
})

test('text with line breaks, and text that looks like an entry, stays inside its entry', async (t) => {
  const store = new FileJournalStore(await stateDir(t))
  const journal = await store.create(BEGINNING)
  const text = `a\nb\r\n\u2028${JSON.stringify(entry(9))}\n`
  await journal.append({ at: AT, type: 'warning', text })
  await journal.close()
  assert.deepEqual((await store.read('roll-1')).entries, [{ at: AT, type: 'warning', text }])
})

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

for (const [title, tail] of [
  ['half an entry', '{"at":"2026-01-01T00:00:00.000Z","type":"en'],
  ['a whole entry without its newline, which was never promised', JSON.stringify(entry(9))],
  ['blocks that the file system filled with zeros', '\0'.repeat(500)],
  ['a line whose beginning did not reach the disk', `${'\0'.repeat(40)}"n":9}\n`],
  ['a line that is JSON but no entry', '17\n'],
] as const) {
  test(`a crash that left ${title}: cut at the next opening`, async (t) => {
    const state = await stateDir(t)
    const store = new FileJournalStore(state)
    const journal = await store.create(BEGINNING)
    await journal.append(entry(1))
    await journal.close()
    const good = await readFile(journalPath(state), 'utf8')
    await writeFile(journalPath(state), tail, { flag: 'a' })

    assert.deepEqual(numbers((await store.read('roll-1')).entries), [1])
    const again = await store.open('roll-1', 'cluster-1')
    assert.deepEqual(numbers(again.entries), [1])
    assert.equal(again.cutBytes, Buffer.byteLength(tail))
    assert.equal(await readFile(journalPath(state), 'utf8'), good)
    await again.append(entry(2))
    await again.close()
    assert.deepEqual(numbers((await store.read('roll-1')).entries), [1, 2])
  })
}

test('law: an acknowledged entry of the journal survives kill -9; cut at any byte, a journal still holds the entries before it and takes new ones', async (t) => {
  const state = await stateDir(t)
  const store = new FileJournalStore(state)
  const journal = await store.create(BEGINNING)
  for (const n of [1, 2, 3]) await journal.append({ ...entry(n), text: 'ä→\u0000' })
  await journal.close()
  const whole = await readFile(journalPath(state))
  const ends = [...whole.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: HEADER.length, max: whole.length }), async (length) => {
      await writeFile(journalPath(state), whole)
      await truncate(journalPath(state), length)
      const again = await store.open('roll-1', 'cluster-1')
      const kept = [1, 2, 3].slice(0, ends.filter((end) => end <= length).length - 1)
      assert.deepEqual(numbers(again.entries), kept)
      await again.append(entry(4))
      await again.close()
      assert.deepEqual(numbers((await store.read('roll-1')).entries), [...kept, 4])
    }),
    { numRuns: 60 },
  )
})

for (const [title, content, expected] of [
  ['of another cluster', HEADER.replace('cluster-1', 'cluster-2'), 'journal.other-cluster'],
  ['of a later format', HEADER.replace('"v":1', '"v":2'), 'journal.version'],
  ['of another run', HEADER.replace('roll-1', 'roll-2'), 'journal.damaged'],
  ['without a tool in its header', HEADER.replace('"tool":"0.1.0"', '"tool":7'), 'journal.damaged'],
  ['that is another file', 'hello\nworld\n', 'journal.damaged'],
  ['whose first line is an entry', `${JSON.stringify(entry(1))}\n`, 'journal.damaged'],
  ['damaged in the middle', `${HEADER}rubbish\n${JSON.stringify(entry(2))}\n`, 'journal.damaged'],
  ['whose header never reached the disk', HEADER.slice(0, 40), 'journal.empty'],
  ['that is empty', '', 'journal.empty'],
] as const) {
  test(`a journal ${title} is refused as a matter for a person, and not changed`, async (t) => {
    const state = await stateDir(t)
    const store = new FileJournalStore(state)
    await (await store.create(BEGINNING)).close()
    await writeFile(journalPath(state), content)
    await assert.rejects(store.open('roll-1', 'cluster-1'), { name: 'UserError', code: expected })
    await assert.rejects(store.open('roll-1', 'cluster-1'), { code: expected }, 'the lock was let go')
    assert.equal(await readFile(journalPath(state), 'utf8'), content)
  })
}

test('a run that is not there, and a name that leads elsewhere, are unknown runs', async (t) => {
  const store = new FileJournalStore(await stateDir(t))
  for (const run of ['roll-9', '', '..', '../roll-1', '/etc', '-x', 'a/b', 'a\0b', 'x'.repeat(65)]) {
    await assert.rejects(store.open(run, 'cluster-1'), { name: 'UserError', code: 'journal.unknown-run' })
    await assert.rejects(store.read(run), userError('journal.unknown-run', /^no run /, /^name (its directory|the run)/))
  }
})

test('a run is begun once', async (t) => {
  const store = new FileJournalStore(await stateDir(t))
  const journal = await store.create(BEGINNING)
  await journal.append(entry(1))
  await assert.rejects(store.create(BEGINNING), { name: 'UserError', code: 'journal.run-exists' })
  await journal.close()
  assert.deepEqual(numbers((await store.read('roll-1')).entries), [1])
})

test('runs are listed newest first, and what cannot be read says why', async (t) => {
  const state = await stateDir(t)
  const store = new FileJournalStore(state)
  assert.deepEqual(await new FileJournalStore(join(state, 'nothing-here')).runs(), [])
  for (const [run, at] of [
    ['a-second', '2026-01-02T00:00:00.000Z'],
    ['c-first', '2026-01-01T00:00:00.000Z'],
    ['b-third', '2026-01-03T00:00:00.000Z'],
  ] as const) {
    await (await store.create({ ...BEGINNING, run, at })).close()
  }
  await (await store.create({ ...BEGINNING, run: 'd-broken', at: '2026-01-04T00:00:00.000Z' })).close()
  await writeFile(journalPath(state, 'd-broken'), 'rubbish\n')
  await writeFile(join(state, 'a-file'), '')
  const runs = await store.runs()
  assert.deepEqual(
    runs.map(({ run, header }) => [run, header?.at]),
    [
      ['b-third', '2026-01-03T00:00:00.000Z'],
      ['a-second', '2026-01-02T00:00:00.000Z'],
      ['c-first', '2026-01-01T00:00:00.000Z'],
      ['d-broken', undefined],
    ],
  )
  assert.match(runs[3]?.problem ?? '', /cannot be trusted/)
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
