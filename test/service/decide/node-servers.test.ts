import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import { haproxy } from '../../../src/service/actuators/haproxy/haproxy.ts'
import { takeOut } from '../../../src/service/decide/detach.ts'
import type { InstanceSnapshot } from '../../../src/service/decide/instance-snapshot.ts'
import { mustBeOut } from '../../../src/service/decide/keep-detached.ts'
import {
  isSilent,
  lostServers,
  type NodeServer,
  nodeServers,
  notItsAddress,
  unrecordedServers,
  wasServing,
} from '../../../src/service/decide/node-servers.ts'
import type { ServiceSnapshot } from '../../../src/service/decide/service-snapshot.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import type { RecordedServer } from '../../../src/service/model/node-record.ts'
import { anInstance, aRecord, aServer, aSnapshot } from '../../support/roll-world.ts'

const OWN: RecordedServer = {
  balancer: 'edge',
  instance: 'lb-1',
  backend: 'web',
  server: 'n1',
  address: '10.0.0.1',
  port: 30080,
  state: 'ready',
}
function snapshot(recorded: Partial<RecordedServer>, instances: readonly InstanceSnapshot[]): ServiceSnapshot {
  const record = aRecord({ servers: [{ ...OWN, ...recorded }] })
  return serviceOf(aSnapshot({ record, change: { instances } }))
}
const ref = (backend: string, server: string, instance = 'lb-1') => ({ instance, backend, server })
const at1 = { address: '10.0.0.1' }
/** Around n1 of backend web: one of another backend, one of another name. */
const LISTED = [
  aServer('n1', { ref: ref('api', 'n1'), weight: 7 }),
  aServer('n1b', { ...at1, port: 30081, weight: 8 }),
  aServer('n1', { weight: 9 }),
]
const EDGE = anInstance(LISTED)
const { reading: _, ...SILENT } = anInstance([])

/** The servers found for the record: instance by name of the balancer, and the weight by which the tests tell servers apart. */
const found = (servers: readonly NodeServer[]) =>
  servers.map(({ instance, reading }) => [`${instance.balancer}/${instance.instance}`, reading?.weight])

test('a recorded server is found by its balancer, its instance, its backend and its name', () => {
  const inner = anInstance([], { balancer: 'inner' })
  const second = anInstance([], { instance: 'lb-2' })
  const instances = [inner, second, EDGE]
  assert.deepEqual(found(nodeServers(snapshot({}, instances))), [['edge/lb-1', 9]])
  assert.deepEqual(found(nodeServers(snapshot({ server: 'n1b', port: 30081 }, instances))), [['edge/lb-1', 8]])
  assert.deepEqual(found(nodeServers(snapshot({ backend: 'api' }, [anInstance([], { backends: ['api'] })]))), [
    ['edge/lb-1', undefined],
  ])
  assert.deepEqual(found(nodeServers(snapshot({ instance: 'lb-2' }, instances))), [['edge/lb-2', undefined]])
  assert.deepEqual(found(nodeServers(snapshot({}, [SILENT]))), [['edge/lb-1', undefined]])
})

test('a recorded server that the file does not allow counts as no server of the node', () => {
  assert.deepEqual(nodeServers(snapshot({ backend: 'api' }, [EDGE])), [])
  assert.deepEqual(nodeServers(snapshot({ balancer: 'old' }, [EDGE])), [])
  assert.deepEqual(nodeServers(snapshot({ instance: 'lb-7' }, [EDGE])), [])
})

test('a server that is recorded of the node and not listed any more has no reading', () => {
  const [server] = nodeServers(snapshot({}, [anInstance([aServer('n2')])]))
  assert.equal(server !== undefined && 'reading' in server, false)
})

test('a recorded server is lost where no node has its address any more', () => {
  assert.deepEqual(lostServers(snapshot({}, [EDGE])), [])
  assert.deepEqual(lostServers(snapshot({ address: '10.0.0.3' }, [EDGE])), [])
  assert.deepEqual(found(lostServers(snapshot({ address: '10.0.0.77' }, [EDGE]))), [['edge/lb-1', undefined]])
})

/** How the servers of the node are called now, each with the recorded name whose place it has. */
const named = (recorded: readonly Partial<RecordedServer>[], servers: readonly ServerReading[]) => {
  const record = aRecord({ servers: recorded.map((change) => ({ ...OWN, ...change })) })
  const s = serviceOf(aSnapshot({ record, change: { instances: [anInstance(servers)] } }))
  return {
    known: nodeServers(s).map((server) => `${server.recorded.server} ${server.reading ? server.ref.server : 'away'}`),
    unknown: unrecordedServers(s).map(({ reading }) => reading.ref.server),
  }
}

const TWO_PORTS = [{}, { server: 'n1b', port: 30081 }]
const at1b = { ...at1, port: 30081 }

for (const [what, recorded, servers, known, unknown] of [
  ['one that a reload renamed', [{}], [aServer('s7', at1), aServer('n1', { address: '10.0.0.2' })], ['n1 s7'], []],
  ['each of two by its port', TWO_PORTS, [aServer('s8', at1b), aServer('s7', at1)], ['n1 s7', 'n1b s8'], []],
  [
    'one that is renamed beside one that is not',
    TWO_PORTS,
    [aServer('s8', at1b), aServer('n1', at1)],
    ['n1 n1', 'n1b s8'],
    [],
  ],
  [
    'the name first, whatever its port is now',
    TWO_PORTS,
    [aServer('n1', at1b), aServer('s7', at1)],
    ['n1 n1', 'n1b s7'],
    [],
  ],
  ['one that has another port besides', [{}], [aServer('s7', at1b)], ['n1 s7'], []],
  ['one beside it at the same port', [{}], [aServer('n1', at1), aServer('s7', at1)], ['n1 n1', 'n1 s7'], []],
  [
    'none beside it at another port, which is named instead',
    [{}],
    [aServer('n1', at1), aServer('s7', at1b)],
    ['n1 n1'],
    ['s7'],
  ],
  [
    'none at another port in the place of one that people had taken out',
    [{}, { server: 'old', port: 30070, state: 'maint' }],
    [aServer('n1', at1), aServer('s7', at1b)],
    ['n1 n1', 'old away'],
    ['s7'],
  ],
  ['none of another backend', [{ backend: 'api' }], [aServer('s7', at1)], [], ['s7']],
  [
    'none that may as well be one that was in another state',
    [{}, { server: 'n1b', state: 'maint' }],
    [aServer('s7', at1), aServer('s8', at1)],
    ['n1 away', 'n1b away'],
    ['s7', 's8'],
  ],
  [
    'none beside it that is out, as spare slots are',
    [{}],
    [aServer('n1', at1), aServer('s7', { ...at1, adminState: 'maint' })],
    ['n1 n1'],
    [],
  ],
] as const satisfies readonly (readonly [
  string,
  readonly Partial<RecordedServer>[],
  readonly ServerReading[],
  readonly string[],
  readonly string[],
])[]) {
  test(`of the servers that lead to a node, the record knows ${what}`, () =>
    assert.deepEqual(named(recorded, servers), { known, unknown }))
}

test('a step that a lost server holds up says which address is missing', () => {
  const s = snapshot({ address: '10.0.0.77' }, [EDGE])
  assert.deepEqual(
    lostServers(s).map((server) => notItsAddress(s, server)),
    [
      {
        code: 'ServerNotListed',
        object: 'web/n1',
        text: 'n1 no longer has the recorded address 10.0.0.77 of web/n1 on lb-1',
        next: 'give n1 that address again, or put it back by hand (docs/put-a-node-back.md)',
      },
    ],
  )
})

test('a server is taken out by drain, by maint where cookies still send, and stays in maint where it was in it', () => {
  const state = (recorded: Partial<RecordedServer>, persistent?: boolean) => {
    const s = snapshot(recorded, [anInstance(persistent === undefined ? [] : [aServer('n1', { persistent })])])
    return nodeServers(s).map((server) => haproxy.whenOut(s, server))
  }
  assert.deepEqual([state({}, false), state({}, true), state({})], [['drain'], ['maint'], ['drain']])
  assert.deepEqual([state({ state: 'maint' }, false), state({ state: 'drain' }, false)], [['maint'], ['drain']])
})

test('a server that people had drained is taken out by maint where cookies still send to it', () => {
  const server = aServer('n1', { adminState: 'drain', ownState: 'drain', persistent: true })
  const s = snapshot({ state: 'drain' }, [anInstance([server])])
  assert.deepEqual(
    nodeServers(s).map((one) => haproxy.whenOut(s, one)),
    ['maint'],
  )
})

test('an instance is silent before its first answer, and once its newest poll failed', () => {
  assert.deepEqual([isSilent(SILENT), isSilent(EDGE), isSilent({ ...EDGE, silentForMs: 1 })], [true, false, true])
})

test('a server was serving where it was ready, and up or about to be', () => {
  const serving = (change: Partial<RecordedServer>) => wasServing({ ...OWN, ...change })
  assert.deepEqual(
    [serving({}), serving({ operational: 'up' }), serving({ operational: 'starting' })],
    [true, true, true],
  )
  assert.deepEqual(
    [serving({ operational: 'down' }), serving({ operational: 'stopping' }), serving({ state: 'drain' })],
    [false, false, false],
  )
})

test('a server is taken out as what does not restore it', () => {
  const s = snapshot({}, [EDGE])
  assert.deepEqual(
    nodeServers(s).map((server) => takeOut(s, server)),
    [
      {
        kind: 'setServer',
        node: 'n1',
        balancer: 'edge',
        ref: { instance: 'lb-1', backend: 'web', server: 'n1' },
        state: 'drain',
        restores: false,
      },
    ],
  )
})

test('servers must be out until one is put back, and for good where the node is kept out', () => {
  const s = aSnapshot({ record: aRecord({ servers: [OWN] }), change: { instances: [EDGE] } })
  const backAgain = { ...s, evidence: { ...s.evidence, attachingSince: monoMs(1) } }
  const verdict = (keepOut: boolean) => ({ kind: 'stopped', keepOut, reasons: [] }) as const
  const judged = (keepOut: boolean) => ({ ...backAgain, run: { ...s.run, verdict: verdict(keepOut) } })
  const { record: _record, ...unrecorded } = s.current
  assert.deepEqual(
    [s, backAgain, judged(false), judged(true), { ...s, current: unrecorded }].map(
      (it) => mustBeOut(serviceOf(it)).length,
    ),
    [1, 0, 0, 1, 0],
  )
})
