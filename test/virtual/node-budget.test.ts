import assert from 'node:assert/strict'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import { LEASES, NODES } from '../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../src/sim/world/apply-manifest.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster, virtualRollFile } from '../support/virtual-roll/article-cluster.ts'
import { VirtualRoll } from '../support/virtual-roll/virtual-roll.ts'
import { budgetOf, watchOut } from '../support/virtual-roll/watch-out.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 7_200_000

const fileOf = (names: readonly string[], slots: object = {}): string =>
  virtualRollFile({ rate: 3, spec: { nodes: { names }, soak: '1s', slots } })

interface Rolled {
  readonly ends: readonly string[]
  readonly most: number
  readonly holders: readonly string[]
}

async function rolled(cluster: VirtualCluster, files: readonly string[]): Promise<Rolled> {
  const rolls = files.map((file, i) => new VirtualRoll(cluster, file, { name: `000${i}` }))
  const seen = watchOut(cluster)
  const running = async (): Promise<readonly string[]> => {
    const begun = await Promise.all(rolls.map((roll) => roll.begun()))
    const ends = await Promise.all(begun.map(({ ended }) => ended))
    return ends.map((end) => (end === 'died' ? end : end.outcome))
  }
  const ends = await cluster.time.settle(running(), LIMIT_MS)
  cluster.end()
  const leases = [...cluster.world.store.all(LEASES)].filter(({ metadata }) =>
    metadata.name.startsWith('evenkeel-slot'),
  )
  const holders = leases.map(({ spec }) => (spec as { readonly holderIdentity?: string }).holderIdentity ?? '')
  return { ends, most: seen.most, holders }
}

const SIX = { nodes: 6, darkMs: 20_000 }

test('law: no roll begins a node that would be one more out than the budget allows; two runs have a node out at the same time where two may be, and never three', async () => {
  const cluster = await articleCluster(SIX)
  applyManifest(cluster.world, budgetOf('2'))
  const files = [fileOf(['n1', 'n2']), fileOf(['n3', 'n4']), fileOf(['n5', 'n6'])]
  assert.deepEqual(await rolled(cluster, files), {
    ends: ['completed', 'completed', 'completed'],
    most: 2,
    holders: ['', ''],
  })
})

test('a third of six nodes is two', async () => {
  const cluster = await articleCluster(SIX)
  applyManifest(cluster.world, budgetOf('34%'))
  const { ends, most } = await rolled(cluster, [fileOf(['n1', 'n2']), fileOf(['n3', 'n4'])])
  assert.deepEqual([ends, most], [['completed', 'completed'], 2])
})

test('law: no roll begins a node that would be one more out than the budget allows; without a budget one node is out at a time, across all rolls', async () => {
  const cluster = await articleCluster(SIX)
  const { ends, most, holders } = await rolled(cluster, [fileOf(['n1']), fileOf(['n3'])])
  assert.deepEqual([ends, most, holders], [['completed', 'completed'], 1, ['']])
})

test('a run that asks for less than the budget allows takes no node beside another that is out', async () => {
  const cluster = await articleCluster(SIX)
  applyManifest(cluster.world, budgetOf('3'))
  const careful = { maxOut: 1 }
  const { ends, most } = await rolled(cluster, [fileOf(['n1'], careful), fileOf(['n3'], careful)])
  assert.deepEqual([ends, most], [['completed', 'completed'], 1])
})

test('law: which nodes are out is one answer for every roll, the brake and `evenkeel budget`; a node that a granted cordon has out is counted by a roll that uses the socket, until it is uncordoned', async () => {
  const cluster = await articleCluster(SIX)
  const granted = JSON.stringify({ version: 1, granted: ['n2'], max: 3, of: 6 })
  const metadata = { namespace: 'evenkeel', name: 'evenkeel-cordon-grants' }
  applyManifest(cluster.world, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { grants: granted } })
  const cordon = (unschedulable: boolean): void => {
    const node = cluster.world.store.get(NODES, { name: 'n2' }) ?? assert.fail('there is no n2')
    cluster.world.store.put(NODES, { ...node, spec: { ...(node.spec as object), unschedulable } })
  }
  cordon(true)
  cluster.time.later(60_000, () => cordon(false))
  const { ends, most } = await rolled(cluster, [fileOf(['n1'])])
  assert.deepEqual([ends, most], [['completed'], 1])
})
