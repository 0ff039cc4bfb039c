import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import type { AdminState, ServerReading } from '../../../src/service/model/balancer.ts'
import type { NodeRecord } from '../../../src/service/model/node-record.ts'
import { agents, anEndpoint, endpointRecord, endpointSpec, noticedSince, OTHERS } from '../../support/endpoint-world.ts'
import { fullDecision } from '../../support/full-decision.ts'
import { settled, withPort } from '../../support/roll-stages.ts'
import { aRecord, aServer, aSnapshot } from '../../support/roll-world.ts'

/** Two servers of n1 in one backend; before the roll they were so. */
function pairBefore(states: readonly [AdminState, AdminState]): NodeRecord {
  const [server] = aRecord().servers
  assert.ok(server)
  return aRecord({
    servers: [
      { ...server, state: states[0] },
      { ...server, server: 'n1b', state: states[1] },
    ],
  })
}

const pair = (n1: Partial<ServerReading>, n1b: Partial<ServerReading>): readonly ServerReading[] => [
  aServer('n1', n1),
  aServer('n1b', { address: '10.0.0.1', ...n1b }),
  aServer('n2'),
]

const DOWN = { operational: 'down', check: 'failing', checkText: 'L4CON' } as const
const DRAIN = { adminState: 'drain', ownState: 'drain' } as const

test('a server whose check passed is put back beside one that was put back and is not up yet', () => {
  const s = aSnapshot({ ...settled, record: pairBefore(['ready', 'ready']), servers: pair(DOWN, DRAIN) })
  const decision = decide(withPort(s))
  assert.deepEqual(
    decision.kind === 'act' && decision.actions.map((action) => action.kind === 'setServer' && action.ref.server),
    ['n1b'],
  )
})

test('a server that was out before and is no longer listed gets no command, and the step waits for it', () => {
  const [n1, , n2] = pair({}, {})
  assert.ok(n1 !== undefined && n2 !== undefined)
  const s = aSnapshot({ ...settled, record: pairBefore(['ready', 'maint']), servers: [n1, n2] })
  assert.deepEqual(fullDecision(decide(withPort(s))), [
    'hold attach for 250 ms',
    'NotUpYet | web/n1b | lb-1 does not list web/n1b',
  ])
})

test('a server that is down is not back because the one that it tracks was drained once', () => {
  const servers = [aServer('n1', { ...DOWN, inherited: true }), aServer('n2')]
  const decision = decide(withPort(aSnapshot({ ...settled, servers })))
  assert.deepEqual(fullDecision(decision).slice(0, 1), ['hold attach for 250 ms'])
})

test('after the limit only the servers that are not back are named', () => {
  const evidence = { ...settled.evidence, attachingSince: monoMs(1) }
  const s = aSnapshot({ ...settled, record: pairBefore(['ready', 'ready']), servers: pair({}, DOWN), evidence })
  const reasons = judge(withPort(s))?.reasons ?? []
  assert.deepEqual(
    reasons.slice(1).map(({ code, object }) => [code, object]),
    [['NotUpYet', 'web/n1b']],
  )
})

test('after the limit a node that its balancers may not have noticed yet is said to be so, and nothing else', () => {
  const late = (noticing: object, n1: ServerReading) =>
    judge(
      aSnapshot({
        ...settled,
        record: endpointRecord(),
        evidence: { ...settled.evidence, attachingSince: monoMs(1), ...noticing },
        change: { spec: endpointSpec(), instances: agents([n1, ...OTHERS]) },
      }),
    )?.reasons.slice(1)
  const codes = (reasons: ReturnType<typeof late>) => reasons?.map(({ code }) => code)
  assert.deepEqual(codes(late({}, anEndpoint('n1'))), ['ChecksGoOn'])
  assert.deepEqual(codes(late(noticedSince('in', 5), anEndpoint('n1', { answer: 'down' }))), ['NotUpYet'])
  assert.deepEqual(codes(late({}, anEndpoint('n1', { answer: 'down' }))), ['NotUpYet'])
  assert.equal(codes(late(noticedSince('in', 5), anEndpoint('n1'))), undefined, 'it is back')
})
