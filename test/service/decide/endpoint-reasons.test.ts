import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import {
  connectionsEndOf,
  isAcknowledged,
  notAcknowledged,
  notNoticed,
  stateBefore,
} from '../../../src/service/actuators/agent/agent-word.ts'
import { asAsked } from '../../../src/service/actuators/agent/as-asked.ts'
import { type NodeServer, nodeServers } from '../../../src/service/decide/node-servers.ts'
import { observeService } from '../../../src/service/decide/observe.ts'
import type { ServiceSnapshot } from '../../../src/service/decide/service-snapshot.ts'
import type { AdminState, ServerReading } from '../../../src/service/model/balancer.ts'
import type { EndpointReading } from '../../../src/service/model/health-endpoint.ts'
import {
  ASKED,
  agents,
  anEndpoint,
  endpointRecord,
  endpointSpec,
  KEY,
  noticedSince,
  OTHERS,
  REQUEST,
} from '../../support/endpoint-world.ts'
import { aNode, anInstance, aServer, aSnapshot, aSpec } from '../../support/roll-world.ts'

interface Given {
  readonly n1?: ServerReading | undefined
  readonly word?: string
  readonly before?: AdminState
  readonly announced?: boolean
  readonly noticing?: ServiceSnapshot['evidence']['noticing']
}

function snapshot({ n1, word, before = 'ready', announced = false, noticing = {} }: Given): ServiceSnapshot {
  const record = endpointRecord({ state: before })
  const s = aSnapshot({
    node: { unschedulable: true, annotations: word === undefined ? {} : { [MAINTENANCE_ANNOTATION]: word } },
    record,
    announced,
    evidence: { noticing },
    change: { spec: endpointSpec(), instances: agents(n1 === undefined ? OTHERS : [n1, ...OTHERS]) },
  })
  return serviceOf(s)
}
function serverOf(s: ServiceSnapshot): NodeServer {
  const [server] = nodeServers(s)
  assert.ok(server)
  return server
}
const ask = <T>(given: Given, question: (s: ServiceSnapshot, server: NodeServer) => T): T => {
  const s = snapshot(given)
  return question(s, serverOf(s))
}
const down = (change: Partial<EndpointReading> = {}, state: AdminState = 'drain') =>
  anEndpoint('n1', { answer: 'down', ...change }, { ownState: state })
const plain = aServer('n1', { ref: { instance: 'edge', backend: 'nodes', server: 'n1' } })
const OF_RUN_2 = REQUEST.replace('run-1', 'run-2')
const V1 = '{"version":1,"id":"a1","run":"run-1","at":"2026-01-01T00:00:00.000Z"}'
const BESIDE = REQUEST.replace('[', '[{"owner":"person/alice","id":"disk"},')

const TAKEN: readonly (readonly [title: string, given: Given, isTaken: boolean])[] = [
  ['is not listed', { word: REQUEST }, false],
  ['has no agent', { n1: plain, word: REQUEST, before: 'drain' }, false],
  ['shows the request and refuses', { n1: down({ acknowledged: ['a1'] }), word: REQUEST }, true],
  ['shows another request', { n1: down({ acknowledged: ['a0'] }), word: REQUEST }, false],
  ['refuses and is asked for nothing', { n1: down({ acknowledged: ['a1'] }) }, false],
  ['answers up', { n1: anEndpoint('n1', { acknowledged: ['a1'] }), word: REQUEST }, false],
  ['refuses as it did before us', { n1: down(), before: 'drain' }, false],
  [
    'refuses as it did before us, and shows the request',
    { n1: down({ acknowledged: ['a1'] }), before: 'drain', word: REQUEST },
    true,
  ],
  ['shows the request of the last release', { n1: down({ acknowledged: ['a1'] }), word: V1 }, true],
  ['shows the request beside another claim', { n1: down({ acknowledged: ['disk', 'a1'] }), word: BESIDE }, true],
  [
    'shows another claim, and not yet the request beside it',
    { n1: down({ acknowledged: ['disk'] }), word: BESIDE },
    false,
  ],
  ['cannot read what stands beside the request', { n1: down({ acknowledged: ['a1'] }), word: 'until Monday' }, false],
  ['is not heard', { n1: down({ heard: false }), word: REQUEST }, false],
  ['is not heard, and its reboot is announced', { n1: down({ heard: false }), word: REQUEST, announced: true }, true],
]

for (const [title, given, isTaken] of TAKEN) {
  test(`an agent that ${title} has ${isTaken ? '' : 'not '}taken the request`, () =>
    assert.equal(ask(given, isAcknowledged), isTaken))
}

test('a node is put back to what it was, and to ready where this run still claims it', () => {
  assert.equal(ask({ n1: down() }, stateBefore), 'ready')
  assert.equal(ask({ before: 'drain' }, stateBefore), 'drain')
  assert.equal(ask({ n1: plain, before: 'drain' }, stateBefore), 'drain')
  assert.equal(ask({ n1: down(), before: 'drain', word: REQUEST }, stateBefore), 'ready')
  assert.equal(ask({ n1: down(), before: 'drain', word: BESIDE }, stateBefore), 'ready')
  assert.equal(ask({ n1: down(), before: 'drain', word: OF_RUN_2 }, stateBefore), 'drain')
  assert.equal(ask({ n1: down({}, 'ready'), before: 'drain' }, stateBefore), 'ready')
})

test('connections are waited for once load balancers have noticed, by what was counted after that', () => {
  const noticed = noticedSince('out', 950_000)
  const end = (change: Partial<EndpointReading>, given: Given = noticed) =>
    ask({ n1: down(change), ...given }, connectionsEndOf)
  const since = 950_000
  const ended = { by: 'connections', left: 0, since, at: 1_000_000 }
  assert.deepEqual(end({ connections: 0, at: monoMs(950_000) }), ended)
  assert.equal(end({ connections: 0, at: monoMs(949_999) }), undefined)
  assert.equal(end({ connections: 0 }, {}), undefined)
  assert.equal(end({ connections: 0 }, noticedSince('in', 950_000)), undefined)
  assert.equal(end({ connections: 3 }), undefined)
  assert.deepEqual(end({ connections: 0, at: monoMs(1) }, noticedSince('out', 940_000)), {
    by: 'limit',
    left: 'unknown',
    since: 940_000,
    at: 1_000_000,
  })
  assert.equal(ask({ n1: plain, ...noticed }, connectionsEndOf), undefined)
  assert.equal(ask(noticed, connectionsEndOf), undefined)
})

test('what is waited for of an agent says what it answers, and who asks', () => {
  const silent = { code: 'AgentSilent', object: 'n1', text: 'the agent of n1 does not answer' }
  assert.deepEqual(
    ask({ n1: down({ heard: false }) }, (s, server) => notAcknowledged(s, server)),
    silent,
  )
  assert.deepEqual(
    ask({ n1: plain }, (s, server) => notAcknowledged(s, server)),
    silent,
  )
  assert.deepEqual(
    ask({}, (s, server) => notAcknowledged(s, server)),
    silent,
  )
  assert.deepEqual(
    ask({ n1: down() }, (s, server) => notAcknowledged(s, server)),
    {
      code: 'RequestNotTaken',
      object: 'n1',
      text: 'the agent of n1 has not read the request yet, and answers down',
    },
  )
  const unreadable = ask({ n1: down(), word: 'until Monday' }, (s, server) => notAcknowledged(s, server))
  assert.deepEqual(
    [unreadable.code, unreadable.text],
    ['ClaimsUnreadable', 'the claims on n1 cannot be read: it is not a JSON object'],
  )
  const reasonOn = (way: 'out' | 'in') => ask({ n1: down() }, (_, server) => notNoticed(server, way))
  const goesOn = { code: 'ChecksGoOn', object: 'n1' }
  assert.deepEqual(reasonOn('out'), {
    ...goesOn,
    text: 'n1 leaves, and its load balancers may not have noticed yet',
  })
  assert.deepEqual(reasonOn('in'), {
    ...goesOn,
    text: 'n1 is back, and its load balancers may not have noticed yet',
  })
})

const OUT_BEFORE = { way: 'out', since: monoMs(7) } as const
const IN_BEFORE = { way: 'in', since: monoMs(999_990) } as const
const at = monoMs(1_000_000)

test('the balancers that check a node begin to notice when its agent answers so', () => {
  const noticing = (given: Given, before: Given['noticing'] = {}) =>
    observeService(snapshot({ ...given, noticing: before })).noticing[KEY]
  const taken = { n1: down({ acknowledged: ['a1'] }), word: REQUEST }
  assert.deepEqual(noticing(taken), { way: 'out', since: at })
  assert.equal(noticing({ n1: down(), word: REQUEST }), undefined)
  assert.deepEqual(noticing({ n1: anEndpoint('n1') }), { way: 'in', since: at })
  assert.equal(noticing({ n1: down({}, 'ready') }, { [KEY]: IN_BEFORE }), undefined)
  assert.deepEqual(noticing({ n1: anEndpoint('n1') }, { [KEY]: IN_BEFORE }), IN_BEFORE)
})

test('what was noticed stays where nothing new is heard, and a silent agent is known to be silent', () => {
  const noticing = (given: Given, before: Given['noticing'] = {}) =>
    observeService(snapshot({ ...given, noticing: before })).noticing[KEY]
  for (const n1 of [undefined, plain]) assert.deepEqual(noticing({ n1 }, { [KEY]: OUT_BEFORE }), OUT_BEFORE)
  const silent = anEndpoint('n1', { heard: false })
  assert.deepEqual(noticing({ n1: silent }, { [KEY]: OUT_BEFORE }), OUT_BEFORE)
  assert.deepEqual(noticing({ n1: silent }, { [KEY]: IN_BEFORE }), { ...IN_BEFORE, silentSince: at })
  const s = snapshot({ n1: anEndpoint('n1'), noticing: { [KEY]: OUT_BEFORE } })
  assert.deepEqual(observeService({ ...s, balancers: aSpec().balancers }).noticing[KEY], OUT_BEFORE)
  const [edge] = endpointSpec().balancers
  const [other] = aSpec().balancers
  assert.ok(edge !== undefined && other !== undefined)
  const balancers = [{ ...edge, name: 'other' }, other]
  assert.deepEqual(observeService({ ...s, balancers: aSpec({ balancers }).balancers }).noticing[KEY], OUT_BEFORE)
  assert.deepEqual(
    observeService({ ...s, balancers: aSpec({ balancers: [{ ...other, name: 'other' }] }).balancers }).noticing[KEY],
    OUT_BEFORE,
  )
})

test('only servers that an agent tells of, of nodes that are known, stand as they are asked', () => {
  const [facts] = agents([plain, anEndpoint('n2'), anEndpoint('n9')])
  assert.ok(facts)
  const seen = asAsked(facts, (name) => (name === 'n9' ? undefined : aNode(name, ASKED)))
  assert.deepEqual(
    seen.reading?.servers.map(({ ownState }) => ownState),
    ['ready', 'drain', 'ready'],
  )
  const { reading: _, ...never } = anInstance([])
  assert.equal(
    asAsked(never, () => aNode('n1', ASKED)),
    never,
  )
})
