import assert from 'node:assert/strict'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import type { Passage } from '../../src/sim/doors/in-process-api.ts'
import { DAEMON_SETS } from '../../src/sim/world/api-resource.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster } from '../support/virtual-roll/article-cluster.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 3_600_000
const KEY = 'weave.works/kured-node-lock'
const BRISK = {
  nodes: { names: ['n1'] },
  soak: '1s',
  baseline: { duration: '1s' },
  settle: { limit: '2min', timesInARow: 1 },
  drain: { daemonSets: ['app=edge'], blockedLimit: '1min' },
  reboot: { kuredLock: {} },
}

/** It has no pods: only its lock matters. */
const kured = (args: readonly string[] = []) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { namespace: 'kube-system', name: 'kured' },
  spec: {
    selector: { matchLabels: { name: 'kured' } },
    template: {
      metadata: { labels: { name: 'kured' } },
      spec: { nodeSelector: { nowhere: 'true' }, containers: [{ name: 'kured', image: 'kured', args }] },
    },
  },
})

const daemonSet = ({ world }: VirtualCluster) => {
  const found = [...world.store.all(DAEMON_SETS)].find(({ metadata }) => metadata.name === 'kured')
  assert.ok(found)
  return found
}

const lockOf = (cluster: VirtualCluster): string | undefined => daemonSet(cluster).metadata.annotations?.[KEY]

interface Lock {
  readonly nodeID: string
  readonly created: string
  readonly TTL: number
  readonly locks: readonly { readonly nodeID: string }[]
}

const readLock = (cluster: VirtualCluster): Lock | undefined => {
  const text = lockOf(cluster)
  return text === undefined ? undefined : (JSON.parse(text) as Lock)
}

async function clusterWithKured(args: readonly string[] = []) {
  const cluster = await articleCluster({ nodes: 3, replicas: 4, graceSeconds: 1 })
  const ground = new VirtualGround(cluster)
  await ground.apply([kured(args)])
  return { cluster, ground }
}

test('the roll has the lock before it cordons the first node, and gives it back at its end', async () => {
  const { cluster, ground } = await clusterWithKured(['--concurrency=2'])
  const story = async (): Promise<void> => {
    const roll = await ground.roll(BRISK)
    await roll.untilStep('cordon', 'n1')
    const lock = readLock(cluster)
    assert.match(lock?.nodeID ?? '', /^evenkeel\//)
    assert.equal(lock?.locks.length, 2)
    assert.equal((await roll.ended()).code, 0)
  }
  await cluster.time.settle(story(), LIMIT_MS)
  assert.equal(lockOf(cluster), undefined)
  assert.deepEqual(await leftoversOf(ground), [])
  cluster.end()
})
