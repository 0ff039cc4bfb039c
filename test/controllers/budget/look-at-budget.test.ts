import assert from 'node:assert/strict'
import { test } from 'node:test'
import { budgetLines } from '../../../src/cli/budget/budget-lines.ts'
import { plainLine } from '../../../src/cli/terminal/style.ts'
import { lookAtBudget } from '../../../src/controllers/budget/look-at-budget.ts'
import type { ConfigMap } from '../../../src/model/config-map.ts'
import type { Lease } from '../../../src/model/lease.ts'
import type { Node } from '../../../src/model/node.ts'
import { toIso } from '../../../src/model/time.ts'
import { UserError } from '../../../src/model/user-error.ts'
import { MemoryCluster } from '../../support/memory-cluster.ts'
import { aNode, aRecord } from '../../support/roll-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal

interface World {
  readonly nodes?: readonly Node[]
  readonly maps?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly leases?: (clock: VirtualClock) => readonly Partial<Lease>[]
  readonly watchMs?: number
}

async function looked({ nodes = FOUR, maps = {}, leases = () => [], watchMs = 0 }: World) {
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
  const read = ({ namespace, name }: { namespace: string; name: string }): Promise<ConfigMap | undefined> =>
    Promise.resolve(
      maps[name] === undefined
        ? undefined
        : { namespace, name, resourceVersion: '1', annotations: {}, data: maps[name] },
    )
  const place = { namespace: 'evenkeel', grantsNamespace: 'evenkeel', watchMs }
  const looking = lookAtBudget({ cluster, configMaps: { read }, clock }, place, never)
  if (watchMs > 0) await clock.advance(watchMs)
  return looking
}

const FOUR = ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name))
const out = { annotations: { 'evenkeel.dev/record': JSON.stringify(aRecord()) } }

test('nothing is out where nothing is: one node may leave', async () => {
  assert.deepEqual(await looked({}), { maxOut: 1, nodes: 4, out: [], slots: [], more: 1 })
})

test('who is out is told with the run and the time that its record names, and its slot is not counted beside it', async () => {
  const nodes = [aNode('n1', out), ...FOUR.slice(1)]
  const view = await looked({ nodes, maps: { 'evenkeel-budget': { maxOut: '50%' } }, leases: () => [{}] })
  assert.deepEqual([view.maxOut, view.says, view.more], [2, '50%', 1])
  assert.deepEqual(view.out, [
    {
      node: 'n1',
      why: ['bears the record of run run-1'],
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

test('a maxOut that makes no sense is an error of the user, with the command that mends it', async () => {
  const wrong = looked({ maps: { 'evenkeel-budget': { maxOut: '0' } } })
  await assert.rejects(wrong, (error) => error instanceof UserError && /patch configmap/.test(error.fix ?? ''))
})

const CONTROLLED = {
  holder: 'controller/evenkeel-controller',
  annotations: { 'evenkeel.dev/node': 'n2', 'evenkeel.dev/lives-by': 'evenkeel/evenkeel-controller' },
}
const LEADER = { name: 'evenkeel-controller', holder: 'pod-1', durationSeconds: 15, annotations: {} }
const RELEASE = `kubectl -n evenkeel patch lease evenkeel-slot-0 --type merge -p '{"spec":{"holderIdentity":""}}'`

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
  ['whose Lease nobody holds', [{ ...LEADER, holder: '' }]],
] satisfies readonly (readonly [string, readonly Partial<Lease>[]])[]) {
  test(`a slot that a controller left behind ${what} is named with the command that releases it`, async () => {
    const view = await looked({ leases: () => [CONTROLLED, ...leader] })
    assert.deepEqual(
      view.slots.map(({ left }) => left),
      [{ why: 'no controller holds Lease evenkeel/evenkeel-controller', command: RELEASE }],
    )
    assert.equal(view.more, 0, 'a controller that starts anew has its slots at once')
  })
}

test('a slot that is not renewed while it is looked at for its duration was left behind', async () => {
  const { slots, more } = await looked({ leases: () => [{}], watchMs: 120_000 })
  assert.equal(more, 1)
  assert.deepEqual(slots[0]?.left?.why, 'it was not renewed for 2 min while this command looked')
})

test('a slot whose last renewal is old by the clock of its holder is named, too', async () => {
  const { slots, more } = await looked({ leases: () => [{ renewTime: '2020-01-01T00:00:00Z' }] })
  assert.match(slots[0]?.left?.why ?? '', /renewed last at 2020-01-01T00:00:00Z, by the clock of its holder/)
  assert.equal(more, 0, 'a clock proves nothing')
})

test('the text says the figures, who is out, the slots and what to type', async () => {
  const nodes = [aNode('n1', out), ...FOUR.slice(1)]
  const view = await looked({ nodes, leases: () => [CONTROLLED] })
  assert.deepEqual(budgetLines(view, 'evenkeel').map(plainLine), [
    '2 nodes of 4 are out or about to be, and at most 1 may be: there is no ConfigMap evenkeel-budget',
    'the budget is used up: no other node may leave',
    '',
    '  NODE  FOR                                                   SINCE                     WHY',
    '  n1    run run-1                                             2026-01-01T00:00:00.000Z  bears the record of run run-1',
    '  n2    the controller of Lease evenkeel/evenkeel-controller  -                         is about to leave: the controller of Lease evenkeel/evenkeel-controller holds slot 0 for it',
    '',
    '  SLOT  NODE  HOLDER                                                RENEWED',
    '  0     n2    the controller of Lease evenkeel/evenkeel-controller  -',
    '',
    'slot 0 seems to be left behind: no controller holds Lease evenkeel/evenkeel-controller',
    '  where its holder is gone, and its node is back, this releases it:',
    `  ${RELEASE}`,
  ])
})
