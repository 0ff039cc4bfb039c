import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FollowCache } from '../../../src/ground/loop/follow-cache.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import { ControllerBudget } from '../../../src/service/run/controller-budget.ts'
import { aClusterNode } from '../../support/ingress-world.ts'
import { MemoryCluster } from '../../support/memory-cluster.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal

/** Two nodes that were counted; since then n1 was cordoned and n2 is not Ready, which the watch does not tell. */
async function counted() {
  const clock = new VirtualClock()
  const cluster = new MemoryCluster(clock, [aClusterNode('n1'), aClusterNode('n2')])
  const cache = new FollowCache<Node>({
    follow: async (sink) => sink({ type: 'listed', objects: await cluster.list('nodes') }),
    clock,
  })
  await cache.run(never)
  const budget = new ControllerBudget({
    ...{ cluster, clock, random: new SeededRandom(1), namespace: 'evenkeel', grantsNamespace: 'evenkeel' },
    configMaps: { read: async () => undefined },
    leader: { mayActForMs: () => 60_000 },
    lease: { namespace: 'evenkeel', name: 'evenkeel-controller' },
    name: 'toy',
    nodes: cache,
    onNews: () => undefined,
    log: { debug: () => undefined, warn: () => undefined },
  })
  await budget.readWithNodes(never)
  cluster.change('n1', { unschedulable: true })
  cluster.change('n2', { ready: 'False' })
  const read = async () => {
    const nodes = await budget.readWithNode('n1', never)
    return nodes.map(({ name, unschedulable, ready }) => `${name} ${unschedulable ? 'cordoned' : 'open'} ${ready}`)
  }
  return { clock, cluster, budget, read }
}

const BOTH = ['n1 cordoned True', 'n2 open False']

test('for the step after a count, the node itself is read again, and not the others', async () => {
  const { cluster, read } = await counted()
  assert.deepEqual(await read(), ['n1 cordoned True', 'n2 open True'])
  cluster.remove('n1')
  assert.deepEqual(await read(), ['n2 open True'])
})

test('a count of more than a second ago is made anew', async () => {
  const { clock, read } = await counted()
  await clock.advance(1_001)
  assert.deepEqual(await read(), BOTH)
})

test('law: a node is granted only while fewer nodes than the budget allows are out, counted before its slot is taken and again after; a count from before it is made anew', async () => {
  const { budget, read } = await counted()
  await budget.take('guard/default', { index: 0, node: 'n1' }, never)
  assert.deepEqual(await read(), BOTH)
})
