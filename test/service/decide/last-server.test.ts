import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import { agents, anEndpoint, ASKED as CLAIMED, endpointRecord, endpointSpec } from '../../support/endpoint-world.ts'
import { cordoned } from '../../support/roll-stages.ts'
import { aServer, aSnapshot, detachedEvidence } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const SILENT = anEndpoint('n2', { heard: false, answer: 'down' })
const UP = anEndpoint('n2')

/** The agent of n1 has heard of the cordon and has n1 leave. The roll has not asked for it yet. */
const LEAVING = anEndpoint('n1', { answer: 'drain' }, { adminState: 'drain', ownState: 'ready' })
const CLOSED = anEndpoint('n1', { answer: 'down', onlyClosed: true })
const ASKED = anEndpoint('n1', { answer: 'drain', acknowledged: [] }, { adminState: 'drain', ownState: 'drain' })

/** What n1 was when it was recorded. */
const SERVED = {}
const LEFT_BEFORE = { operational: 'stopping' } as const
const CLOSED_BEFORE = { operational: 'down' } as const

type Row = readonly [
  title: string,
  recorded: Parameters<typeof endpointRecord>[0],
  servers: readonly [n1: ServerReading, n2: ServerReading],
  decision: string,
]

const TABLE: readonly Row[] = [
  ['leaves by its cordon, and the other agent is silent', SERVED, [LEAVING, SILENT], 'hold detach: LastUsableServer'],
  ['has no ingress any more, and the other agent is silent', SERVED, [CLOSED, SILENT], 'hold detach: LastUsableServer'],
  ['leaves by its cordon, and the other node serves', SERVED, [LEAVING, UP], 'act detach: askAgent'],
  ['has no ingress any more, and the other node serves', SERVED, [CLOSED, UP], 'act detach: askAgent'],
  ['was out before the roll, and the other agent is silent', LEFT_BEFORE, [LEAVING, SILENT], 'act detach: askAgent'],
  ['never had an ingress, and the other agent is silent', CLOSED_BEFORE, [CLOSED, SILENT], 'act detach: askAgent'],
  ['is asked already, and the other agent is silent', SERVED, [ASKED, SILENT], 'hold detach: RequestNotTaken'],
]

for (const [title, recorded, servers, decision] of TABLE) {
  test(`a cordoned node ${title}: ${decision}`, () => {
    const s = aSnapshot({
      node: { unschedulable: true, ...(servers[0] === ASKED ? CLAIMED : {}) },
      record: endpointRecord(recorded),
      change: { spec: endpointSpec(), instances: agents(servers) },
    })
    assert.equal(shortDecision(decide(s)), decision)
  })
}

const UNCHECKED = [aServer('n1'), aServer('n2', { check: 'failing', uncheckedYet: true })]

test('no server is taken out before a balancer that began meanwhile has checked another one', () =>
  assert.equal(shortDecision(decide(aSnapshot({ ...cordoned, servers: UNCHECKED }))), 'hold detach: OthersUnchecked'))

test('a server that was out before a reload is taken out again at once', () => {
  const evidence = detachedEvidence({ process: '99' })
  const s = aSnapshot({ ...cordoned, servers: UNCHECKED, evidence })
  assert.equal(shortDecision(decide(s)), 'act detach: setServer drain')
})
