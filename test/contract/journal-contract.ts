import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { JournalEntry, JournalStore } from '../../src/roll/ports/journal.ts'
import { userError } from '../support/plain.ts'

const AT = '2026-01-01T00:00:00.000Z'
const BEGINNING = { at: AT, run: 'roll-1', cluster: 'cluster-1', tool: '0.1.0' }
/** The shortest that slots may last. */
const SLOT_MS = 15_000
const HEADER =
  '{"at":"2026-01-01T00:00:00.000Z","type":"journal","v":1,"run":"roll-1","cluster":"cluster-1","tool":"0.1.0"}\n'

const entry = (n: number): JournalEntry => ({ at: AT, type: 'entry', n })
const numbers = (entries: readonly JournalEntry[]): unknown[] => entries.map(({ n }) => n)
const code = (expected: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === expected

/** Where journals are stored. */
interface JournalGround {
  readonly store: JournalStore
  /** The same journals, as another process has them. */
  readonly another: JournalStore
  /** Writes this in the place of a journal, as a person or a crash may. A ConfigMap has no half character. */
  put(run: string, text: string | Buffer): Promise<void>
  /** Time passes until the work is done. */
  done<T>(work: Promise<T>): Promise<T>
}

type Open = (t: TestContext) => Promise<JournalGround>

/** What every store of journals must do, wherever it keeps them. */
export function journalContract(open: Open): void {
  appends(open)
  torn(open)
  refused(open)
  lists(open)
}

function appends(open: Open): void {
  test('what was appended is there after a reopening, in order, under the header', async (t) => {
    const { store, done } = await open(t)
    const first = await done(store.create(BEGINNING))
    await done(Promise.all([1, 2, 3].map((n) => first.append(entry(n)))))
    await done(first.close())

    const again = await done(store.open('roll-1', 'cluster-1'))
    assert.deepEqual(numbers(again.entries), [1, 2, 3])
    assert.deepEqual(again.header, { ...BEGINNING, type: 'journal', v: 1 })
    assert.equal(again.cutBytes, 0)
    await done(again.append(entry(4)))
    await done(again.close())
    assert.deepEqual(numbers((await done(store.read('roll-1'))).entries), [1, 2, 3, 4])
    assert.ok((await done(store.text('roll-1'))).startsWith(HEADER))
  })

  test('text with line breaks, and text that looks like an entry, stays inside its entry', async (t) => {
    const { store, done } = await open(t)
    const journal = await done(store.create(BEGINNING))
    const text = `a\nb\r\n\u2028${JSON.stringify(entry(9))}\nä→\u0000`
    await done(journal.append({ at: AT, type: 'warning', text }))
    await done(journal.close())
    assert.deepEqual((await done(store.read('roll-1'))).entries, [{ at: AT, type: 'warning', text }])
  })

  test('ten megabytes of entries are read as they were appended, by those who write on too', async (t) => {
    const { store, another, done } = await open(t)
    const journal = await done(store.create(BEGINNING))
    const padding = 'x'.repeat(40_000)
    for (let from = 0; from < 260; from += 26) {
      const some = [...Array(26).keys()].map((at) => journal.append({ ...entry(from + at), padding }))
      await done(Promise.all(some))
    }
    await done(journal.close())
    const again = await done(another.open('roll-1', 'cluster-1'))
    await done(again.append(entry(260)))
    await done(again.close())
    assert.deepEqual(numbers((await done(store.read('roll-1'))).entries), [...Array(261).keys()])
  })

  test('law: one process at a time works on a run; once its journal is closed, the other does', async (t) => {
    const { store, another, done } = await open(t)
    const journal = await done(store.create(BEGINNING, SLOT_MS))
    await done(journal.append(entry(1)))
    await assert.rejects(done(another.open('roll-1', 'cluster-1')), { name: 'UserError', code: 'journal.in-use' })
    assert.deepEqual(numbers((await done(another.read('roll-1'))).entries), [1], 'reading needs no lock')
    assert.equal(await done(another.inUse('roll-1')), true)
    await done(journal.append(entry(2)))
    await done(journal.close())
    assert.equal(await done(another.inUse('roll-1')), false)
    const theirs = await done(another.open('roll-1', 'cluster-1'))
    assert.deepEqual(numbers(theirs.entries), [1, 2])
    await assert.rejects(done(store.open('roll-1', 'cluster-1')), code('journal.in-use'))
    await done(theirs.close())
  })
}

function torn(open: Open): void {
  for (const [title, tail] of [
    ['half an entry', '{"at":"2026-01-01T00:00:00.000Z","type":"en'],
    ['a whole entry without its newline, which was never promised', JSON.stringify(entry(9))],
    ['blocks that the file system filled with zeros', '\0'.repeat(500)],
    ['a line whose beginning did not reach the disk', `${'\0'.repeat(40)}"n":9}\n`],
    ['a line that is JSON but no entry', '17\n'],
  ] as const) {
    test(`a crash that left ${title}: cut at the next opening`, async (t) => {
      const { store, put, done } = await open(t)
      const journal = await done(store.create(BEGINNING))
      await done(journal.append(entry(1)))
      await done(journal.close())
      const good = await done(store.text('roll-1'))
      await put('roll-1', `${good}${tail}`)

      assert.deepEqual(numbers((await done(store.read('roll-1'))).entries), [1])
      const again = await done(store.open('roll-1', 'cluster-1'))
      assert.deepEqual(numbers(again.entries), [1])
      assert.equal(again.cutBytes, Buffer.byteLength(tail))
      assert.equal(await done(store.text('roll-1')), good)
      await done(again.append(entry(2)))
      await done(again.close())
      assert.deepEqual(numbers((await done(store.read('roll-1'))).entries), [1, 2])
    })
  }

  test('law: an acknowledged entry of the journal survives kill -9; cut at any byte, a journal still holds the entries before it and takes new ones', async (t) => {
    const { store, put, done } = await open(t)
    const journal = await done(store.create(BEGINNING))
    for (const n of [1, 2, 3]) await done(journal.append({ ...entry(n), text: 'ä→\u0000' }))
    await done(journal.close())
    const whole = Buffer.from(await done(store.text('roll-1')))
    const ends = [...whole.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: HEADER.length, max: whole.length }), async (length) => {
        await put('roll-1', whole.subarray(0, length))
        const again = await done(store.open('roll-1', 'cluster-1'))
        const kept = [1, 2, 3].slice(0, ends.filter((end) => end <= length).length - 1)
        assert.deepEqual(numbers(again.entries), kept)
        await done(again.append(entry(4)))
        await done(again.close())
        assert.deepEqual(numbers((await done(store.read('roll-1'))).entries), [...kept, 4])
      }),
      { numRuns: 60 },
    )
  })
}

function refused(open: Open): void {
  for (const [title, content, expected] of [
    ['of another cluster', HEADER.replace('cluster-1', 'cluster-2'), 'journal.other-cluster'],
    ['of a later format', HEADER.replace('"v":1', '"v":2'), 'journal.version'],
    ['of another run', HEADER.replace('roll-1', 'roll-2'), 'journal.damaged'],
    ['without a tool in its header', HEADER.replace('"tool":"0.1.0"', '"tool":7'), 'journal.damaged'],
    ['that is another file', 'hello\nworld\n', 'journal.damaged'],
    ['whose first line is an entry', `${JSON.stringify(entry(1))}\n`, 'journal.damaged'],
    ['damaged in the middle', `${HEADER}rubbish\n${JSON.stringify(entry(2))}\n`, 'journal.damaged'],
    ['whose header was never stored', HEADER.slice(0, 40), 'journal.empty'],
    ['that is empty', '', 'journal.empty'],
  ] as const) {
    test(`a journal ${title} is refused as a matter for a person, and not changed`, async (t) => {
      const { store, put, done } = await open(t)
      const journal = await done(store.create(BEGINNING))
      await done(journal.close())
      await put('roll-1', content)
      await assert.rejects(done(store.open('roll-1', 'cluster-1')), { name: 'UserError', code: expected })
      await assert.rejects(done(store.open('roll-1', 'cluster-1')), { code: expected }, 'the lock was let go')
      assert.equal(await done(store.text('roll-1')), content)
    })
  }

  test('a run that is not there, and a name that leads elsewhere, are unknown runs', async (t) => {
    const { store, done } = await open(t)
    for (const run of ['roll-9', '', '..', '../roll-1', '/etc', '-x', 'a/b', 'a\0b', 'a,b', 'x'.repeat(65)]) {
      await assert.rejects(done(store.open(run, 'cluster-1')), { name: 'UserError', code: 'journal.unknown-run' })
      const unknown = userError('journal.unknown-run', /^no run /, /^name the (place of its journal|run as)/)
      await assert.rejects(done(store.read(run)), unknown)
    }
  })

  test('a run is begun once', async (t) => {
    const { store, done } = await open(t)
    const journal = await done(store.create(BEGINNING))
    await done(journal.append(entry(1)))
    await done(journal.close())
    await assert.rejects(done(store.create(BEGINNING)), { name: 'UserError', code: 'journal.run-exists' })
    assert.deepEqual(numbers((await done(store.read('roll-1'))).entries), [1])
  })
}

function lists(open: Open): void {
  test('runs are listed newest first, and what cannot be read says why', async (t) => {
    const { store, put, done } = await open(t)
    assert.deepEqual(await done(store.runs()), [])
    for (const [run, at] of [
      ['A-second', '2026-01-02T00:00:00.000Z'],
      ['c-first', '2026-01-01T00:00:00.000Z'],
      ['b-third', '2026-01-03T00:00:00.000Z'],
      ['d-broken', '2026-01-04T00:00:00.000Z'],
    ] as const) {
      const journal = await done(store.create({ ...BEGINNING, run, at }))
      await done(journal.close())
    }
    await put('d-broken', 'rubbish\n')
    const runs = await done(store.runs())
    assert.deepEqual(
      runs.map(({ run, header }) => [run, header?.at]),
      [
        ['b-third', '2026-01-03T00:00:00.000Z'],
        ['A-second', '2026-01-02T00:00:00.000Z'],
        ['c-first', '2026-01-01T00:00:00.000Z'],
        ['d-broken', undefined],
      ],
    )
    assert.match(runs[3]?.problem ?? '', /cannot be trusted/)
  })
}
