import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import { nodeServers } from '../../../src/service/decide/node-servers.ts'
import { placeState } from '../../../src/service/decide/place-state.ts'
import {
  ASKED,
  agents,
  anEndpoint,
  confirmed,
  endpointRecord,
  endpointSpec,
  noticedSince,
  OTHERS,
} from '../../support/endpoint-world.ts'
import { anInstance, aRecord, aServer, aSnapshot, detachedEvidence } from '../../support/roll-world.ts'

type World = NonNullable<Parameters<typeof aSnapshot>[0]>
const stateIn = (world: World): readonly string[] => {
  const s = serviceOf(aSnapshot(world))
  return nodeServers(s).map((place) => placeState(s, place))
}

const OUT = { adminState: 'drain' } as const
const record = aRecord()

const SERVERS: readonly (readonly [state: string, title: string, world: World])[] = [
  ['in', 'is ready and up', { servers: [aServer('n1')] }],
  ['returning', 'is ready and not up yet', { servers: [aServer('n1', { operational: 'down' })] }],
  ['leaving', 'is out, and no look has confirmed it', { servers: [aServer('n1', OUT)] }],
  ['out', 'is confirmed and idle', { servers: [aServer('n1', OUT)], evidence: detachedEvidence() }],
  [
    'leaving',
    'has sessions left',
    { servers: [aServer('n1', { ...OUT, currentSessions: 1 })], evidence: detachedEvidence() },
  ],
  [
    'leaving',
    'was confirmed by a process before',
    { servers: [aServer('n1', OUT)], evidence: detachedEvidence({ process: '99' }) },
  ],
  [
    'in',
    'is drained, while cookies still send clients to it',
    { servers: [aServer('n1', { ...OUT, persistent: true })] },
  ],
  [
    'returning',
    'is drained and down, though cookies would send clients to it',
    { servers: [aServer('n1', { ...OUT, persistent: true, operational: 'down' })] },
  ],
  ['unknown', 'is not listed', { servers: [] }],
  [
    'unknown',
    'is of an instance that is silent',
    { change: { instances: [anInstance([aServer('n1')], { silentForMs: 1 })] } },
  ],
]

for (const [state, title, world] of SERVERS) {
  test(`a server that ${title} counts as ${state}`, () => assert.deepEqual(stateIn({ ...world, record }), [state]))
}

const asked = (n1 = anEndpoint('n1', { answer: 'down', acknowledged: ['a1'] }, { ownState: 'drain' })): World => ({
  node: ASKED,
  record: endpointRecord(),
  change: { spec: endpointSpec(), instances: agents([n1, ...OTHERS]) },
})
const noticed = { ...confirmed, ...noticedSince('out', 990_000) }
const busy = anEndpoint('n1', { answer: 'down', acknowledged: ['a1'], connections: 2 }, { ownState: 'drain' })

const AGENTS: readonly (readonly [state: string, title: string, world: World])[] = [
  ['returning', 'answers up, which no balancer has noticed yet', asked(anEndpoint('n1'))],
  ['in', 'answers up, and was noticed', { ...asked(anEndpoint('n1')), evidence: noticedSince('in', 990_000) }],
  ['leaving', 'refuses, which no balancer has noticed yet', { ...asked(), evidence: confirmed }],
  ['out', 'refuses, was noticed, and has no connection left', { ...asked(), evidence: noticed }],
  ['leaving', 'refuses, was noticed, and has connections left', { ...asked(busy), evidence: noticed }],
]

for (const [state, title, world] of AGENTS) {
  test(`a node whose agent ${title} counts as ${state}`, () => assert.deepEqual(stateIn(world), [state]))
}
