import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BudgetWatch } from '../../../src/controllers/roll/budget-watch.ts'
import { decideOnFresh } from '../../../src/controllers/roll/decide-on-fresh.ts'
import type { RollSnapshot } from '../../../src/core/roll/snapshot.ts'
import type { Node } from '../../../src/model/node.ts'
import { WorldError } from '../../../src/model/world-error.ts'
import { MemoryCluster } from '../../support/memory-cluster.ts'
import { aNode, aSnapshot } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const UNANSWERED = new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })

interface Ground {
  /** As the nodes are, which the watch of the roll does not show yet. */
  readonly nodes?: readonly Node[]
  readonly slot: RollSnapshot['slot']['state']
  readonly isUnlisted?: boolean
}

/** The roll is about to begin n1, and by its watch all is well. */
async function decided({ nodes = [], slot, isUnlisted = false }: Ground) {
  const s = aSnapshot({ change: { slot: { state: slot, mayAct: slot === 'mine' } } })
  const clock = new VirtualClock()
  const cluster = new MemoryCluster(clock, [...s.cluster.nodes, ...nodes])
  let lists = 0
  const list: MemoryCluster['list'] = async (kind) => {
    lists += 1
    if (isUnlisted) throw UNANSWERED
    return cluster.list(kind)
  }
  const budget = new BudgetWatch({
    cluster: { readLease: cluster.readLease, list },
    configMaps: { read: async () => undefined },
    clock,
    slots: s.spec.slots,
    nodeCount: () => s.cluster.nodes.length,
    onNews: () => undefined,
    say: () => undefined,
  })
  const { decision } = await decideOnFresh(s, budget, new AbortController().signal)
  return { lists, said: shortDecision(decision), why: decision.reasons.map(({ text }) => text) }
}

test('law: all nodes are counted again between the slot and the first touch, and of several owners that are too many the one of the lowest slot goes on; what the watch does not show yet counts', async () => {
  const { said, why } = await decided({ slot: 'mine', nodes: [aNode('n2', { ready: 'False' })] })
  assert.deepEqual([said, why], ['hold slot: OtherNodeBad', ['n2 is not Ready (Ready is False)']])
})

test('a node whose nodes are as the watch shows them is begun after one list, and the slot is asked for without one', async () => {
  const [taken, begun] = [await decided({ slot: 'free' }), await decided({ slot: 'mine' })]
  assert.deepEqual(
    [taken, begun].map(({ said, lists }) => [said, lists]),
    [
      ['act slot: takeSlot', 0],
      ['act record: writeRecord', 1],
    ],
  )
})

test('where the nodes cannot be listed nothing is begun', async () => {
  const { said, why } = await decided({ slot: 'mine', isUnlisted: true })
  assert.deepEqual(
    [said, why],
    ['hold slot: BudgetUnread', ['the node budget could not be read: connect ECONNREFUSED']],
  )
})
