import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseTables, TableReader, type Tables } from '../../../../../src/service/actuators/haproxy/io/parse-tables.ts'
import { SeededRandom } from '../../../../../src/sim/clocks/seeded-random.ts'
import { RECORDED } from './recorded-reply.ts'

const INFO = RECORDED.info.join('\n')

/** The recorded rows without quotes, since a table with quotes is always read anew; and with their running times. */
const STATS = RECORDED.stats.map((line, at) =>
  at === 0
    ? line.replace(',bck,', ',bck,lastchg,downtime,')
    : line.replace(/^((?:[^,]*,){10})/, '$19,,').replace(/"said .* more"/, 'Layer7'),
)

/** One answer with some cells replaced, a row or a column added or left out; each line by itself. */
function drawn(random: SeededRandom, lines: readonly string[], { separator, headers }: Table): readonly string[] {
  const words = ['', '0', '7', '12', '-1', 'UP', 'MAINT', 'L7OK', '* L7OK', 'x y', '1,2']
  return lines.flatMap((line, at) => {
    if (at < headers) return [line]
    const cells = line.split(separator)
    const changes = random.below(2)
    for (let i = 0; i < changes; i += 1) cells[random.below(cells.length)] = words[random.below(words.length)] ?? ''
    if (random.below(40) === 0) return []
    return random.below(40) === 0 ? [cells.join(separator), line] : [cells.join(separator)]
  })
}

interface Table {
  readonly separator: string
  readonly headers: number
}

const outcome = (read: () => Tables): unknown => {
  try {
    return read()
  } catch (error) {
    return String(error)
  }
}

test('a reader that remembers reads the same as one that does not, whatever changes', () => {
  let read = 0
  for (let seed = 0; seed < 40; seed += 1) {
    const random = new SeededRandom(`known lines ${seed}`)
    const reader = new TableReader()
    for (let round = 0; round < 50; round += 1) {
      const states = drawn(random, RECORDED.states, { separator: ' ', headers: 2 })
      const stats = drawn(random, STATS, { separator: ',', headers: 1 })
      const answers = [INFO, states.join('\n'), stats.join('\n')]
      const fresh = outcome(() => parseTables(answers))
      assert.deepEqual(
        outcome(() => reader.read(answers)),
        fresh,
      )
      if (typeof fresh !== 'string') read += 1
    }
  }
  assert.ok(read > 300, `only ${read} of the drawn answers can be read`)
})

test('rows that differ in running times alone are the same objects, and others are not', () => {
  const reader = new TableReader()
  const answersOf = (seconds: number, status: string): readonly string[] => [
    INFO,
    withCell(RECORDED.states, { header: 1, name: 'srv_time_since_last_change', separator: ' ' }, String(seconds)),
    withCell(STATS, { header: 0, name: 'lastchg', separator: ',' }, String(seconds)).replace('UP', status),
  ]
  const first = reader.read(answersOf(9, 'UP')).rows
  const later = reader.read(answersOf(1_234, 'UP')).rows
  assert.equal(later, first)
  const [changed, same] = reader.read(answersOf(1_235, 'DOWN')).rows
  assert.notEqual(changed, first[0])
  assert.equal(changed?.stat.status, 'DOWN')
  assert.equal(same, first[1])
})

test('a row that is kept does not keep the answer that it was read from', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const reader = new TableReader()
  const [stateHeads, [stateRow = '']] = [RECORDED.states.slice(0, 2), RECORDED.states.slice(2)]
  const [statHeads, [statRow = '']] = [STATS.slice(0, 1), STATS.slice(1)]
  const names = Array.from({ length: 400 }, (_, at) => `server-${at}`)
  const states = [...stateHeads, ...names.map((name) => stateRow.replace(' a ', ` ${name} `))].join('\n')
  const status = new Map<string, string>()
  const usedMb = (): number => {
    collect()
    return process.memoryUsage().heapUsed / 1e6
  }
  let beforeMb = 0
  let last: Tables['rows'] | undefined
  for (const [round, name] of names.entries()) {
    status.set(name, `DOWN ${round}/500 since its last check did not pass`)
    const rows = names.map((one) => statRow.replace(',a,', `,${one},`).replace('UP', status.get(one) ?? 'UP'))
    last = reader.read([INFO, states, [...statHeads, ...rows].join('\n')]).rows
    if (round === 20) beforeMb = usedMb()
  }
  const moreMb = usedMb() - beforeMb
  assert.ok(moreMb < 5, `${moreMb} MB more than after 20 answers`)
  assert.equal(last?.length, names.length)
})

interface Column {
  readonly header: number
  readonly name: string
  readonly separator: string
}

/** The table with that text in a column of each row. */
function withCell(lines: readonly string[], { header, name, separator }: Column, text: string): string {
  const at = (lines[header] ?? '').replace(/^# /, '').split(separator).indexOf(name)
  assert.ok(at > 0, `no column ${name}`)
  const replaced = (line: string): string => line.split(separator).with(at, text).join(separator)
  return lines.map((line, i) => (i <= header ? line : replaced(line))).join('\n')
}
