import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import type { Pod } from '../../../src/ground/model/pod.ts'
import type { RollPlan } from '../../../src/roll/model/roll-plan.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import { chooseNode } from '../../../src/roll/run/choose-node.ts'
import { formatRecord, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { aNode, aPod, aRecord, aSnapshot, aSpec } from '../../support/roll-world.ts'

const recorded = { annotations: { [RECORD_ANNOTATION]: formatRecord(aRecord()) } }

interface Case {
  readonly nodes: readonly Node[]
  readonly pods?: readonly Pod[]
  readonly members?: RollPlan['members']
  readonly settledHere?: readonly string[]
  readonly spec?: Partial<RollSpec>
  readonly maxOut?: number
  readonly unlisted?: true
  /** The node of the roll's own pod. */
  readonly ownPod?: string
}

function parts({
  nodes,
  pods = [],
  members,
  settledHere = [],
  spec = {},
  maxOut = 3,
  unlisted,
  ownPod,
}: Case): Parameters<typeof chooseNode>[0] {
  const listing = unlisted === undefined ? {} : { unlisted: { kinds: ['pods'] } }
  const view = {
    reading: () => ({ ...aSnapshot().cluster, nodes, pods, ...listing }),
    node: (name: string) => nodes.find((node) => node.name === name),
  }
  const run = {
    id: 'run-1',
    spec: { ...aSpec(), parallel: { nodes: 2, oneZone: false }, ...spec },
    order: nodes.map(({ name }) => name),
    resumed: false,
    done: settledHere,
    settledHere,
    verdict: undefined,
    measuredSince: undefined,
    effectsBefore: {},
    ...(members === undefined ? {} : { members }),
    ...(ownPod === undefined ? {} : { ownPod: { namespace: 'evenkeel', name: 'roll-x', uid: 'u1', node: ownPod } }),
  }
  const budget = {
    facts: () => ({ limit: { kind: 'count' as const, count: maxOut }, slots: [], cordons: 'unknown' as const }),
  }
  return { run, view, budget }
}

const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/zone': name } })
const control = { labels: { 'node-role.kubernetes.io/control-plane': '' } }
const chosen = (found: ReturnType<typeof chooseNode>): string | undefined =>
  found?.kind === 'node' ? found.name : found?.kind

test('a node that bears the record of this run is under way, whichever was next', () => {
  assert.equal(chosen(chooseNode(parts({ nodes: [aNode('n1'), aNode('n2', recorded)] }))), 'n2')
})

test('a node that this process is through with is not begun again, though a cut watch still shows its record', () => {
  const nodes = [aNode('n1', recorded), aNode('n2')]
  assert.equal(chosen(chooseNode(parts({ nodes, settledHere: ['n1'] }))), 'n2')
})

const BESIDE: readonly (Case & {
  readonly title: string
  readonly beside: readonly string[]
  readonly is: string | undefined
})[] = [
  {
    title: 'the next one of the order',
    nodes: ['n1', 'n2', 'n3'].map((name) => aNode(name)),
    beside: ['n1'],
    is: 'n2',
  },
  {
    title: 'none while the budget has no room',
    nodes: [aNode('n1'), aNode('n2')],
    maxOut: 1,
    beside: ['n1'],
    is: 'later',
  },
  {
    title: 'nothing where all others are in work',
    nodes: [aNode('n1'), aNode('n2')],
    beside: ['n1', 'n2'],
    is: undefined,
  },
  {
    title: 'none before every list was read once',
    nodes: [aNode('n1'), aNode('n2')],
    unlisted: true,
    beside: ['n1'],
    is: 'later',
  },
  {
    title: 'a node of the same zone, past one of another zone',
    nodes: [aNode('n1', zone('a')), aNode('n2', zone('b')), aNode('n3', zone('a'))],
    spec: { parallel: { nodes: 2, oneZone: true } },
    beside: ['n1'],
    is: 'n3',
  },
  {
    title: 'none while only nodes of other zones are left',
    nodes: [aNode('n1', zone('a')), aNode('n2', zone('b'))],
    spec: { parallel: { nodes: 2, oneZone: true } },
    beside: ['n1'],
    is: 'later',
  },
  {
    title: 'a worker beside a control-plane node, not another control-plane node',
    nodes: [aNode('n1', control), aNode('n2', control), aNode('n3')],
    beside: ['n1'],
    is: 'n3',
  },
  {
    title: 'no control-plane node beside another one, though it may go with the worker that is in work as well',
    nodes: [aNode('n1', control), aNode('n2'), aNode('n3', control), aNode('n4')],
    spec: { parallel: { nodes: 3, oneZone: false } },
    beside: ['n1', 'n2'],
    is: 'n4',
  },
  {
    title: 'a worker beside a node with a member of etcd, not another node with a member, whatever their labels say',
    nodes: [aNode('n1'), aNode('n2'), aNode('n3')],
    pods: ['n1', 'n2'].map((node) =>
      aPod(`etcd-${node}`, node, { namespace: 'kube-system', mirror: true, labels: { component: 'etcd' } }),
    ),
    beside: ['n1'],
    is: 'n3',
  },
  {
    title: 'no node whose member the plan has seen, and whose pod is missing now',
    nodes: [aNode('n1'), aNode('n2'), aNode('n3')],
    members: { etcd: ['n1', 'n2'], 'kube-apiserver': [] },
    beside: ['n1'],
    is: 'n3',
  },
  {
    title: 'no node whose role is etcd alone beside another one',
    nodes: ['n1', 'n2'].map((name) => aNode(name, { labels: { 'node-role.kubernetes.io/etcd': 'true' } })),
    beside: ['n1'],
    is: 'later',
  },
  {
    title: 'the node of its own pod last',
    nodes: [aNode('n1'), aNode('n2'), aNode('n3')],
    ownPod: 'n2',
    beside: ['n1'],
    is: 'n3',
  },
  {
    title: 'the node of its own pod only once no other is in work',
    nodes: [aNode('n1'), aNode('n2')],
    ownPod: 'n2',
    beside: ['n1'],
    is: 'later',
  },
  {
    title: 'none beside as many as the file has together',
    nodes: [aNode('n1'), aNode('n2'), aNode('n3')],
    maxOut: 5,
    beside: ['n1', 'n2'],
    is: 'later',
  },
  {
    title: 'none while the node of its own pod is in work',
    nodes: [aNode('n1'), aNode('n2')],
    ownPod: 'n1',
    beside: ['n1'],
    is: 'later',
  },
  { title: 'none beside a node that is gone', nodes: [aNode('n2')], beside: ['n1'], is: 'later' },
]

for (const { title, beside, is, ...of } of BESIDE) {
  test(`beside a node in work, a lane begins ${title}`, () => {
    assert.equal(chosen(chooseNode(parts(of), beside)), is)
  })
}
