import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { READ_SERVERS } from '../../../src/adapters/haproxy/command.ts'
import { parseStat } from '../../../src/adapters/haproxy/parse-stat.ts'
import { parseTables, TableMemo } from '../../../src/adapters/haproxy/parse-tables.ts'
import { splitAnswers } from '../../../src/adapters/haproxy/split-answers.ts'
import { BalancerBed, serversNamed } from '../../sim/balancer/balancer-bed.ts'
import { RECORDED } from './recorded-reply.ts'

const SERVERS = ['a', 'b', 'c', 'd'] as const
const event = fc.oneof(
  fc.record({ server: fc.constantFrom(...SERVERS), state: fc.constantFrom('ready', 'drain', 'maint') }),
  fc.constant('reload' as const),
  fc.constant('nothing' as const),
)

const bedOf = (): BalancerBed =>
  new BalancerBed({
    name: 'web',
    servers: serversNamed(...SERVERS),
    check: { path: '/', interMs: 1_000, rise: 2, fall: 3 },
  })

const answersOf = ({ balancer }: BalancerBed): readonly string[] =>
  splitAnswers(balancer.answer(READ_SERVERS.join('; ')), READ_SERVERS.length)

test('tables that are read again and again are what they are to somebody who reads them for the first time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(event, fc.integer({ min: 0, max: 3_000 })), { maxLength: 8 }),
      async (events) => {
        const bed = bedOf()
        const memo = new TableMemo()
        for (const [what, passMs] of events) {
          if (what === 'reload') bed.balancer.reload()
          else if (what !== 'nothing') bed.balancer.answer(`set server web/${what.server} state ${what.state}`)
          await bed.time.advance(passMs)
          const answers = answersOf(bed)
          assert.deepEqual(parseTables(answers, memo), parseTables(answers))
        }
      },
    ),
    { numRuns: 30 },
  )
})

test('a server of which nothing is told anew keeps its row, and a list of such servers is the same list', async () => {
  const bed = bedOf()
  const memo = new TableMemo()
  await bed.time.advance(4_500)
  const first = parseTables(answersOf(bed), memo).rows
  // Seconds go by in columns that nobody reads.
  await bed.time.advance(1_000)
  assert.equal(parseTables(answersOf(bed), memo).rows, first)
  bed.balancer.answer('set server web/b state drain')
  const second = parseTables(answersOf(bed), memo).rows
  assert.deepEqual(
    second.map((row, i) => row === first[i]),
    [true, false, true, true],
  )
})

test('a server that takes the place of another in the table is not taken for it', () => {
  const memo = new TableMemo()
  const info = RECORDED.info.join('\n')
  const turned = (lines: readonly string[], head: number): string =>
    [...lines.slice(0, head), ...lines.slice(head).toReversed()].join('\n')
  parseTables([info, RECORDED.states.join('\n'), RECORDED.stats.join('\n')], memo)
  const answers = [info, turned(RECORDED.states, 2), turned(RECORDED.stats, 1)]
  assert.deepEqual(parseTables(answers, memo), parseTables(answers))
  assert.deepEqual(
    parseTables(answers, memo).rows.map(({ key }) => key),
    ['web/b', 'web/a'],
  )
})

test('a table that names its columns otherwise, as after an upgrade, is read by those names, though no line changed', () => {
  const memo = new TableMemo()
  const info = RECORDED.info.join('\n')
  const [states, stats] = [RECORDED.states.join('\n'), RECORDED.stats.join('\n')]
  parseTables([info, states, stats], memo)
  const swapped = stats.replace('scur,smax,stot', 'stot,smax,scur').replace('scur,stot', 'stot,scur')
  const answers = [info, states.replace('srv_uweight srv_iweight', 'srv_iweight srv_uweight'), swapped]
  assert.deepEqual(parseTables(answers, memo), parseTables(answers))
  assert.deepEqual(
    parseTables(answers, memo).rows.map(({ stat }) => [stat.currentSessions, stat.totalSessions]),
    [
      [17, 1],
      [9, 2],
    ],
  )
})

test('a table whose lines cannot be parted by their ends is not taken for the last one that could, however often it comes', () => {
  const memo = new TableMemo()
  const answersOf = (stats: string): readonly string[] => [RECORDED.info.join('\n'), RECORDED.states.join('\n'), stats]
  parseTables(answersOf(RECORDED.stats.join('\n')), memo)
  const broken = RECORDED.stats.join('\n').replace('and more', 'and\nmore').replace('web,b,0,0,2', 'web,b,0,0,7')
  for (const _again of [1, 2, 3]) {
    assert.deepEqual(
      parseTables(answersOf(broken), memo).rows.map(({ stat }) => stat.currentSessions),
      [1, 7],
    )
  }
  assert.deepEqual(
    parseTables(answersOf(RECORDED.stats.join('\n')), memo).rows.map(({ stat }) => stat.currentSessions),
    [1, 2],
  )
})

test('a line end inside quotes ends no row', () => {
  const stats = RECORDED.stats.join('\n').replace('and more', 'and\nmore')
  assert.deepEqual(
    parseStat(stats).map(({ server, currentSessions }) => [server, currentSessions]),
    [
      ['a', 1],
      ['b', 2],
    ],
  )
})
