import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lease } from '../../../src/ground/model/lease.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { slotRef } from '../../../src/ground/model/slot.ts'
import { toIso } from '../../../src/ground/model/time.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { Cluster } from '../../../src/ground/ports/cluster.ts'
import type { ConfigMaps } from '../../../src/ground/ports/config-maps.ts'
import { plainLine } from '../../../src/ground/text/terminal/style.ts'
import { budgetLines } from '../../../src/service/cli/budget-lines.ts'
import { lookAtBudget } from '../../../src/service/run/look-at-budget.ts'
import { MemoryCluster } from '../../support/memory-cluster.ts'
import { plain } from '../../support/plain.ts'
import { aNode, aRecord } from '../../support/roll-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal

interface World {
  readonly nodes?: readonly Node[]
  readonly maps?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly leases?: (clock: VirtualClock) => readonly Partial<Lease>[]
  readonly watchMs?: number
  /** Names of objects that may not be read. */
  readonly hidden?: readonly string[]
  /** The holder of slot 0 renews after that long, by its own clock. */
  readonly renewsAs?: { readonly at: number; readonly renewTime: string }
}

async function looked({ nodes = FOUR, maps = {}, leases = () => [], watchMs = 0, hidden = [], renewsAs }: World) {
  const clock = new VirtualClock()
  const cluster = new MemoryCluster(clock, nodes)
  for (const lease of leases(clock))
    cluster.leases.put({
      namespace: 'evenkeel',
      name: 'evenkeel-slot-0',
      resourceVersion: '',
      holder: 'run-1/a',
      durationSeconds: 120,
      renewTime: toIso(clock.wallMs()),
      transitions: 0,
      annotations: { 'evenkeel.dev/run': 'run-1', 'evenkeel.dev/node': 'n1' },
      ...lease,
    })
  const read: ConfigMaps['read'] = async ({ namespace, name }) => {
    if (hidden.includes(name)) throw forbidden
    const data = maps[name]
    return data === undefined ? undefined : { namespace, name, resourceVersion: '1', annotations: {}, data }
  }
  const place = { namespace: 'evenkeel', grantsNamespace: 'evenkeel', watchMs }
  const readLease: Cluster['readLease'] = (ref, signal) =>
    hidden.includes(ref.name) ? Promise.reject(forbidden) : cluster.readLease(ref, signal)
  const parts = { cluster: { list: cluster.list.bind(cluster), readLease }, configMaps: { read }, clock }
  const looking = lookAtBudget(parts, place, never)
  if (renewsAs !== undefined) {
    await clock.advance(renewsAs.at)
    const slot = cluster.leases.get(slotRef('evenkeel')) ?? assert.fail('there is no slot')
    cluster.leases.put({ ...slot, renewTime: renewsAs.renewTime })
  }
  if (watchMs > 0) await clock.advance(watchMs - (renewsAs?.at ?? 0))
  return looking
}

const forbidden = new WorldError('forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' })
const FOUR = ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name))
const out = { annotations: { 'evenkeel.dev/record': JSON.stringify(aRecord()) } }

test('nothing is out where nothing is: one node may leave', async () => {
  assert.deepEqual(await looked({}), { maxOut: 1, unread: [], nodes: 4, out: [], mayBeOut: [], slots: [], more: 1 })
})

test('a node that is out is reported with the run and the time that its record names, and its slot is not counted beside it', async () => {
  const nodes = [aNode('n1', out), ...FOUR.slice(1)]
  const view = await looked({ nodes, maps: { 'evenkeel-budget': { maxOut: '50%' } }, leases: () => [{}] })
  assert.deepEqual([view.maxOut, view.says, view.more], [2, '50%', 1])
  assert.deepEqual(view.out, [
    {
      node: 'n1',
      why: ['has the record of run run-1'],
      owner: 'run run-1',
      since: '2026-01-01T00:00:00.000Z',
    },
  ])
})

test('a granted cordon uses up the budget of one', async () => {
  const grants = JSON.stringify({ version: 1, granted: ['n2'], max: 1, of: 4 })
  const nodes = FOUR.map((node) => ({ ...node, unschedulable: true }))
  const view = await looked({ nodes, maps: { 'evenkeel-cordon-grants': { grants } } })
  assert.deepEqual([view.more, view.out.map(({ node }) => node)], [0, ['n2']])
})

const LABEL = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' }

for (const [what, nodes, unsure] of [
  ['cordoned', [aNode('n1'), aNode('n2', { unschedulable: true })], ['n2']],
  ['labelled', [aNode('n1'), aNode('n2', { labels: LABEL })], ['n2']],
  [
    'a labelled control plane',
    [aNode('n1', { labels: { ...LABEL, 'node-role.kubernetes.io/control-plane': '' } }), aNode('n2')],
    [],
  ],
  ['out anyhow', [aNode('n1', { unschedulable: true, ready: 'False' }), aNode('n2')], []],
] as const)
  test(`without a brake a node that is ${what} ${unsure.length === 0 ? 'is not one that may be out' : 'may be out, and uses up the budget'}`, async () => {
    const { mayBeOut, out, more } = await looked({ nodes })
    assert.deepEqual(
      mayBeOut.map(({ node }) => node),
      unsure,
    )
    assert.equal(more, Math.max(0, 1 - unsure.length - out.length))
  })

test('a cordon that the brake does not grant takes nothing out, for sure', async () => {
  const grants = JSON.stringify({ version: 1, granted: [], max: 1, of: 4 })
  const nodes = [aNode('n1'), aNode('n2', { unschedulable: true })]
  const { mayBeOut, more } = await looked({ nodes, maps: { 'evenkeel-cordon-grants': { grants } } })
  assert.deepEqual([mayBeOut, more], [[], 1])
})

test('the text names the nodes that may be out', async () => {
  const view = await looked({ nodes: [aNode('n1'), aNode('n2', { unschedulable: true, labels: LABEL })] })
  assert.deepEqual(budgetLines(view, 'evenkeel').map(plainLine).slice(1, -2), [
    'the budget is used up, if 1 node that may be out is counted as well: no other node may leave',
    'balancers and agents were not queried: a roll queries them, and may count more nodes as out',
    '',
    '  MAY BE OUT  WHY',
    '  n2          is cordoned; has the label that keeps it out of load balancers',
  ])
})

test('an identity that may not read the ConfigMaps is answered by what a roll with its rights goes by, and told so', async () => {
  const nodes = [aNode('n1'), aNode('n2', { unschedulable: true })]
  const maps = { 'evenkeel-budget': { maxOut: '3' }, 'evenkeel-cordon-grants': { grants: '{}' } }
  const view = await looked({ nodes, maps, hidden: Object.keys(maps) })
  assert.deepEqual(
    [view.maxOut, view.says, view.unread, view.mayBeOut.map(({ node }) => node)],
    [1, undefined, ['evenkeel/evenkeel-budget', 'evenkeel/evenkeel-cordon-grants'], ['n2']],
  )
  const lines = budgetLines(view, 'evenkeel').map(plainLine)
  assert.match(lines[0] ?? '', /this identity is not allowed to read evenkeel-budget/)
  assert.deepEqual(lines.slice(3, 5), [
    'this identity is not allowed to get ConfigMap evenkeel/evenkeel-budget, so the limit is taken as one node: see deploy/roll-rbac.yaml',
    'this identity is not allowed to get ConfigMap evenkeel/evenkeel-cordon-grants, so it is not known which cordons are granted: see deploy/roll-rbac.yaml',
  ])
})

test('a maxOut that makes no sense is an error of the user, with the command that mends it', async () => {
  const wrong = looked({ maps: { 'evenkeel-budget': { maxOut: '0' } } })
  await assert.rejects(
    wrong,
    (error) => error instanceof UserError && /patch configmap/.test(plainText(error.fix ?? '')),
  )
})

const CONTROLLED = {
  holder: 'controller/evenkeel-controller',
  annotations: { 'evenkeel.dev/node': 'n2', 'evenkeel.dev/lives-by': 'evenkeel/evenkeel-controller' },
}
const LEADER = { name: 'evenkeel-controller', holder: 'pod-1', durationSeconds: 15, annotations: {} }
const releaseOf = (holder: string): string =>
  `kubectl -n evenkeel patch lease evenkeel-slot-0 --type json -p '[{"op":"test","path":"/spec/holderIdentity","value":"${holder}"},{"op":"replace","path":"/spec/holderIdentity","value":""}]'`

test('a slot of a controller that leads is held, whenever it was written', async () => {
  const leases = () => [{ ...CONTROLLED, renewTime: '2020-01-01T00:00:00Z' }, LEADER]
  const view = await looked({ leases })
  assert.deepEqual(
    view.slots.map(({ node, owner, left }) => [node, owner, left]),
    [['n2', 'the controller of Lease evenkeel/evenkeel-controller', undefined]],
  )
  assert.equal(view.more, 0)
})

for (const [what, leader] of [
  ['whose Lease is gone', []],
  ['whose Lease has no holder', [{ ...LEADER, holder: '' }]],
] satisfies readonly (readonly [string, readonly Partial<Lease>[]])[]) {
  test(`a slot of a controller ${what} is in doubt at first sight, and left behind once that was so for two minutes`, async () => {
    const leases = () => [CONTROLLED, ...leader]
    const { slots, more } = await looked({ leases })
    assert.deepEqual(
      slots.map(({ left, doubt }) => [left, plain(doubt ?? '')]),
      [
        [
          undefined,
          'no controller holds Lease evenkeel/evenkeel-controller at this moment; evenkeel budget --watch 2min shows whether one takes over',
        ],
      ],
    )
    assert.equal(more, 0, 'a controller that starts anew has its slots at once')
    const short = await looked({ leases, watchMs: 20_000 })
    assert.equal(short.slots[0]?.left, undefined, 'so long a hand-over of the leader may last')
    const watched = await looked({ leases, watchMs: 120_000 })
    assert.deepEqual(plain(watched.slots[0]?.left), {
      why: 'no controller held Lease evenkeel/evenkeel-controller while this command looked',
      command: releaseOf(CONTROLLED.holder),
    })
  })
}

test('a slot that lives by a Lease that may not be read is not called left behind, however long it is looked at', async () => {
  const leases = () => [{ ...CONTROLLED, renewTime: '2020-01-01T00:00:00Z' }, LEADER]
  const { slots, more } = await looked({ leases, watchMs: 240_000, hidden: [LEADER.name] })
  assert.deepEqual(
    slots.map(({ left, doubt }) => [left, plain(doubt ?? '')]),
    [
      [
        undefined,
        'whether its holder lives cannot be seen: this identity is not allowed to get Lease evenkeel/evenkeel-controller',
      ],
    ],
  )
  assert.equal(more, 0)
})

test('a slot that is not renewed while it is looked at for its duration was left behind', async () => {
  const { slots, more } = await looked({ leases: () => [{}], watchMs: 120_000 })
  assert.equal(more, 1)
  assert.deepEqual(plain(slots[0]?.left), {
    why: 'it was not renewed for 2 min while this command looked',
    command: releaseOf('run-1/a'),
  })
})

test('a holder whose name would end the quotes is spelled out in the command', async () => {
  const { slots } = await looked({ leases: () => [{ holder: `x'; reboot\u009b` }], watchMs: 120_000 })
  assert.equal(plain(slots[0]?.left?.command), releaseOf('x\\u0027; reboot\\u009b'))
})

const OLD = '2020-01-01T00:00:00Z'

test('a slot whose last renewal is old by the clock of its holder is in doubt, and no command takes it', async () => {
  const { slots, more } = await looked({ leases: () => [{ renewTime: OLD }] })
  assert.equal(slots[0]?.left, undefined)
  assert.equal(
    plain(slots[0]?.doubt),
    `it was renewed last at ${OLD}, by the clock of its holder, and lasts 2 min; evenkeel budget --watch 2min shows whether it is renewed`,
  )
  assert.equal(more, 0, 'a clock proves nothing')
})

test('a holder that is seen to renew lives, however slow its clock', async () => {
  const leases = () => [{ renewTime: OLD }]
  const { slots } = await looked({
    leases,
    watchMs: 120_000,
    renewsAs: { at: 60_000, renewTime: '2020-01-01T00:01:00Z' },
  })
  assert.deepEqual([slots[0]?.left, slots[0]?.doubt], [undefined, undefined])
})

test('the text says the figures, who is out, the slots and what to type', async () => {
  const nodes = [aNode('n1', out), ...FOUR.slice(1)]
  const view = await looked({ nodes, leases: () => [CONTROLLED] })
  assert.deepEqual(budgetLines(view, 'evenkeel').map(plainLine), [
    '2 nodes of 4 are out or about to be, and at most 1 may be: there is no ConfigMap evenkeel-budget',
    'the budget is used up: no other node may leave',
    'balancers and agents were not queried: a roll queries them, and may count more nodes as out',
    '',
    '  NODE  FOR                                                   SINCE                     WHY',
    '  n1    run run-1                                             2026-01-01T00:00:00.000Z  has the record of run run-1',
    '  n2    the controller of Lease evenkeel/evenkeel-controller  -                         is about to leave: the controller of Lease evenkeel/evenkeel-controller holds slot 0 for it',
    '',
    '  SLOT  NODE  HOLDER                                                RENEWED',
    '  0     n2    the controller of Lease evenkeel/evenkeel-controller  -',
    '',
    'slot 0 may be left behind: no controller holds Lease evenkeel/evenkeel-controller at this moment; evenkeel budget --watch 2min shows whether one takes over',
  ])
})

test('the text says how a slot that was left behind is released', async () => {
  const view = await looked({ leases: () => [{}], watchMs: 120_000 })
  assert.deepEqual(budgetLines(view, 'evenkeel').map(plainLine).slice(-3), [
    'slot 0 seems to be left behind: it was not renewed for 2 min while this command looked',
    '  if its holder is gone and its node is back, this releases it:',
    `  ${releaseOf('run-1/a')}`,
  ])
})
