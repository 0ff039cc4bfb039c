import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseStat } from '../../../../../src/service/actuators/haproxy/io/parse-stat.ts'
import { parseTables } from '../../../../../src/service/actuators/haproxy/io/parse-tables.ts'
import { readingsOf } from '../../../../../src/service/actuators/haproxy/io/server-reading.ts'
import type { ServerReading } from '../../../../../src/service/model/balancer.ts'
import { RECORDED } from './recorded-reply.ts'

type Change = readonly [old: string, other: string]

/** The recorded tables with some text replaced. */
const answersWith = (...changes: readonly Change[]): readonly string[] =>
  [RECORDED.info, RECORDED.states, RECORDED.stats].map((lines) =>
    changes.reduce((text, [old, other]) => text.replace(old, other), lines.join('\n')),
  )

const read = (...changes: readonly Change[]): readonly ServerReading[] =>
  readingsOf({ instance: 'lb-1', tables: parseTables(answersWith(...changes)), stickTables: new Set() }, 'web')

const A_STATE = '3 web 1 a 10.0.0.1 2 0 1 1 9 15 3 4 6 0 0'
const A_CHECK = 'L7OK,200,,2,3,4'

test('an agent-check is seen by the state of the server, and by its statistics', () => {
  const agents = (...changes: readonly Change[]) => read(...changes).map(({ agent }) => agent)
  assert.deepEqual(agents(), [false, false])
  assert.deepEqual(agents([A_STATE, '3 web 1 a 10.0.0.1 2 0 1 1 9 15 3 4 6 2 0']), [true, false])
  assert.deepEqual(agents([A_CHECK, 'L7OK,200,L4OK,2,3,4']), [true, false])
})

test('a server that only one of both tables knows voids the answer', () => {
  const [, stateOfB = ''] = RECORDED.states.slice(2)
  const [, statOfB = ''] = RECORDED.stats.slice(1)
  assert.throws(() => read([`\n${stateOfB}`, '']), { code: 'BALANCER_REPLY' })
  assert.throws(() => read([`\n${statOfB}`, '']), { code: 'BALANCER_REPLY' })
})

test('a socket that keeps addresses back is not taken for servers without cookies', () => {
  assert.throws(() => read(['10.0.0.1:80', '']), { code: 'BALANCER_PERMISSION' })
})

test('a server that follows one that is not there, or itself, does not pass its check', () => {
  const checks = (tracked: string): readonly string[] =>
    read(['UP,1,0,,2', `UP,1,0,${tracked},2`]).map(({ check, checkText }) => `${check} ${checkText}`)
  assert.equal(checks('web/gone')[0], 'failing follows web/gone')
  assert.match(checks('web/a')[0] ?? '', /\(web\/a, web\/a\)$/)
})

test('pooled connections are those of both pools', () => {
  const [first] = read(
    ['cookie,mode,', 'cookie,mode,idle_conn_cur,safe_conn_cur,'],
    ['10.0.0.1:80,,http,', '10.0.0.1:80,,http,2,3,'],
    ['10.0.0.2:80,,http,', '10.0.0.2:80,,http,0,0,'],
  )
  assert.equal(first?.idleConnections, 5)
})

test('servers are reported in the order of the tables', () => {
  const [, stateOfB = ''] = RECORDED.states.slice(2)
  const [, statOfB = ''] = RECORDED.stats.slice(1)
  const added = answersWith(
    [stateOfB, `${stateOfB}\n${stateOfB.replace('web 2 b 10.0.0.2', 'web 3 c 10.0.0.3')}`],
    [statOfB, `${statOfB}\n${statOfB.replace('web,b', 'web,c')}`],
  )
  assert.deepEqual(
    parseTables(added).rows.map(({ key }) => key),
    ['web/a', 'web/b', 'web/c'],
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
