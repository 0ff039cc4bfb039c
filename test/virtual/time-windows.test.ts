import assert from 'node:assert/strict'
import type { RollEvent, StampedEvent } from '../../src/roll/model/roll-event.ts'
import type { Step } from '../../src/roll/model/step.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster, virtualRollFile } from '../support/virtual-roll/article-cluster.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'
import { VirtualRoll } from '../support/virtual-roll/virtual-roll.ts'

const test = simulationTest(import.meta.url)

const HOUR_MS = 3_600_000
const LIMIT_MS = HOUR_MS
const BRISK = { soak: '1s', baseline: { duration: '1s' }, settle: { limit: '2min', timesInARow: 1 } }

interface Windowed {
  /** From now until the window opens; a whole number of minutes. */
  readonly opensInMin?: number
  /** It opens every hour, so that the next window is not a day away. */
  readonly isHourly?: boolean
  readonly duration?: string
  readonly window?: object
  readonly clockSetByMs?: () => number
}

/** Two nodes that serve, and a roll of both by a window of every day. */
async function windowed({
  opensInMin = 0,
  isHourly = false,
  duration = '1h',
  window = {},
  clockSetByMs,
}: Windowed = {}) {
  const cluster = await articleCluster({ nodes: 3 })
  const opens = new Date(cluster.time.wallMs() + opensInMin * 60_000)
  const cron = `${opens.getUTCMinutes()} ${isHourly ? '*' : opens.getUTCHours()} * * *`
  const spec = { ...BRISK, probes: [], window: { zone: 'UTC', open: [{ cron, duration }], ...window } }
  const disruptive: { readonly what: string; readonly at: number }[] = []
  const roll = new VirtualRoll(cluster, virtualRollFile({ spec }), {
    ...(clockSetByMs === undefined ? {} : { clockSetByMs }),
    onEffect: (what, phase) => {
      if (phase === 'before' && /eviction|^reboot /.test(what)) disruptive.push({ what, at: cluster.time.wallMs() })
    },
  })
  const boots = () => cluster.nodes.map((node) => cluster.machines.get(node)?.boots ?? 0)
  return { cluster, roll, disruptive, boots, before: boots(), opensAt: Math.floor(opens.getTime() / 60_000) * 60_000 }
}

const codesOf = (events: readonly StampedEvent[]): readonly string[] => [
  ...new Set(
    events.flatMap((event) =>
      event.type === 'hold.started' || event.type === 'hold.changed' ? event.reasons.map(({ code }) => code) : [],
    ),
  ),
]

const begins =
  (node: string, step: Step) =>
  (event: RollEvent): boolean =>
    event.type === 'step.started' && event.node === node && event.step === step

test('a roll that begins before its window touches nothing until it opens, holds no slot, and rolls then', async () => {
  const { cluster, roll, disruptive, boots, before, opensAt } = await windowed({ opensInMin: 3 })
  const plan = await roll.plan()
  assert.equal(plan.window?.isOpen, false)
  assert.deepEqual(
    plan.window?.windows.flatMap(({ nodes }) => nodes),
    cluster.nodes,
  )
  const process = await roll.begin()
  await cluster.time.advance(60_000)
  assert.deepEqual(await leftoversOf(new VirtualGround(cluster)), [])
  const end = await cluster.time.settle(process.ended, LIMIT_MS)
  assert.equal(end === 'died' ? end : end.outcome, 'completed')
  assert.deepEqual(codesOf(process.events), ['WindowClosed'])
  assert.ok(disruptive.length > 0)
  assert.ok(disruptive.every(({ at }) => at >= opensAt))
  assert.deepEqual(
    boots(),
    before.map((count) => count + 1),
  )
})

test('a roll that does not wait ends held at once, with nothing touched', async () => {
  const { cluster, roll, disruptive, boots, before } = await windowed({ opensInMin: 3, window: { waitLimit: '0s' } })
  const process = await roll.begin()
  const end = await cluster.time.settle(process.ended, 60_000)
  assert.notEqual(end, 'died')
  if (end === 'died') return
  assert.deepEqual([end.outcome, end.exitCode, end.reasons.map(({ code }) => code)], ['held', 3, ['WindowClosed']])
  assert.deepEqual([disruptive, boots()], [[], before])
  assert.deepEqual(await leftoversOf(new VirtualGround(cluster)), [])
})

test('a node that would not be done is begun in the next window', async () => {
  const { cluster, roll, boots, before, disruptive, opensAt } = await windowed({ duration: '10min', isHourly: true })
  const plan = await roll.plan()
  assert.ok((plan.window?.windows[0]?.nodes.length ?? 0) > 0)
  const process = await roll.begin()
  const end = await cluster.time.settle(process.ended, 4 * HOUR_MS)
  assert.equal(end === 'died' ? end : end.outcome, 'completed')
  assert.deepEqual(
    boots(),
    before.map((count) => count + 1),
  )
  assert.ok(disruptive.every(({ at }) => (at - opensAt) % HOUR_MS < 10 * 60_000))
})

/** The clock of the machine jumps past the window when n1 enters this step, and is right again after a while. */
const CLOSINGS: readonly (readonly [step: Step, onClose: 'restore' | 'finish', isPutBack: boolean])[] = [
  ['cordon', 'restore', true],
  ['detach', 'restore', true],
  ['drain', 'restore', true],
  ['reboot', 'restore', true],
  ['proof', 'restore', false],
  ['soak', 'restore', false],
  ['drain', 'finish', false],
]

for (const [step, onClose, isPutBack] of CLOSINGS)
  test(`a window that closes at the step ${step}: with ${onClose} the node is ${isPutBack ? 'put back and begun again later' : 'finished'}`, async () => {
    let setByMs = 0
    const { cluster, roll, disruptive, boots, before } = await windowed({
      duration: '4h',
      window: { onClose },
      clockSetByMs: () => setByMs,
    })
    const process = await roll.begin()
    let closedAt = Number.POSITIVE_INFINITY
    process.listen((event) => {
      if (!begins('n1', step)(event) || closedAt < Number.POSITIVE_INFINITY) return
      setByMs = 5 * HOUR_MS
      closedAt = cluster.time.wallMs()
    })
    const first = process.log.first((event) => event.type === 'node.ended' && event.standing.node === 'n1')
    await cluster.time.settle(first, HOUR_MS)
    await cluster.time.advance(60_000)
    const ended = process.events.flatMap((event) => (event.type === 'node.ended' ? [event.standing.state] : []))
    assert.deepEqual(ended, [isPutBack ? 'restored' : 'inService'])
    assert.deepEqual(await leftoversOf(new VirtualGround(cluster)), [])
    if (isPutBack) assert.deepEqual([disruptive.filter(({ at }) => at > closedAt), boots()], [[], before])
    assert.deepEqual(codesOf(process.events).at(-1), 'WindowClosed')
    setByMs = 0
    const end = await cluster.time.settle(process.ended, LIMIT_MS)
    assert.equal(end === 'died' ? end : end.outcome, 'completed')
    assert.deepEqual(
      boots(),
      before.map((count) => count + 1),
    )
    assert.deepEqual(await leftoversOf(new VirtualGround(cluster)), [])
  })

for (const onClose of ['restore', 'finish'] as const)
  test(`a process that is killed in the drain and resumed after the window: with ${onClose} ${onClose === 'restore' ? 'nothing is rebooted' : 'its node is finished'}`, async () => {
    const { cluster, roll, boots, before } = await windowed({ duration: '10min', window: { onClose, waitLimit: '0s' } })
    const killed = await roll.begin()
    await cluster.time.settle(killed.log.first(begins('n1', 'drain')), HOUR_MS)
    killed.kill()
    await cluster.time.advance(12 * 60_000)
    const resumed = roll.resume()
    const end = await cluster.time.settle(resumed.ended, HOUR_MS)
    assert.equal(end === 'died' ? end : end.outcome, 'held')
    assert.deepEqual(await leftoversOf(new VirtualGround(cluster)), [])
    const rebooted = onClose === 'finish' ? 1 : 0
    assert.deepEqual(
      boots(),
      before.map((count, index) => count + (index === 0 ? rebooted : 0)),
    )
  })
