import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { explainNode } from '../../../src/guard/decide/from-status/explain-node.ts'
import { clearText, type Hold } from '../../../src/guard/model/holds/hold-kinds.ts'
import { readGuard } from './read-guard.ts'

const NOW = wallMs(Date.parse('2026-01-01T12:00:00Z'))
const at = '2026-01-01T11:59:00.000Z'
const held = { name: 'n1', state: 'Held', requestedAt: at }
const free = { name: 'n1', labels: { disk: 'ssd' }, taints: [], unschedulable: false }
const cordoned = { ...free, taints: [], unschedulable: true }
const bySsd = { spec: { follow: { nodeSelector: { disk: 'ssd' } } }, status: { desiredNodes: 5 } }
const byHdd = { ...bySsd, spec: { follow: { nodeSelector: { disk: 'hdd' } } } }

type Row = readonly [
  title: string,
  said: Parameters<typeof readGuard>[0],
  node: Parameters<typeof explainNode>[1],
  state: string,
  ...steps: readonly string[],
]

const ROWS: readonly Row[] = [
  [
    'it is held, and nothing is granted',
    { status: { desiredNodes: 5, nodes: [held] } },
    cordoned,
    'Held',
    'guard shut: it has a guard, and the budget over it is closed',
    'asks open: it asks to be drained: it is cordoned, since 2026-01-01T11:59:00Z',
    'queue open: no other node of storage waits',
    'grant open: storage has granted no node; of all guards of group default one node is granted at a time',
  ],
  [
    'another node has the grant, and a third one asked before',
    {
      status: {
        desiredNodes: 5,
        grantedNode: 'n3',
        nodes: [
          { ...held, state: 'Requested' },
          { name: 'n2', state: 'Held', requestedAt: '2026-01-01T11:00:00Z' },
        ],
      },
    },
    cordoned,
    'Requested',
    'guard shut: it has a guard, and the budget over it is closed',
    'asks open: it asks to be drained: it is cordoned, since 2026-01-01T11:59:00Z',
    'queue shut: it is number 2 of 2 nodes of storage that wait, after n2; nodes that are held are passed over',
    'grant shut: n3 has the grant, and one node of group default has it at a time',
  ],
  [
    'it is granted',
    { status: { desiredNodes: 5, grantedNode: 'n1', nodes: [{ ...held, state: 'Granted' }] } },
    { ...free, lifecycle: ['DrainInProgress'] },
    'Granted',
    'guard shut: it has a guard, and the budget over it is open',
    'asks open: it asks to be drained: it has the condition DrainInProgress, since 2026-01-01T11:59:00Z',
    'grant open: it has the grant of its group',
  ],
  [
    'its guard was evicted',
    { status: { desiredNodes: 5, grantedNode: 'n1', nodes: [{ name: 'n1', state: 'Draining' }] } },
    cordoned,
    'Draining',
    'guard open: its guard was evicted',
    'asks open: it asks to be drained: it is cordoned',
    'grant open: it has the grant of its group',
  ],
  [
    'its guard was deleted, and it is not cordoned',
    { status: { desiredNodes: 5, nodes: [{ ...held, state: 'Degraded' }] } },
    free,
    'Degraded',
    'guard shut: its guard is missing or not ready',
    'asks open: it asks to be drained, since 2026-01-01T11:59:00Z, and is not cordoned at this moment',
    'grant open: storage has granted no node; of all guards of group default one node is granted at a time',
  ],
  [
    'nothing is wanted of it',
    bySsd,
    free,
    'Armed',
    'guard shut: it has a guard, and the budget over it is closed',
    'asks shut: it does not ask to be drained: it is not cordoned',
  ],
  [
    'it has other labels',
    byHdd,
    free,
    'NotListed',
    'guard open: it does not have the labels disk=hdd, so storage does not guard it',
    'asks shut: it does not ask to be drained: it is not cordoned',
  ],
  [
    'which nodes a DaemonSet has is not read',
    { status: { desiredNodes: 5 } },
    free,
    'NotListed',
    'guard unknown: storage does not list it: it is Armed if it is a node of DaemonSet storage-node, else it has no guard',
    'asks shut: it does not ask to be drained: it is not cordoned',
  ],
  [
    'more nodes than the status lists are not Armed',
    { ...bySsd, status: { desiredNodes: 500, truncated: true, nodes: [{ name: 'n2', state: 'Held' }] } },
    free,
    'NotListed',
    'guard unknown: storage lists 1 nodes, and more are not Armed',
    'asks shut: it does not ask to be drained: it is not cordoned',
  ],
  [
    'there is no node to guard',
    { status: { desiredNodes: 0 } },
    cordoned,
    'NotListed',
    'guard open: storage guards no node',
    'asks open: it asks to be drained: it is cordoned',
  ],
]

for (const [title, said, node, state, ...steps] of ROWS) {
  test(`what stands before the eviction of a node: ${title}`, () => {
    const explained = explainNode(readGuard(said), node, NOW)
    assert.equal(explained.state, state)
    assert.deepEqual(
      explained.steps.map(({ about, is, text }) => `${about} ${is}: ${text}`),
      steps,
    )
  })
}

test('entries of persons that are over stand before nothing', () => {
  const entries = [
    { node: 'n1', by: 'alice', until: '2026-01-01T11:00:00Z' },
    { node: 'n1', by: 'bob', until: '2026-01-01T13:00:00Z' },
    { node: 'n2', by: 'carol', until: '2026-01-01T13:00:00Z' },
  ]
  const text = JSON.stringify(entries)
  const annotations = { 'evenkeel.dev/guard-holds': text, 'evenkeel.dev/guard-releases': text }
  const { heldByHand, releases } = explainNode(readGuard({ annotations }), cordoned, NOW)
  assert.deepEqual([heldByHand, releases], [[entries[1]], [entries[1]]])
})

test('a release that ends too late to have an effect is none', () => {
  const entry = { node: 'n1', by: 'alice', until: '2026-01-03T00:00:00Z' }
  const annotations = { 'evenkeel.dev/guard-releases': JSON.stringify([entry]) }
  assert.deepEqual(explainNode(readGuard({ annotations }), cordoned, NOW).releases, [])
})

const HOLDS: readonly (readonly [hold: Hold, text: string])[] = [
  [{ name: 'a', kind: 'volumes', drivers: [] }, 'clear when no volume is attached to n1'],
  [{ name: 'a', kind: 'volumes', drivers: ['x', 'y'] }, 'clear when no volume of x or y is attached to n1'],
  [{ name: 'a', kind: 'pods', selector: { app: 'db' } }, 'clear when no pod app=db of any namespace is on n1'],
  [
    { name: 'a', kind: 'pods', namespace: 'data', selector: { app: 'db', tier: 'hot' } },
    'clear when no pod app=db,tier=hot of namespace data is on n1',
  ],
  [
    { name: 'a', kind: 'http', url: 'http://{address}:9500/drain/{node}', timeoutMs: 5_000 },
    'clear when GET http://{address}:9500/drain/n1 answers 2xx',
  ],
  [
    { name: 'a', kind: 'http', url: 'http://db/{node}', jsonPath: '$.status', equals: 'green', timeoutMs: 5_000 },
    'clear when GET http://db/n1 answers 2xx with green at $.status',
  ],
  [
    {
      ...{ name: 'a', kind: 'object', group: 'ceph.rook.io', version: 'v1', resource: 'cephclusters' },
      ...{ namespace: 'rook-ceph', object: 'rook-ceph', clearWhen: "object.status.ceph.health == 'HEALTH_OK'" },
    },
    "clear when object.status.ceph.health == 'HEALTH_OK', of cephclusters.ceph.rook.io rook-ceph/rook-ceph",
  ],
  [
    { name: 'a', kind: 'object', group: '', version: 'v1', resource: 'nodes', object: '{node}', clearWhen: 'true' },
    'clear when true, of nodes n1',
  ],
  [{ name: 'a', kind: 'annotation', key: 'x.y/busy' }, 'clear when Node n1 does not have the annotation x.y/busy'],
]

test('a hold says when it is clear', () => {
  for (const [hold, text] of HOLDS) assert.equal(clearText(hold, 'n1'), text)
})
