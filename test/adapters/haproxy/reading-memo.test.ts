import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTables, TableMemo } from '../../../src/adapters/haproxy/parse-tables.ts'
import { ReadingMemo } from '../../../src/adapters/haproxy/reading-memo.ts'
import type { ServerReading } from '../../../src/model/balancer.ts'
import { RECORDED } from './recorded-reply.ts'

const STICK_TABLES: ReadonlySet<string> = new Set()

/** One poll after the other, as by the process that remembers and as by one that begins. */
class Reader {
  readonly #tables = new TableMemo()
  readonly #readings = new ReadingMemo()

  poll(changes: readonly (readonly [string, string])[] = [], stickTables = STICK_TABLES): readonly ServerReading[] {
    const replaced = (lines: readonly string[]): string =>
      changes.reduce((text, [old, other]) => text.replace(old, other), lines.join('\n'))
    const answers = [RECORDED.info, RECORDED.states, RECORDED.stats].map(replaced)
    const told = { instance: 'lb-1', tables: parseTables(answers, this.#tables), stickTables }
    const servers = this.#readings.servers(told, ['web'])
    const anew = { ...told, tables: parseTables(answers) }
    assert.deepEqual(servers, new ReadingMemo().servers(anew, ['web']))
    return servers
  }
}

test('what is told again is the same list, and one server that changed is another reading in a new list', () => {
  const reader = new Reader()
  const first = reader.poll()
  assert.equal(reader.poll(), first)
  const second = reader.poll([['web,b,0,0,2', 'web,b,0,0,7']])
  assert.deepEqual(
    second.map((server, i) => server === first[i]),
    [true, false],
  )
})

test('a server that another backend has now is not told for the one in whose place it stands', () => {
  const reader = new Reader()
  const moved = (server: string, at: string) =>
    [
      [`3 web ${at} ${server}`, `4 api ${at} ${server}`],
      [`web,${server},`, `api,${server},`],
    ] as const
  assert.deepEqual(
    reader.poll(moved('b', '2')).map(({ ref }) => ref.server),
    ['a'],
  )
  assert.deepEqual(
    reader.poll(moved('a', '1')).map(({ ref }) => ref.server),
    ['b'],
  )
})

test('a server that follows another is read anew with it, also where its own row did not change', () => {
  const reader = new Reader()
  const follows = ['UP,1,0,,2', 'UP,1,0,web/b,2'] as const
  reader.poll()
  assert.equal(reader.poll([follows])[0]?.checkText, 'L4OK (web/b)')
  assert.equal(reader.poll([follows, ['* L4OK', 'L4CON']])[0]?.checkText, 'L4CON (web/b)')
  assert.equal(reader.poll()[0]?.checkText, 'L7OK/200')
})

test('a table that begins to remember servers makes all of them persistent', () => {
  const reader = new Reader()
  reader.poll()
  assert.deepEqual(
    reader.poll([], new Set(['web'])).map(({ persistent }) => persistent),
    [true, true],
  )
})
