import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { urlFault } from '../../src/ground/model/hold-url.ts'
import { monoMs } from '../../src/ground/model/time.ts'
import { pathFault } from '../../src/ground/net/json-path.ts'
import { CelRules } from '../../src/guard/io/cel/object-rules.ts'
import { root } from '../support/repository-files.ts'

interface HoldCases {
  readonly clear: readonly unknown[]
  readonly held: readonly unknown[]
  /** What is said, and of which object. */
  readonly unknown: readonly (readonly [string, unknown])[]
}

const ceph = (health: string, ...codes: readonly string[]) => ({
  apiVersion: 'ceph.rook.io/v1',
  kind: 'CephCluster',
  metadata: { name: 'rook-ceph', namespace: 'rook-ceph' },
  status: {
    phase: 'Ready',
    state: 'Created',
    message: 'Cluster created successfully',
    ceph: {
      health,
      ...(codes.length === 0
        ? {}
        : { details: Object.fromEntries(codes.map((code) => [code, { severity: health, message: `of ${code}` }])) }),
      lastChecked: '2026-08-20T10:00:00Z',
      capacity: { bytesTotal: 3_298_534_883_328, bytesUsed: 83_886_080, bytesAvailable: 3_298_450_997_248 },
      versions: { osd: { 'ceph version 19.2.3 squid (stable)': 3 } },
    },
    storage: { deviceClasses: [{ name: 'ssd' }] },
  },
})

const longhorn = (...disks: readonly (Readonly<Record<string, number>> | null)[]) => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Node',
  metadata: { name: 'node-1', namespace: 'longhorn-system' },
  spec: { name: 'node-1', allowScheduling: true, evictionRequested: true, disks: {} },
  status: {
    autoEvicting: true,
    conditions: [{ type: 'Ready', status: 'True' }],
    diskStatus: Object.fromEntries(
      disks.map((scheduledReplica, i) => [
        `disk-${i}`,
        { diskUUID: `uuid-${i}`, scheduledReplica, storageMaximum: 100 },
      ]),
    ),
  },
})

const portworx = (phase: string) => ({
  metadata: { name: 'px-cluster', namespace: 'portworx' },
  status: { clusterName: 'px-cluster', phase, storage: { storageNodesPerZone: 3 }, version: '3.1.0' },
})

const minio = (status: object) => ({
  metadata: { name: 'store', namespace: 'minio' },
  status: { availableReplicas: 4, currentState: 'Initialized', revision: 0, pools: [], drivesOnline: 16, ...status },
})

const elastic = (status: object) => ({
  metadata: { name: 'logs', namespace: 'logging', generation: 3 },
  status: { availableNodes: 3, version: '9.1.0', observedGeneration: 3, conditions: [], ...status },
})

const postgres = (status: object) => ({
  metadata: { name: 'orders', namespace: 'data' },
  spec: { instances: 3 },
  status: { instances: 3, phase: 'Cluster in healthy state', ...status },
})
const PRIMARY = { currentPrimary: 'orders-1', targetPrimary: 'orders-1' }

const spilo = (status: object) => ({ metadata: { name: 'acid-orders', namespace: 'data' }, status })

/** By the name of the hold in docs/guard-holds.md: objects as their operators write them. */
const HOLD_CASES: Readonly<Record<string, HoldCases>> = {
  'ceph-clean': {
    clear: [ceph('HEALTH_OK')],
    held: [ceph('HEALTH_WARN', 'OSD_DOWN'), ceph('HEALTH_ERR', 'PG_AVAILABILITY')],
    unknown: [
      ['object.status.ceph is absent', { status: { phase: 'Progressing' } }],
      ['object.status is absent', { metadata: { name: 'rook-ceph' } }],
    ],
  },
  'ceph-serves': {
    clear: [
      ceph('HEALTH_OK'),
      ceph('HEALTH_WARN', 'OSD_DOWN', 'OSD_HOST_DOWN', 'OSD_FLAGS', 'PG_DEGRADED'),
      ceph('HEALTH_WARN', 'MON_DOWN'),
    ],
    held: [
      ceph('HEALTH_WARN', 'OSD_DOWN', 'PG_AVAILABILITY'),
      ceph('HEALTH_WARN', 'OSD_NEARFULL'),
      ceph('HEALTH_ERR', 'OSD_DOWN'),
    ],
    unknown: [
      ['object.status.ceph is absent', { status: { phase: 'Progressing' } }],
      ['object.status.ceph.details is absent', ceph('HEALTH_WARN')],
    ],
  },
  'longhorn-replicas': {
    clear: [longhorn({}), longhorn(null, {}), longhorn()],
    held: [longhorn({ 'pvc-1-r-1': 1_073_741_824 }), longhorn({}, { 'pvc-1-r-1': 1_073_741_824 })],
    unknown: [
      ['object.status.diskStatus is absent', { status: { conditions: [] } }],
      [
        'object.status.diskStatus[disk].scheduledReplica is absent',
        { status: { diskStatus: { 'disk-0': { diskUUID: 'uuid-0' } } } },
      ],
      [
        "Expression of type 'null' cannot be range of a comprehension (must be list, map, or dynamic), in object.status.diskStatus",
        { status: { diskStatus: null } },
      ],
    ],
  },
  'portworx-runs': {
    clear: [portworx('Running'), portworx('Online')],
    held: ['Degraded', 'Initializing', 'Uninstalling', 'Unknown'].map(portworx),
    unknown: [['object.status.phase is absent', { status: { clusterName: 'px-cluster' } }]],
  },
  'minio-whole': {
    clear: [minio({ healthStatus: 'green' }), minio({ healthStatus: 'green', drivesOffline: 0, drivesHealing: 0 })],
    held: [
      minio({ healthStatus: 'yellow' }),
      minio({ healthStatus: 'red', drivesOffline: 4 }),
      minio({ healthStatus: 'green', drivesHealing: 1 }),
      minio({ healthStatus: 'green', drivesOffline: 1 }),
    ],
    unknown: [
      ['object.status.healthStatus is absent', minio({})],
      ['object.status is absent', { metadata: { name: 'store' } }],
    ],
  },
  'elasticsearch-green': {
    clear: [elastic({ health: 'green', phase: 'Ready' })],
    held: [
      elastic({ health: 'yellow', phase: 'Ready' }),
      elastic({ health: 'green', phase: 'ApplyingChanges' }),
      elastic({ health: 'unknown', phase: 'ApplyingChanges' }),
      elastic({ health: 'red' }),
    ],
    unknown: [
      ['object.status.health is absent', elastic({ phase: 'Ready' })],
      ['object.status.phase is absent', elastic({ health: 'green' })],
    ],
  },
  'postgres-ready': {
    clear: [postgres({ ...PRIMARY, readyInstances: 3 })],
    held: [
      postgres({ ...PRIMARY, readyInstances: 2 }),
      postgres({ ...PRIMARY, targetPrimary: 'orders-2', readyInstances: 3 }),
    ],
    unknown: [
      ['object.status.readyInstances is absent', postgres(PRIMARY)],
      ['object.status.currentPrimary is absent', postgres({ readyInstances: 3 })],
    ],
  },
  'spilo-running': {
    clear: [spilo({ PostgresClusterStatus: 'Running' })],
    held: ['Updating', 'SyncFailed', 'Creating', ''].map((word) => spilo({ PostgresClusterStatus: word })),
    unknown: [['object.status.PostgresClusterStatus is absent', spilo({})]],
  },
}

interface ObjectHold {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespace?: string
  readonly name: string
  readonly clearWhen: string
}

interface Hold {
  readonly name: string
  readonly object?: ObjectHold
  readonly http?: { readonly url: string; readonly jsonPath: string; readonly equals: string }
}

interface Granted {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly rules?: readonly { apiGroups: string[]; resources: string[]; resourceNames?: string[]; verbs: string[] }[]
  readonly roleRef?: { readonly name: string }
  readonly subjects?: readonly unknown[]
}

const text = readFileSync(`${root}docs/guard-holds.md`, 'utf8')
const snippets = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = '']) => yaml)
const lists = snippets
  .filter((yaml) => yaml.includes('holds:'))
  .map((yaml) => (parse(yaml) as { spec: { holds: Hold[] } }).spec.holds)
const granted = snippets
  .filter((yaml) => yaml.includes('kind: Role'))
  .flatMap((yaml) => parseAllDocuments(yaml).map((each) => each.toJS() as Granted))
const holds = lists.flat()
const objectHolds = holds.flatMap(({ name, object }) => (object === undefined ? [] : [{ name, object }]))
const rules = new CelRules({ monoMs: () => monoMs(0) }, 10_000)

test('each expression of the page is clear, held or unknown as its program says it', () => {
  assert.deepEqual([...new Set(objectHolds.map(({ name }) => name))].toSorted(), Object.keys(HOLD_CASES).toSorted())
  for (const { name, object } of objectHolds) {
    const cases = HOLD_CASES[name]
    assert.ok(cases)
    assert.equal(rules.fault(object.clearWhen), undefined, name)
    const answer = (given: unknown) => rules.evaluate(object.clearWhen, { object: given, node: 'node-1' })
    for (const given of cases.clear)
      assert.deepEqual(answer(given), { kind: 'true' }, `${name}: ${JSON.stringify(given)}`)
    for (const given of cases.held)
      assert.deepEqual(answer(given), { kind: 'false' }, `${name}: ${JSON.stringify(given)}`)
    for (const [why, given] of cases.unknown) assert.deepEqual(answer(given), { kind: 'unknown', why }, name)
  }
})

test('each name of a hold is a DNS label and stands once in its list, and {node} stands in names and URLs alone', () => {
  for (const list of lists) {
    const names = list.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    for (const name of names) assert.match(name, /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/)
  }
  for (const { object } of objectHolds) assert.equal(JSON.stringify({ ...object, name: '' }).includes('{node}'), false)
})

test('each URL and each JSON path of the page can be used', () => {
  const asked = holds.flatMap(({ http }) => (http === undefined ? [] : [http]))
  assert.ok(asked.length > 0)
  for (const { url, jsonPath } of asked) assert.deepEqual([urlFault(url), pathFault(jsonPath)], [undefined, undefined])
})

test('each object that the page asks may be read for a hold with the Role beside it, and nothing else may', () => {
  const subjects = [{ kind: 'ServiceAccount', name: 'evenkeel-holds', namespace: 'storage' }]
  const roles = granted.filter(({ kind }) => kind === 'Role')
  for (const { name, object } of objectHolds) {
    const role = roles.find(
      ({ metadata, rules: [rule] = [] }) =>
        metadata.namespace === object.namespace &&
        rule?.apiGroups[0] === object.group &&
        rule.resources[0] === object.resource,
    )
    assert.ok(role, name)
    const byName = object.name.includes('{node}') ? {} : { resourceNames: [object.name] }
    assert.deepEqual(role.rules, [
      { apiGroups: [object.group], resources: [object.resource], ...byName, verbs: ['get'] },
    ])
    const binding = granted.find(({ kind, roleRef }) => kind === 'RoleBinding' && roleRef?.name === role.metadata.name)
    assert.equal(binding?.metadata.namespace, object.namespace)
    assert.deepEqual(binding?.subjects, subjects)
  }
  assert.equal(granted.length, 2 * roles.length)
})

test('the page says the limits as they are', () => {
  for (const limit of ['2,000 characters', '300, 40', '8,192 characters', '2 MiB, 64 levels', '250 ms'])
    assert.ok(text.includes(limit), limit)
  assert.equal(rules.fault('object.a + object.b + object.c + object.d == 1'), undefined)
  assert.match(rules.fault(`true${' '.repeat(2_000)}`) ?? '', /longer than 2000/)
  const listed = /Usable functions: (.*?)\. `has\(\)`/s.exec(text)?.[1] ?? ''
  for (const [, name = ''] of listed.matchAll(/`(\w+)`/g))
    if (name !== 'get')
      assert.doesNotMatch(rules.fault(`object.a.${name}(object.b)`) ?? '', /cannot be used here/, name)
})
