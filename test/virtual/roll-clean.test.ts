import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Judge } from '../../src/sim/traffic/judge.ts'
import { OpenLoopClient } from '../../src/sim/traffic/open-loop-client.ts'
import { articleCluster, virtualRollFile } from '../support/virtual-roll/article-cluster.ts'
import { VirtualRoll } from '../support/virtual-roll/virtual-roll.ts'

const HOUR_MS = 3_600_000

test('a whole cluster is rebooted under traffic without one failed request, in virtual time', async () => {
  const cluster = await articleCluster()
  const roll = new VirtualRoll(cluster, virtualRollFile())
  const [target] = roll.spec.probe?.targets ?? []
  assert.ok(target)
  const judge = new Judge()
  const { network, time } = cluster
  const client = new OpenLoopClient({ target, network, clock: time, timers: time, sink: judge.record })
  client.start()
  const boots = [...cluster.machines.all()].map((machine) => machine.bootId)
  const { ended } = await roll.begin()
  const end = await time.settle(ended, HOUR_MS)
  await time.settle(new Promise<void>((resolve) => client.stop(resolve)), 10_000)

  assert.ok(end !== 'died')
  assert.deepEqual([end.outcome, end.reasons, end.guarded], ['completed', [], []])
  assert.deepEqual([judge.failed, judge.lost], [0, []])
  assert.ok(judge.sent > 4000, `${judge.sent} requests`)
  assert.deepEqual(
    [...cluster.machines.all()].map(({ boots: count }) => count),
    [2, 2, 2],
  )
  assert.deepEqual(
    [...cluster.machines.all()].filter((machine, i) => machine.bootId === boots[i]),
    [],
  )
  cluster.end()
})
