import assert from 'node:assert/strict'
import { outcomeDocument } from '../../src/roll/report/view/outcome-document.ts'
import { rollViewOf } from '../../src/roll/report/view/reduce-roll.ts'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import { NODES } from '../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../src/sim/world/apply-manifest.ts'
import { movedRoll, pressedPods } from '../scenarios/prefer-done.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster, settled } from '../support/virtual-roll/article-cluster.ts'
import type { CrashPoint } from '../support/virtual-roll/crash/crash-run.ts'
import { type CrashPlan, crashRun } from '../support/virtual-roll/crash/crash-run.ts'
import { complaints, type Job } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 3_600_000
const PREFER_DONE = { drain: { preferDone: true } }
const BRISK = { soak: '1s', baseline: { duration: '1s' }, settle: { limit: '2min', timesInARow: 1 } }
const MARK = 'evenkeel.dev/to-be-rolled'

async function fourNodes(): Promise<VirtualCluster> {
  const cluster = await articleCluster({ nodes: 4, replicas: 4, graceSeconds: 1 })
  for (const manifests of pressedPods('n1')) {
    for (const manifest of manifests) applyManifest(cluster.world, manifest)
    await settled(cluster)
  }
  return cluster
}

test('pods are moved less often where the nodes still to come are marked than where they are not', async () => {
  const moves: number[] = []
  for (const spec of [BRISK, { ...BRISK, ...PREFER_DONE }]) {
    const cluster = await fourNodes()
    const ground = new VirtualGround(cluster)
    const rolled = await cluster.time.settle(movedRoll(ground, spec), LIMIT_MS)
    assert.equal(rolled.code, 0, rolled.story)
    assert.deepEqual(rolled.marked, 'drain' in spec ? ['n2', 'n3', 'n4'] : [])
    assert.deepEqual(await leftoversOf(ground), [])
    moves.push(rolled.moves)
    cluster.end()
  }
  const [without = 0, preferred = 0] = moves
  assert.ok(preferred < without, `${preferred} moves with marks, ${without} without`)
})

const markedNodes = ({ world }: VirtualCluster): readonly string[] =>
  [...world.store.all(NODES)]
    .flatMap(({ metadata, spec }) => {
      const { taints = [] } = (spec ?? {}) as { taints?: readonly { key: string }[] }
      return taints.some(({ key }) => key === MARK) ? [metadata.name] : []
    })
    .toSorted()

test('a roll that is interrupted leaves no mark, and marks the nodes to come again once it goes on', async () => {
  const cluster = await fourNodes()
  const ground = new VirtualGround(cluster)
  const story = async (): Promise<void> => {
    const first = await ground.roll({ ...BRISK, ...PREFER_DONE })
    await first.untilStep('drain', 'n1')
    assert.deepEqual(markedNodes(cluster), ['n2', 'n3', 'n4'])
    first.interrupt()
    assert.equal((await first.ended()).code, 130)
    assert.deepEqual(markedNodes(cluster), [])
    const second = await ground.resume()
    await second.untilStep('drain', 'n2')
    assert.deepEqual(markedNodes(cluster), ['n3', 'n4'])
    assert.equal((await second.ended()).code, 0)
    const { podsMoved, moves } = outcomeDocument(rollViewOf([...first.events, ...second.events]))
    const solos = moves.filter(({ workload }) => workload.startsWith('Deployment default/solo-'))
    assert.deepEqual([solos.length, podsMoved > solos.length], [8, true])
  }
  await cluster.time.settle(story(), LIMIT_MS)
  assert.deepEqual(await leftoversOf(ground), [])
  cluster.end()
})

test('a roll that stops with its node out leaves no mark on the nodes it never began', async () => {
  const cluster = await fourNodes()
  const ground = new VirtualGround(cluster)
  const story = async (): Promise<void> => {
    const spec = { ...BRISK, ...PREFER_DONE, reboot: { returnLimit: '20s', resendAfter: '10s' } }
    const roll = await ground.roll(spec)
    await roll.untilStep('reboot', 'n1')
    await ground.powerOff('n1')
    await roll.until('its end', ({ type }) => type === 'roll.ended')
    assert.deepEqual(markedNodes(cluster), [])
    roll.interrupt()
    await roll.ended()
  }
  await cluster.time.settle(story(), LIMIT_MS)
  cluster.end()
})

const CLEAN: CrashPlan = { crashes: [], word: 'resume', nodes: 3, rolled: ['n1', 'n2', 'n3'], preferDone: true }
const OF_NODES = /^PATCH \/api\/v1\/nodes\/(?<node>[^/?]+)/
/** By day the writes of the marks and those right after them. All others: `CRASH_STRIDE=1 node test/run.ts virtual/prefer-done`. */
const isEvery = process.env.CRASH_STRIDE === '1'

/** Both sides of each of these writes, counted over the writes to nodes: n2 and n3 marked, n1 recorded; n2 unmarked, recorded. */
async function crashPoints(): Promise<readonly CrashPoint[]> {
  const { effects, violations } = await crashRun(CLEAN)
  assert.deepEqual(violations, [])
  const writes = effects.flatMap((effect, index) => {
    const node = OF_NODES.exec(effect)?.groups?.node
    return node === undefined ? [] : [{ index, node }]
  })
  assert.deepEqual(
    writes.slice(0, 3).map(({ node }) => node),
    ['n2', 'n3', 'n1'],
  )
  const ofSecond = writes.slice(3).filter(({ node }) => node === 'n2')
  const chosen = isEvery ? writes : [...writes.slice(1, 3), ...ofSecond.slice(0, 1)]
  const phases = isEvery ? (['before', 'after'] as const) : (['after'] as const)
  return chosen.flatMap(({ index }) => phases.map((phase) => ({ effect: index, phase })))
}

for (const word of ['resume', 'abort'] as const) {
  test(`killed at a write of the marks, the roll leaves no mark after ${word}`, async () => {
    const points = await crashPoints()
    const jobs = points.map((point): Job => ({ kind: 'crash', plan: { ...CLEAN, word, crashes: [point] } }))
    const found: string[] = []
    await runJobs({ jobs, onReport: (report) => found.push(...complaints(report)) >= 0 })
    assert.deepEqual(found, [])
  })
}
