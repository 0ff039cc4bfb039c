import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doctorChecks } from '../../../../src/explain/decide/doctor/doctor-checks.ts'
import type { DoctorSnapshot, GateFound, InstanceFound } from '../../../../src/explain/decide/doctor/doctor-snapshot.ts'
import { plainText } from '../../../../src/ground/model/sentence.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { wantedAccess } from '../../../../src/roll/decide/plan/wanted-access.ts'
import type { RollSpec } from '../../../../src/roll/model/roll-spec.ts'
import type { ServerReading } from '../../../../src/service/model/balancer.ts'
import type { InstanceInspection } from '../../../../src/service/model/balancer-inspection.ts'
import { formatRecord, RECORD_ANNOTATION } from '../../../../src/service/model/node-record.ts'
import { aNode, aRecord, aServer, aSpec } from '../../../support/roll-world.ts'

const INSPECTION: InstanceInspection = {
  instance: 'lb-1',
  process: '4711@1',
  version: '2.6.12',
  level: 'admin',
  processes: 1,
  missingBackends: [],
  disabledBackends: [],
  backends: [
    {
      name: 'web',
      mode: 'http',
      servers: [aServer('n1'), aServer('n2'), aServer('n3')],
      stickTable: false,
      redispatch: 'seen',
    },
  ],
  outside: [],
}

const OTHER_BOOT = '00000000-0000-4000-8000-000000000002'

const GOOD: DoctorSnapshot = {
  node: { version: '24.1.0', wantedMajor: 24 },
  ssh: '/usr/bin/ssh',
  stateDirectory: { is: 'found', value: '/state' },
  file: { is: 'found', value: { name: 'roll.yaml', spec: aSpec() } },
  kubeconfig: {
    is: 'found',
    value: { files: ['/kube/config'], context: { context: 'dev', server: 'https://10.0.0.5:6443', user: 'ann' } },
  },
  api: {
    is: 'found',
    value: { server: { address: '10.0.0.5', port: 6443 }, version: 'v1.34.1', aheadMs: 0 },
  },
  rights: { is: 'found', value: { wanted: 34, forbidden: [], spared: [] } },
  slot: { is: 'found', value: undefined },
  nodes: { is: 'found', value: [aNode('n1'), aNode('n2', { bootId: OTHER_BOOT })] },
  instances: [{ balancer: 'edge', instance: 'lb-1', inspection: { is: 'found', value: INSPECTION } }],
  targets: [{ name: 'shop', url: 'http://shop/', answer: { is: 'found', value: undefined } }],
}

const without = (...names: readonly (keyof DoctorSnapshot)[]): DoctorSnapshot =>
  Object.fromEntries(
    Object.entries(GOOD).filter(([name]) => !(names as readonly string[]).includes(name)),
  ) as unknown as DoctorSnapshot

const notOk = (facts: DoctorSnapshot): readonly string[] =>
  doctorChecks(facts)
    .filter(({ state }) => state !== 'ok')
    .map(({ state, name, text }) => `${state} ${name}: ${text}`)

test('where nothing is missing, each check is one line', () => {
  assert.deepEqual(
    doctorChecks(GOOD).map(({ state, name }) => `${state} ${name}`),
    [
      ...['ok Node.js', 'ok roll file', 'ok ssh', 'ok state directory', 'ok kubeconfig', 'ok API server', 'ok clock'],
      ...['ok rights', 'ok slot', 'ok nodes', 'ok leftovers', 'ok balancer edge/lb-1', 'ok probe shop'],
    ],
  )
})

const ofHosts = aSpec({ hosts: { order: 'first', pairs: [] } })
const ofSsh = aSpec({ reboot: { kind: 'ssh', command: ['reboot'], resendAfterMs: 1, returnLimitMs: 1 } as never })
const record = formatRecord(aRecord())
const down = { is: 'failed', text: 'no answer within 5 s' } as const

const SLOT = {
  index: 0,
  owner: { holder: 'another-run/1', run: 'another-run', node: 'n2' },
  isStale: false,
  renewTime: '2026-01-01T00:00:00Z',
  durationMs: 120_000,
}

/** An API server at a port of its own, as default/kubernetes tells it. */
const KUBERNETES = {
  namespace: 'default',
  name: 'kubernetes',
  serviceName: 'kubernetes',
  ports: [30080],
  endpoints: [{ addresses: ['10.0.0.1'], ready: true, serving: true, terminating: false }],
}
const chosen = (nodes: Partial<RollSpec['nodes']>): NonNullable<DoctorSnapshot['file']> => ({
  is: 'found',
  value: { name: 'roll.yaml', spec: aSpec({ nodes: { names: [], all: false, allowUnbalanced: false, ...nodes } }) },
})
const withServers = (...servers: readonly ServerReading[]): readonly InstanceFound[] => [
  {
    balancer: 'edge',
    instance: 'lb-1',
    inspection: {
      is: 'found',
      value: { ...INSPECTION, backends: INSPECTION.backends.map((backend) => ({ ...backend, servers })) },
    },
  },
]
const answered = (instance: string, onlyProcess: string): InstanceFound => ({
  balancer: 'edge',
  instance,
  inspection: { is: 'found', value: { ...INSPECTION, instance, onlyProcess } },
})

const TABLE: readonly (readonly [what: string, facts: DoctorSnapshot, expected: readonly string[]])[] = [
  [
    'an old Node.js',
    { ...GOOD, node: { version: '22.9.0', wantedMajor: 24 } },
    ['missing Node.js: this is 22.9.0, and Even Keel needs 24 or later'],
  ],
  ['the single executable', without('node'), []],
  ['no ssh, and a file that does not need it', without('ssh'), []],
  [
    'no ssh, and a file that reboots over it',
    { ...without('ssh'), file: { is: 'found', value: { name: 'roll.yaml', spec: ofSsh } } },
    ['missing ssh: there is no program ssh on PATH, and roll.yaml needs it for reboots'],
  ],
  [
    'no ssh, and a file with machines of load balancers',
    { ...without('ssh'), file: { is: 'found', value: { name: 'roll.yaml', spec: ofHosts } } },
    ['missing ssh: there is no program ssh on PATH, and roll.yaml needs it for the machines under "hosts"'],
  ],
  [
    'no ssh and no file',
    without('ssh', 'file', 'instances', 'targets'),
    [
      'warning ssh: there is no program ssh on PATH; a roll needs it only to reboot over ssh, to reach a balancer over ssh, or for machines under "hosts"',
      'skipped balancers: a roll file names the balancers: give it with -f',
      'skipped probes: a roll file names the probe targets: give it with -f',
    ],
  ],
  [
    'a run that has the slot',
    { ...GOOD, slots: { is: 'found', value: [SLOT] } },
    ['warning slot: run another-run holds slot 0 of the node budget for n2'],
  ],
  [
    'a file without a probe',
    { ...GOOD, targets: [] },
    ['missing probes: nothing measures this roll, so nothing would stop it at a failed request'],
  ],
  [
    'an API server that cannot be asked',
    { ...without('rights', 'slot', 'nodes'), api: down },
    [
      'missing API server: no answer within 5 s',
      ...['clock', 'rights', 'slot', 'nodes', 'leftovers'].map(
        (name) => `skipped ${name}: the API server cannot be queried`,
      ),
    ],
  ],
  [
    'a clock that is behind',
    {
      ...GOOD,
      api: { is: 'found', value: { server: { address: '10.0.0.5', port: 6443 }, version: 'v1.34.1', aheadMs: 7_200 } },
    },
    ['warning clock: the clock of this machine is 7 s behind that of the API server'],
  ],
  [
    'no namespace for the slots',
    { ...GOOD, slot: { is: 'found', value: { code: 'KUBE_NOT_FOUND', text: 'not found' } } },
    ['missing slot: there is no namespace evenkeel, which "slots.namespace" names for the Lease of the slot'],
  ],
  [
    'a node that is not Ready, one that is cordoned, and one that an earlier run left out',
    {
      ...GOOD,
      nodes: {
        is: 'found',
        value: [
          aNode('n1', { ready: 'False' }),
          aNode('n2', { unschedulable: true, bootId: OTHER_BOOT }),
          aNode('n3', { unschedulable: true, bootId: '', annotations: { [RECORD_ANNOTATION]: record } }),
        ],
      },
    },
    [
      'warning nodes: 3 nodes, and n1 is not Ready',
      `warning leftovers: n3 is kept out by run ${aRecord().run}`,
      'warning leftovers: n2 is cordoned and stays so after the roll',
    ],
  ],
  [
    'a socket that may not change states, one that does not answer, and one that only the cluster knows',
    {
      ...GOOD,
      instances: [
        { balancer: 'edge', instance: 'lb-1', inspection: { is: 'found', value: { ...INSPECTION, level: 'user' } } },
        { balancer: 'edge', instance: 'lb-2', inspection: down },
        { balancer: 'cloud', instance: 'cloud' },
      ],
    },
    [
      'missing balancer edge/lb-1: the runtime socket of lb-1 is of level user and is not allowed to change states',
      'missing balancer edge/lb-2: no answer within 5 s',
      'skipped balancer cloud: the API server cannot be queried',
    ],
  ],
  [
    'a name that is no node',
    { ...GOOD, file: chosen({ names: ['n1', 'n9'] }) },
    ['missing chosen nodes: there is no node n9'],
  ],
  [
    'a selector that chooses no node',
    { ...GOOD, file: chosen({ selector: { matchLabels: { pool: 'none' }, matchExpressions: [] } }) },
    ['missing chosen nodes: no node has the labels of the selector'],
  ],
  ['a file that leaves the choice to the command line', { ...GOOD, file: chosen({}) }, []],
  [
    'a backend that leads to the API server by its own word',
    { ...GOOD, slices: { is: 'found', value: [KUBERNETES] } },
    [
      'missing balancer edge/lb-1: backend web of lb-1 looks like the Kubernetes API (a server at port 30080), which is never taken out',
    ],
  ],
  [
    'a node budget that makes no sense',
    {
      ...GOOD,
      budget: {
        is: 'found',
        value: {
          ...{ namespace: 'evenkeel', name: 'evenkeel-budget', resourceVersion: '1', annotations: {} },
          data: { maxOut: 'two' },
        },
      },
    },
    [
      'missing node budget: data.maxOut of ConfigMap evenkeel/evenkeel-budget is "two"; it must be a number from 1 on, or a percentage from 1% to 100%',
    ],
  ],
  [
    'two instances that are one process',
    { ...GOOD, instances: [answered('lb-1', '4711@1 lb'), answered('lb-2', '4711@1 lb')] },
    [
      'missing balancers: lb-1 and lb-2 of balancer edge are one process of HAProxy: if there is another one, it would go on sending to nodes that are out',
    ],
  ],
  [
    'a node without which a backend has no server left',
    { ...GOOD, instances: withServers(aServer('n1'), aServer('n2', { operational: 'down' })) },
    [
      'warning balancer edge/lb-1: web/n2 on lb-1 is ready and down: its node is put back without waiting for it',
      'warning nodes in balancers: web/n1 is the last usable server of web on lb-1',
    ],
  ],
  [
    'a node without which a backend has none but a backup',
    { ...GOOD, instances: withServers(aServer('n1'), aServer('n2', { backup: true })) },
    ['missing nodes in balancers: web/n1 is the last usable server of web on lb-1'],
  ],
  [
    'a target that does not answer',
    { ...GOOD, targets: [{ name: 'shop', url: 'http://shop/', answer: down }] },
    ['missing probe shop: http://shop/: no answer within 5 s'],
  ],
  [
    'nodes that no balancer has, of one kernel',
    { ...GOOD, nodes: { is: 'found', value: ['n7', 'n8', 'n9'].map((name) => aNode(name)) } },
    [
      'missing nodes in balancers: n7 has the boot id of n8 and n9: they share a kernel, so no reboot of n7 could be seen; so it is with n8 and n9',
      'missing nodes in balancers: n7 (10.0.0.7) matches no server of any balancer, so nothing would be detached; so it is with n8 and n9',
    ],
  ],
]

for (const [what, facts, expected] of TABLE)
  test(`doctor on ${what}`, () => {
    assert.deepEqual(notOk(facts), expected)
  })

test('without any right, each object is one line with its verbs, and all have the command', () => {
  const wanted = wantedAccess('evenkeel')
  const events = { verb: 'create', group: '', resource: 'events', namespace: 'default' }
  const { slot: _, ...known } = GOOD
  const checks = doctorChecks({
    ...known,
    rights: { is: 'found', value: { wanted: 34, forbidden: wanted, spared: [events] } },
  })
  const rights = checks.filter(({ name }) => name === 'rights')
  assert.equal(rights[0]?.text, 'this identity is not allowed to list, watch, get, patch nodes')
  assert.ok(rights.length < wanted.length)
  assert.ok(rights.every(({ fix = '' }) => plainText(fix).startsWith('kubectl apply -f deploy/roll-rbac.yaml')))
  assert.deepEqual(
    rights.map(({ state }) => state),
    rights.map((_, at) => (at === rights.length - 1 ? 'warning' : 'missing')),
  )
  assert.deepEqual(
    checks.filter(({ state }) => state === 'skipped').map(({ name }) => name),
    ['slot', 'nodes', 'leftovers'],
  )
})

const ROUND = { zone: 'UTC', now: wallMs(Date.UTC(2026, 10, 27, 12)) }
const span = (fromHour: number, toHour: number) => ({
  from: wallMs(Date.UTC(2026, 10, 27, fromHour)),
  to: wallMs(Date.UTC(2026, 10, 27, toHour)),
})
const said = (kind: 'passes' | 'fails' | 'unknown', text: string): GateFound => ({
  name: 'ceph',
  node: 'n1',
  answer: { is: 'found', value: { kind, text } },
})

const WISHES: readonly (readonly [facts: Partial<DoctorSnapshot>, line: string])[] = [
  [{ window: { ...ROUND, next: span(11, 14) } }, 'ok time window: open, until Fri 2026-11-27 14:00 UTC'],
  [
    { window: { ...ROUND, next: span(22, 23) } },
    'warning time window: closed; the next one opens Fri 2026-11-27 22:00 UTC',
  ],
  [{ window: ROUND }, 'missing time window: no time window ever opens'],
  [{ gates: [said('passes', 'the value is 0')] }, 'ok gate ceph: passes for n1: the value is 0'],
  [{ gates: [said('fails', 'the value is 1')] }, 'warning gate ceph: does not pass now for n1: the value is 1'],
  [{ gates: [said('unknown', 'no answer')] }, 'missing gate ceph: checked for n1: no answer'],
  [
    { gates: [{ name: 'ceph', node: 'n1', answer: { is: 'failed', text: 'no answer within 5 s' } }] },
    'missing gate ceph: no answer within 5 s',
  ],
  [{ gates: [{ name: 'ceph', node: '' }] }, 'skipped gate ceph: no node is known to ask about'],
  [
    { receivers: [{ name: 'ops', answer: { is: 'found', value: undefined } }] },
    'ok notify ops: its secrets can be read; nothing was sent',
  ],
  [
    {
      receivers: [
        { name: 'ops', answer: { is: 'failed', text: 'the environment variable TOKEN is not set', fix: 'set it' } },
      ],
    },
    'missing notify ops: the environment variable TOKEN is not set',
  ],
  [{ programs: [{ name: 'noout' }] }, 'ok hook noout: its commands are on this machine'],
  [{ programs: [{ name: 'noout', missing: 'ce\x1bph' }] }, 'missing hook noout: there is no command ce\\x1bph here'],
  [{ silencers: [{ name: 'am', answer: { is: 'found', value: 'it answers' } }] }, 'ok silence am: it answers'],
  [
    { silencers: [{ name: 'am', answer: { is: 'failed', text: 'GET http://am/ failed' } }] },
    'missing silence am: GET http://am/ failed',
  ],
]

for (const [facts, line] of WISHES) {
  test(`what the operator asks for beside the roll: ${line}`, () => {
    const last = doctorChecks({ ...GOOD, ...facts }).at(-1)
    assert.equal(`${last?.state} ${last?.name}: ${last?.text}`, line)
    assert.equal(last?.state === 'missing', last?.fix !== undefined)
  })
}
