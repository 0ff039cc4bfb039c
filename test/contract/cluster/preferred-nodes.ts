import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appContainer } from '../../../src/sim/cluster/article-workloads.ts'
import type { ClusterGround } from './cluster-ground.ts'

const NODES = ['n1', 'n2', 'n3']
const PODS = '/api/v1/namespaces/default/pods'

/** Nodes that would rather have no pod. */
export function preferredNodesContract(ground: () => ClusterGround): void {
  /** Where a pod lands, which is gone again afterwards. */
  const placeOf = async (name: string, more: object = {}): Promise<string> => {
    const spec = { containers: [appContainer({})], terminationGracePeriodSeconds: 1, ...more }
    await ground().create(PODS, { metadata: { name }, spec })
    const node = (): string | undefined => ground().log.named('pod', name)?.spec.nodeName
    await ground().until('the pod to have a node', () => (node() ?? '') !== '')
    const found = node() ?? ''
    await ground().ask('DELETE', `${PODS}/${name}`)
    await ground().until('it to be gone', () => ground().log.named('pod', name) === undefined)
    return found
  }

  let changes = 0
  /** The scheduler hears of nodes and pods by watches of their own: it has heard of all taints once it sees the label of the last node. */
  const taint = async (nodes: readonly string[]): Promise<void> => {
    changes += 1
    const labels = { 'test.local/change': String(changes) }
    for (const node of NODES) {
      const taints = nodes.includes(node) ? [{ key: 'test.local/rather-not', effect: 'PreferNoSchedule' }] : null
      await ground().patch(`/api/v1/nodes/${node}`, { metadata: node === 'n3' ? { labels } : {}, spec: { taints } })
    }
    assert.equal(await placeOf(`heard-${changes}`, { nodeSelector: labels }), 'n3')
  }

  for (const preferred of NODES) {
    test(`a pod goes to ${preferred} where it is the only node that has nothing against it`, async () => {
      await taint(NODES.filter((node) => node !== preferred))
      assert.equal(await placeOf(`to-${preferred}`), preferred)
    })
  }

  test('a pod that every node would rather not have is placed all the same', async () => {
    await taint(NODES)
    assert.ok(NODES.includes(await placeOf('to-any')))
    await taint([])
    await ground().patch('/api/v1/nodes/n3', { metadata: { labels: { 'test.local/change': null } } })
  })
}
