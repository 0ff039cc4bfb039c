import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Node } from '../../../../src/ground/model/node.ts'
import { plainText } from '../../../../src/ground/model/sentence.ts'
import { monoMs } from '../../../../src/ground/model/time.ts'
import { budgetNode } from '../../../../src/service/decide/budget/budget-node.ts'
import type { BudgetSnapshot } from '../../../../src/service/decide/budget/snapshot.ts'
import { whoIsOut } from '../../../../src/service/decide/budget/who-is-out.ts'
import type { ServerReading } from '../../../../src/service/model/balancer.ts'
import type { EndpointReading } from '../../../../src/service/model/health-endpoint.ts'
import { aNode, anInstance, aRecord, aServer } from '../../../support/roll-world.ts'

type Change = Partial<Omit<BudgetSnapshot, 'nodes'>>

const snapshot = (nodes: readonly Node[], change: Change = {}): BudgetSnapshot => ({
  nodes: nodes.map(budgetNode),
  places: [anInstance(['n1', 'n2', 'n3'].map((name) => aServer(name)))],
  cordons: 'unknown',
  slots: [],
  returning: new Set(),
  ...change,
})

const said = (s: BudgetSnapshot): readonly string[] =>
  whoIsOut(s).map(({ node, why }) => [node, ...why.map(({ text }) => text)].join(': '))

const of = (node: Partial<Node>, change: Change = {}): readonly string[] => said(snapshot([aNode('n1', node)], change))

const servers = (...changes: readonly Partial<ServerReading>[]): Change => ({
  places: [
    anInstance(
      changes.map((change, i) =>
        aServer('n1', { ref: { instance: 'lb-1', backend: `b${i}`, server: 'n1' }, ...change }),
      ),
      { backends: changes.map((_, i) => `b${i}`) },
    ),
  ],
})

const down: Partial<ServerReading> = { operational: 'down', check: 'failing', checkText: 'L7STS/503' }
const request = JSON.stringify({ version: 1, id: 'a1', run: '20260101T000000Z-abcd', at: '2026-01-01T00:00:00Z' })
const up = {
  at: monoMs(0),
  heard: true,
  answer: 'up',
  onlyClosed: false,
  acknowledged: [],
  connections: 0,
  polls: {},
} as const
const granted = { version: 1, granted: ['n1', 'n9'], max: 2, of: 4 } as const

for (const [what, node, change, want] of [
  ['a node that serves', {}, {}, []],
  ['one that is not Ready', { ready: 'Unknown' }, {}, ['n1: is not Ready (Ready is Unknown)']],
  [
    'one that bears a record',
    { annotations: { 'evenkeel.dev/record': '{}' } },
    {},
    ['n1: has a record that cannot be read'],
  ],
  [
    'one that bears the record of a run',
    { annotations: { 'evenkeel.dev/record': JSON.stringify(aRecord()) } },
    {},
    ['n1: has the record of run run-1'],
  ],
  [
    'one whose maintenance is asked for',
    { annotations: { 'evenkeel.dev/maintenance': request } },
    {},
    ['n1: is claimed by roll/20260101T000000Z-abcd'],
  ],
  [
    'one whose maintenance is asked for in words that cannot be read',
    { annotations: { 'evenkeel.dev/maintenance': '{'.repeat(5000) } },
    {},
    ['n1: is claimed by an annotation that cannot be read'],
  ],
  ['one whose request was withdrawn', { annotations: { 'evenkeel.dev/maintenance': 'withdrawn' } }, {}, []],
  ['one that is cordoned, where nothing goes by cordons', { unschedulable: true }, {}, []],
  ['one that is cordoned and not granted', { unschedulable: true }, { cordons: { ...granted, granted: ['n2'] } }, []],
  ['one that is granted and not cordoned', {}, { cordons: granted }, []],
  [
    'one that is cordoned and granted',
    { unschedulable: true },
    { cordons: granted },
    ['n1: is cordoned, and its cordon is granted'],
  ],
  [
    'one that is cordoned where agents go by cordons and there is no brake',
    { unschedulable: true },
    { ...servers({ endpoint: up }), cordons: 'noBrake' },
    ['n1: is cordoned, and no brake holds that back'],
  ],
  ['one that is cordoned, has no agent, and there is no brake', { unschedulable: true }, { cordons: 'noBrake' }, []],
  ['one that is detached', {}, servers({ adminState: 'drain' }), ['n1: is detached from every balancer']],
  ['one that is detached in one backend of two', {}, servers({ adminState: 'drain' }, {}), []],
  [
    'one that is down by its checks',
    {},
    servers(down),
    ['n1: is down by the checks of every balancer that sends to it'],
  ],
  ['one that is down by the checks of one backend of two', {}, servers(down, {}), []],
  [
    'one that its checks have leave, by a status of 404',
    {},
    servers({ operational: 'stopping', checkText: 'L7OKC/404' }),
    ['n1: is down by the checks of every balancer that sends to it'],
  ],
  [
    'one that is detached in one backend and down in the other',
    {},
    servers({ adminState: 'maint' }, down),
    ['n1: is down by the checks of every balancer that sends to it'],
  ],
  ['one that was never sent anything, since it has no ingress', {}, servers({ ...down, totalSessions: 0 }), []],
  [
    'one that was sent nothing since the balancer was reloaded, and served before',
    {},
    servers({ ...down, totalSessions: 0, servedBefore: true }),
    ['n1: is down by the checks of every balancer that sends to it'],
  ],
  ['one that serves in one backend and never did in another', {}, servers({ ...down, totalSessions: 0 }, {}), []],
  [
    'one that is down where it served, and never served elsewhere',
    {},
    servers({ ...down, totalSessions: 0 }, down),
    ['n1: is down by the checks of every balancer that sends to it'],
  ],
  [
    'one that people took out by weight 0 in one backend, and by drain in the other',
    {},
    servers({ weight: 0 }, { adminState: 'drain' }),
    ['n1: is detached from every balancer'],
  ],
  ['one that has weight 0 in one backend of two', {}, servers({ weight: 0 }, {}), []],
  ['one that has weight 0 and was never sent anything', {}, servers({ weight: 0, totalSessions: 0 }), []],
  ['one that comes up slowly', {}, servers({ operational: 'starting' }), []],
  ['one before its first check', {}, servers({ check: 'failing', checkText: 'INI' }), []],
  ['one that no balancer knows', {}, { places: [anInstance([])] }, []],
  ['one that is being deleted', { deleting: true }, {}, ['n1: is being deleted']],
  [
    'one whose condition says that it leaves',
    { lifecycle: ['DrainInProgress'] },
    {},
    ['n1: is leaving: its condition DrainInProgress is True'],
  ],
  [
    'one that the autoscaler removes',
    { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] },
    {},
    ['n1: is to be removed: it is tainted with ToBeDeletedByClusterAutoscaler'],
  ],
  [
    'one whose label keeps it out, where agents go by that',
    { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } },
    { ...servers({ endpoint: up }), cordons: granted },
    ['n1: has the label that keeps it out of load balancers'],
  ],
  [
    'one whose label keeps it out, where no agent goes by that',
    { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } },
    { cordons: 'noBrake' },
    [],
  ],
  [
    'a control plane that bears the same label for good and serves, where no agent goes by that and there is a brake',
    { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } },
    { cordons: granted },
    [],
  ],
  [
    'a control plane that bears the same label and never served, where there is a brake',
    { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } },
    { ...servers({ ...down, totalSessions: 0 }), cordons: granted },
    [],
  ],
  [
    'a control plane that bears the same label and is in no balancer',
    { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' }, internalAddresses: ['10.9.9.9'] },
    { cordons: granted },
    [],
  ],
  [
    'one that has a slot held for it',
    {},
    { slots: [{ index: 1, node: 'n1', owner: 'run a' }] },
    ['n1: is about to leave: run a holds slot 1 for it'],
  ],
  ['one that was out a moment ago', {}, { returning: new Set(['n1']) }, ['n1: was out until a moment ago']],
] satisfies readonly (readonly [string, Partial<Node>, Change, readonly string[]])[]) {
  test(`law: which nodes are out is one answer for every roll, the brake and \`evenkeel budget\`; who is out: ${what}`, () =>
    assert.deepEqual(of(node, change), want))
}

test('a slot counts also where its node is in no list, and where it names none', () => {
  const slots = [
    { index: 0, node: 'gone', owner: 'run a' },
    { index: 1, owner: 'run b' },
    { index: 2, node: 'n1', owner: 'run c' },
    { index: 3, node: 'gone', owner: 'run d' },
  ]
  assert.deepEqual(said(snapshot([aNode('n1')], { slots })), [
    'n1: is about to leave: run c holds slot 2 for it',
    'gone: is in no list of nodes: run a holds slot 0 for it: is in no list of nodes: run d holds slot 3 for it',
    'slot 1: is held by run b for no node that it names',
  ])
})

test('law: which nodes are out is one answer for every roll, the brake and `evenkeel budget`; a node counts once, whatever the number of reasons', () => {
  const out = whoIsOut(
    snapshot([aNode('n1', { ready: 'False', unschedulable: true, deleting: true })], {
      ...servers(down),
      cordons: { ...granted },
      slots: [{ index: 0, node: 'n1', owner: 'run a' }],
      returning: new Set(['n1']),
    }),
  )
  assert.deepEqual(
    out.map(({ node, why }) => [node, why.map(({ kind }) => kind)]),
    [['n1', ['notReady', 'down', 'cordoned', 'leaving', 'slot', 'returning']]],
  )
})

test('each reason has its kind, by which a roll tells a slot from a node that is out, and a run that can be resumed from one that cannot', () => {
  const places = [anInstance([aServer('n3', { adminState: 'drain' })])]
  const nodes = [
    aNode('n1', { annotations: { 'evenkeel.dev/record': JSON.stringify(aRecord()) } }),
    aNode('n2', { annotations: { 'evenkeel.dev/record': '{}', 'evenkeel.dev/maintenance': request } }),
    aNode('n3'),
    aNode('n4', { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } }),
  ]
  const slots = [{ index: 0, node: 'gone', owner: 'run a' }]
  const unread = { ...budgetNode(aNode('n5')), recordOf: 'unread' as const }
  const s = snapshot(nodes, { places, slots })
  assert.deepEqual(
    whoIsOut({ ...s, nodes: [...s.nodes, unread] }).map(({ node, why }) => [node, ...why]),
    [
      ['n1', { kind: 'recorded', text: 'has the record of run run-1', run: 'run-1' }],
      [
        'n2',
        { kind: 'recorded', text: 'has a record that cannot be read' },
        { kind: 'claimed', text: 'is claimed by roll/20260101T000000Z-abcd' },
      ],
      ['n3', { kind: 'detached', text: 'is detached from every balancer' }],
      ['n5', { kind: 'recorded', text: 'has the record of a roll' }],
      ['gone', { kind: 'slot', text: 'is in no list of nodes: run a holds slot 0 for it' }],
    ],
  )
  const excluded = snapshot(nodes.slice(3), { places: servers({ endpoint: up, address: '10.0.0.4' }).places ?? [] })
  assert.deepEqual(
    whoIsOut(excluded).map(({ why }) => why.map(({ kind }) => kind)),
    [['leaving']],
  )
})

test('where it is not known which cordons count, none does, also where an agent goes by cordons', () =>
  assert.deepEqual(of({ unschedulable: true }, { ...servers({ endpoint: up }), cordons: 'unknown' }), []))

test('of several owners and conditions each is named, and of the taints those that remove the node', () => {
  const claims = ['a', 'b'].map((name) => ({ owner: `person/${name}`, id: name }))
  assert.deepEqual(of({ annotations: { 'evenkeel.dev/maintenance': JSON.stringify({ version: 2, claims }) } }), [
    'n1: is claimed by person/a and person/b',
  ])
  assert.deepEqual(of({ lifecycle: ['DrainInProgress', 'MaintenanceInProgress'] }), [
    'n1: is leaving: its condition DrainInProgress, MaintenanceInProgress is True',
  ])
  const keys = ['dedicated', 'ToBeDeletedByClusterAutoscaler', 'karpenter.sh/disrupted']
  const taints = keys.map((key) => ({ key, effect: 'NoSchedule' }))
  assert.deepEqual(of({ taints }), [
    'n1: is to be removed: it is tainted with ToBeDeletedByClusterAutoscaler, karpenter.sh/disrupted',
  ])
})

test('an agent that is silent takes back nothing: its node counts by its last answer, and by a cordon', () => {
  const silent = { ...up, answer: 'down', heard: false } as const
  const agent = (lastHeard?: EndpointReading['lastHeard']): Change => {
    const endpoint = lastHeard === undefined ? silent : { ...silent, lastHeard }
    return { ...servers({ ...down, endpoint }), cordons: 'noBrake' }
  }
  const cordon = ['n1: is cordoned, and no brake holds that back']
  const label = { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } }
  const never = snapshot([aNode('n1', { unschedulable: true })], agent())
  assert.deepEqual(said(never), [`${cordon}; no agent has answered for it, so one may have taken it out`])
  // A node that no agent is for may be cordoned for ever: a person has to know the way out.
  const next = whoIsOut(never)[0]?.why[0].next ?? ''
  assert.match(plainText(next), /^let its agent run; .*kubectl uncordon n1, or raise maxOut by one$/)
  assert.deepEqual(of({ unschedulable: true }, agent({ answer: 'drain', onlyClosed: false })), cordon)
  assert.deepEqual(of({ unschedulable: true }, agent({ answer: 'down', onlyClosed: true })), [])
  assert.deepEqual(of(label, agent()), [], 'control planes bear the label for good, and need have no agent')
  assert.deepEqual(of(label, agent({ answer: 'drain', onlyClosed: false })), [
    'n1: has the label that keeps it out of load balancers',
  ])
})

test('what an agent tells of its node counts by its answer: silence and a closed data port are nothing that takes it out', () => {
  const endpoint = { ...up, answer: 'down', onlyClosed: true } as const
  assert.deepEqual(of({}, servers({ ...down, endpoint })), [])
  assert.deepEqual(of({}, servers({ ...down, endpoint: { ...endpoint, heard: false, onlyClosed: false } })), [])
  assert.deepEqual(of({}, servers({ ...down, adminState: 'drain', endpoint: { ...endpoint, answer: 'drain' } })), [
    'n1: is detached from every balancer',
  ])
})

test('no more nodes are out than there are, each of them once, and what is known of one changes nothing for another', () => {
  const node = fc.record({
    ready: fc.constantFrom<Node['ready']>('True', 'True', 'False'),
    unschedulable: fc.boolean(),
    admin: fc.constantFrom<ServerReading['adminState']>('ready', 'ready', 'drain'),
    operational: fc.constantFrom<ServerReading['operational']>('up', 'up', 'down'),
  })
  const world = fc.tuple(
    fc.array(node, { maxLength: 6 }),
    fc.constantFrom<BudgetSnapshot['cordons']>('noBrake', 'unknown', granted),
  )
  fc.assert(
    fc.property(world, ([marks, cordons]) => {
      const nodes = marks.map(({ ready, unschedulable }, i) => aNode(`n${i + 1}`, { ready, unschedulable }))
      const list = marks.map(({ admin, operational }, i) => aServer(`n${i + 1}`, { adminState: admin, operational }))
      const places = [anInstance(list)]
      const all = whoIsOut(snapshot(nodes, { places, cordons })).map(({ node: name }) => name)
      const alone = nodes.flatMap((one) => whoIsOut(snapshot([one], { places, cordons })).map(({ node: name }) => name))
      assert.deepEqual(all, alone)
      assert.equal(new Set(all).size, all.length)
    }),
  )
})
