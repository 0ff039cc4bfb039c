import assert from 'node:assert/strict'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import type { ApiRequest } from '../../src/sim/world/api-request.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster } from '../support/virtual-roll/article-cluster.ts'
import { kuredDaemonSet, kuredLockOf } from '../support/virtual-roll/kured-daemon-set.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'
import { budgetOf } from '../support/virtual-roll/watch-out.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 3_600_000
const BRISK = {
  soak: '1s',
  baseline: { duration: '1s' },
  settle: { limit: '2min', timesInARow: 1 },
  drain: { daemonSets: ['app=edge'] },
  reboot: { kuredLock: {} },
}

/** A write of the lock is on its way for so long that the other roll reads the lock before it arrives. */
const LATE_MS = 2_000

const isLockWrite = ({ method, path }: ApiRequest): boolean => method === 'PATCH' && path.endsWith('/daemonsets/kured')

/** Every name in the lock of kured, whatever its shape; empty while it is free. */
const ownersOf = (cluster: VirtualCluster): string =>
  [...new Set((kuredLockOf(cluster) ?? '').matchAll(/"nodeID":"([^"]*)"/g).map(([, owner]) => owner))].join(' ')

/** The owners of the lock, one after the other. */
function watchOwners(cluster: VirtualCluster): readonly string[] {
  const seen: string[] = []
  const look = (): void => {
    const now = ownersOf(cluster)
    if (seen.at(-1) !== now) seen.push(now)
    cluster.time.later(1, look)
  }
  look()
  return seen
}

for (const maxOut of ['1', '2'])
  test(`of two rolls that ask for the lock of kured, where ${maxOut} may be out, one has it at a time, none takes it from the other, and both finish`, async () => {
    const cluster = await articleCluster({ nodes: 3, replicas: 4, graceSeconds: 1 })
    const ground = new VirtualGround(cluster, {
      passageOf: (request) => ({ kind: 'passes', ...(isLockWrite(request) && { lateMs: LATE_MS }) }),
    })
    await ground.apply([kuredDaemonSet({ args: ['--concurrency=2'] }), budgetOf(maxOut)])
    const owners = watchOwners(cluster)
    const begin = (names: readonly string[]) => ground.roll({ ...BRISK, nodes: { names } })
    const both = async (): Promise<void> => {
      const rolls = await Promise.all([begin(['n1']), begin(['n2', 'n3'])])
      const ends = await Promise.all(rolls.map((roll) => roll.ended()))
      assert.deepEqual(
        ends.map(({ code }) => code),
        [0, 0],
        ends.map(({ story }) => story).join('\n'),
      )
      const warnings = rolls.flatMap(({ events }) => events.filter(({ type }) => type === 'warning'))
      assert.deepEqual(warnings, [])
    }
    await cluster.time.settle(both(), LIMIT_MS)
    cluster.end()
    assert.equal(kuredLockOf(cluster), undefined)
    assert.deepEqual(await leftoversOf(ground), [])
    const held = owners.filter((owner) => owner !== '')
    const text = owners.join(', ')
    assert.deepEqual(
      held.filter((owner) => !/^evenkeel\/\S+$/.test(owner)),
      [],
      text,
    )
    assert.equal(new Set(held).size, 2, text)
    // Between two owners it is free.
    assert.ok(
      owners.every((owner, i) => (owner === '') === (i % 2 === 0)),
      text,
    )
  })
