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
export const HOLD_CASES: Readonly<Record<string, HoldCases>> = {
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
