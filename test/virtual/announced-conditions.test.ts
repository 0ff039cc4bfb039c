import assert from 'node:assert/strict'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import type { Passage } from '../../src/sim/doors/in-process-api.ts'
import { NODES } from '../../src/sim/world/api-resource.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster } from '../support/virtual-roll/article-cluster.ts'
import { type CrashPlan, type CrashPoint, crashRun } from '../support/virtual-roll/crash/crash-run.ts'
import { complaints, type Job } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 3_600_000
const BRISK = {
  nodes: { names: ['n1'] },
  soak: '1s',
  baseline: { duration: '1s' },
  settle: { limit: '2min', timesInARow: 1 },
  announce: { conditions: true },
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly message?: string
}

function conditionsOf({ world }: VirtualCluster, name: string): readonly Condition[] {
  const node = [...world.store.all(NODES)].find(({ metadata }) => metadata.name === name)
  return (node?.status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? []
}

/** What the run has announced there. */
const announcedOn = (cluster: VirtualCluster, name: string): readonly string[] =>
  conditionsOf(cluster, name)
    .filter(({ status, message = '' }) => status === 'True' && /^Even Keel, run \S+$/.test(message))
    .map(({ type }) => type)
    .toSorted()

/** Long enough for a write beside the passes. */
const WRITTEN_MS = 200

test('the conditions of a node say what the roll does to it, and nothing before it serves again', async () => {
  const cluster = await articleCluster({ nodes: 3, replicas: 4, graceSeconds: 5 })
  const ground = new VirtualGround(cluster)
  const seen: Record<string, readonly string[]> = {}
  const story = async (): Promise<void> => {
    const roll = await ground.roll(BRISK)
    for (const step of ['drain', 'proof', 'settle', 'soak'] as const) {
      await roll.untilStep(step, 'n1')
      await ground.pause(WRITTEN_MS)
      seen[step] = announcedOn(cluster, 'n1')
    }
    assert.equal((await roll.ended()).code, 0)
  }
  await cluster.time.settle(story(), LIMIT_MS)
  assert.deepEqual(seen, {
    drain: ['DrainInProgress', 'MaintenancePlanned'],
    proof: ['Drained', 'MaintenanceInProgress'],
    settle: [],
    soak: [],
  })
  assert.ok(conditionsOf(cluster, 'n1').some(({ type, status }) => type === 'Ready' && status === 'True'))
  assert.deepEqual(await leftoversOf(ground), [])
  cluster.end()
})

test('a roll that may not write them, or cannot, goes through all the same and says so', async () => {
  const cluster = await articleCluster({ nodes: 3, replicas: 4, graceSeconds: 1 })
  const message = 'nodes "n1" is forbidden: cannot patch resource "nodes/status"'
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403, message }
  const ground = new VirtualGround(cluster, {
    passageOf: ({ method, path }): Passage =>
      method === 'PATCH' && path.endsWith('/status')
        ? { kind: 'answered', reply: { code: 403, body } }
        : { kind: 'passes' },
  })
  const story = async (): Promise<void> => {
    const roll = await ground.roll(BRISK)
    const { code } = await roll.ended()
    const warnings = roll.events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
    assert.equal(code, 0)
    assert.equal(
      warnings.filter((text) => /the conditions of n1 do not say what the roll does: .*403/.test(text)).length,
      1,
      warnings.join('\n'),
    )
  }
  await cluster.time.settle(story(), LIMIT_MS)
  assert.deepEqual([announcedOn(cluster, 'n1'), await leftoversOf(ground)], [[], []])
  cluster.end()
})

test('a node that is kept out says so, and resume takes that off once it is back', async () => {
  const cluster = await articleCluster({ nodes: 3, replicas: 4, graceSeconds: 1 })
  const ground = new VirtualGround(cluster)
  const story = async (): Promise<void> => {
    const roll = await ground.roll({ ...BRISK, reboot: { returnLimit: '20s', resendAfter: '10s' } })
    await roll.untilStep('reboot', 'n1')
    await ground.powerOff('n1')
    await roll.until('its end', ({ type }) => type === 'roll.ended')
    await ground.pause(WRITTEN_MS)
    roll.interrupt()
    await roll.ended()
    assert.deepEqual(announcedOn(cluster, 'n1'), ['MaintenanceInProgress'])
    await ground.powerOn('n1')
    const second = await ground.resume()
    assert.equal((await second.ended()).code, 0)
  }
  await cluster.time.settle(story(), LIMIT_MS)
  assert.deepEqual([announcedOn(cluster, 'n1'), await leftoversOf(ground)], [[], []])
  cluster.end()
})

const CLEAN: CrashPlan = { crashes: [], word: 'resume', nodes: 2, rolled: ['n1'], announces: true }
/**
 * By day one side of each such write, for one word and the other in turn. Both sides of every write to the node:
 * `CRASH_STRIDE=1 node test/run.ts virtual/announced`.
 */
const isEvery = process.env.CRASH_STRIDE === '1'
const WRITES = isEvery ? /^PATCH \/api\/v1\/nodes\/n1/ : /^PATCH \/api\/v1\/nodes\/n1\/status/

test('killed at each write of conditions, the roll leaves none behind after resume and abort', async () => {
  const { effects, violations } = await crashRun(CLEAN)
  assert.deepEqual(violations, [])
  const writes = effects.flatMap((effect, i) => (WRITES.test(effect) ? [i] : []))
  assert.ok(writes.length >= 4, effects.join('\n'))
  const jobs = (['resume', 'abort'] as const).flatMap((word) =>
    writes.flatMap((effect, nth) =>
      (['before', 'after'] as const)
        .filter(
          (phase) =>
            isEvery ||
            (nth % 2 === 0 ? word === 'resume' && phase === 'after' : word === 'abort' && phase === 'before'),
        )
        .map((phase): Job => {
          const point: CrashPoint = { effect, phase }
          return { kind: 'crash', plan: { ...CLEAN, word, crashes: [point] } }
        }),
    ),
  )
  const found: string[] = []
  await runJobs({ jobs, onReport: (report) => found.push(...complaints(report)) >= 0 })
  assert.deepEqual(found, [])
})
