import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../../../src/ground/model/time.ts'
import { parseTables } from '../../../../../src/service/actuators/haproxy/io/parse-tables.ts'
import { PartialReading, type Whole } from '../../../../../src/service/actuators/haproxy/io/partial-reading.ts'
import { readingsOf } from '../../../../../src/service/actuators/haproxy/io/server-reading.ts'
import type { ServerRef } from '../../../../../src/service/model/balancer.ts'
import { RECORDED } from './recorded-reply.ts'

const INFO = RECORDED.info.join('\n')
const [HEADER = '', ROW_A = '', ROW_B = ''] = RECORDED.stats

function whole(): Whole {
  const tables = parseTables([INFO, RECORDED.states.join('\n'), RECORDED.stats.join('\n')])
  const raw = { instance: 'lb-1', tables, stickTables: new Set<string>() }
  const { process, version } = tables.info
  return {
    raw,
    reading: { instance: 'lb-1', process, version, at: monoMs(1_000), servers: readingsOf(raw, 'web') },
  }
}

const ref = (server: string, backend = 'web'): ServerRef => ({ instance: 'lb-1', backend, server })

/** What a look at `b` makes of these answers. */
function lookedAtB(row = ROW_B, info = INFO) {
  const look = PartialReading.at(whole(), [ref('b')])
  assert.ok(look !== undefined)
  return look.read([info, `${HEADER}\n${row}`], monoMs(1_200))
}

test('each server is asked for by the ids that the whole reading gave it, behind the question who answers', () => {
  assert.deepEqual(PartialReading.at(whole(), [ref('b'), ref('a')])?.commands, [
    'show info',
    'show stat 3 4 2',
    'show stat 3 4 1',
  ])
  assert.deepEqual(PartialReading.at(whole(), [])?.commands, ['show info'])
})

test('a server that the whole reading does not list cannot be looked at, nor can very many', () => {
  assert.equal(PartialReading.at(whole(), [ref('a'), ref('gone')]), undefined)
  assert.equal(PartialReading.at(whole(), [ref('a', 'other')]), undefined)
  assert.equal(
    PartialReading.at(
      whole(),
      Array.from({ length: 65 }, () => ref('a')),
    ),
    undefined,
  )
})

test('counters are those of now, and all else is as it was read', () => {
  const now = lookedAtB(ROW_B.replace('web,b,0,0,2,9', 'web,b,1,0,5,30'))
  const [a, b] = whole().reading.servers
  assert.deepEqual(now?.reading.servers, [a, { ...b, queued: 1, currentSessions: 5, totalSessions: 30 }])
  assert.deepEqual([now?.reading.at, now?.reading.process], [1_200, whole().reading.process])
})

test('the next look goes by what the last one saw', () => {
  const first = lookedAtB(ROW_B.replace('web,b,0,0,2,9', 'web,b,0,0,0,9'))
  const next = first && PartialReading.at(first, [ref('a')])
  const read = next?.read([INFO, `${HEADER}\n${ROW_A}`], monoMs(1_400))
  assert.deepEqual(
    read?.reading.servers.map(({ currentSessions }) => currentSessions),
    [1, 0],
  )
})

test('a check that begins is no other state, and one that ends otherwise is', () => {
  assert.ok(lookedAtB(ROW_B.replace('* L4OK', 'L4OK')) !== undefined)
  assert.equal(lookedAtB(ROW_B.replace('* L4OK', 'L4CON')), undefined)
  assert.equal(lookedAtB(ROW_B.replace('* L4OK,,,2,3,4', '* L4OK,,,2,3,3')), undefined)
})

for (const [what, row] of [
  ['another state', ROW_B.replace('DRAIN', 'UP')],
  ['another address', ROW_B.replace('10.0.0.2', '10.0.0.9')],
  ['another server of these ids', ROW_B.replace('web,b', 'web,c')],
  ['another proxy of these ids', ROW_B.replace('web,b', 'shop,b')],
  ['no server of these ids', ''],
] as const) {
  test(`the whole is to be read anew where a look finds ${what}`, () => {
    if (row !== '') return assert.equal(lookedAtB(row), undefined)
    const look = PartialReading.at(whole(), [ref('b')])
    assert.equal(look?.read([INFO, HEADER], monoMs(1_200)), undefined)
  })
}

test('the whole is to be read anew where another process answers, or one that ends', () => {
  assert.equal(lookedAtB(ROW_B, INFO.replace('Pid: 4711', 'Pid: 4712')), undefined)
  assert.equal(lookedAtB(ROW_B, INFO.replace('Start_time_sec: 1795249160', 'Start_time_sec: 1795249161')), undefined)
  assert.equal(lookedAtB(ROW_B, INFO.replace('Stopping: 0', 'Stopping: 1')), undefined)
})

test('an answer that is no table is an error', () => {
  const look = PartialReading.at(whole(), [ref('b')])
  assert.throws(() => look?.read([INFO, 'what?'], monoMs(1_200)), { code: 'BALANCER_REPLY' })
})
