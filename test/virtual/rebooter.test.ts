import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainText } from '../../src/ground/model/sentence.ts'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { SeededRandom } from '../support/seeded-random.ts'
import { articleCluster, virtualRollFile } from '../support/virtual-roll/article-cluster.ts'
import type { Lifeline } from '../support/virtual-roll/lifeline.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'
import { type DoorUse, VirtualRebooters } from '../support/virtual-roll/virtual-rebooters.ts'
import { VirtualRoll } from '../support/virtual-roll/virtual-roll.ts'

const ROLL_LIMIT_MS = 60 * 60_000
const FILE = virtualRollFile({ spec: { reboot: { rebooter: {}, resendAfter: '20s', returnLimit: '4min' } } })

const bootsOf = (cluster: VirtualCluster) => cluster.nodes.map((node) => cluster.machines.get(node)?.boots)

/** What no use of a door may be: without the intent and the slot of one run, without a cordon, or in another boot of a node that has had its reboot. */
function wrongUses(uses: readonly DoorUse[]): readonly DoorUse[] {
  return uses.filter(({ node, bootId, run, holders, isCordoned }) => {
    const isHeld = run !== undefined && holders.some((holder) => holder.startsWith(`${run}/`))
    const isSecond = uses.some((other) => other.node === node && other.bootId !== bootId)
    return !isHeld || !isCordoned || isSecond
  })
}

test('a whole roll reboots each machine once through its rebooter, without ssh', async () => {
  const cluster = await articleCluster()
  const rebooters = new VirtualRebooters({ cluster })
  await cluster.time.advance(2_000)
  const before = bootsOf(cluster)
  const roll = new VirtualRoll(cluster, FILE)
  const process = await roll.begin()
  const end = await cluster.time.settle(process.ended, ROLL_LIMIT_MS)
  assert.equal(end === 'died' ? end : end.outcome, 'completed')
  assert.deepEqual(
    bootsOf(cluster).map((boots, at) => (boots ?? 0) - (before[at] ?? 0)),
    [1, 1, 1],
  )
  assert.deepEqual([rebooters.uses.length, wrongUses(rebooters.uses)], [3, []])
  assert.deepEqual(await leftoversOf(new VirtualGround(cluster)), [])
  rebooters.end()
  cluster.end()
})

test('the plan refuses nodes without a rebooter, with one whose door is broken, and says what to do', async () => {
  const cluster = await articleCluster()
  const none = await new VirtualRoll(cluster, FILE).plan()
  const refused = ({ findings }: typeof none) =>
    findings.filter(({ severity }) => severity === 'error').map(({ node, code, text }) => [node, code, text])
  assert.deepEqual(
    refused(none),
    cluster.nodes.map((node) => [
      node,
      'HostMayNotReboot',
      `${node} cannot be rebooted this way: no rebooter runs on it`,
    ]),
  )
  assert.match(plainText(none.findings.find(({ severity }) => severity === 'error')?.fix ?? ''), /docs\/rebooter\.md/)
  const rebooters = new VirtualRebooters({ cluster, faultOf: (node) => (node === 'n2' ? 'no unit' : undefined) })
  await cluster.time.advance(2_000)
  assert.deepEqual(refused(await new VirtualRoll(cluster, FILE).plan()), [
    ['n2', 'HostMayNotReboot', 'n2 cannot be rebooted this way: no unit'],
  ])
  rebooters.end()
  cluster.end()
})

/** Ends a process with one of its effects, up to so many times. */
function killer(seed: number, kills: number) {
  const random = new SeededRandom(seed)
  const killed: string[] = []
  const onEffect = (effect: string, phase: 'before' | 'after', lifeline: Lifeline): void => {
    if (killed.length >= kills || random.next() > 0.3) return
    killed.push(`${phase} ${effect}`)
    lifeline.cut()
  }
  return { killed, onEffect }
}

const SEEDS = Array.from({ length: 4 }, (_, i) => i + 1)

for (const seed of SEEDS) {
  test(`rebooters and roll are killed with any of their writes: no node is rebooted twice (seed ${seed})`, async () => {
    const cluster = await articleCluster({ seed: String(seed) })
    const ofRebooters = killer(seed, 6)
    let isOn = false
    const rebooters = new VirtualRebooters({
      cluster,
      onEffect: (...effect) => {
        if (isOn) ofRebooters.onEffect(...effect)
      },
    })
    await cluster.time.advance(2_000)
    const before = bootsOf(cluster)
    const ofRoll = killer(seed + 1_000, 2)
    const roll = new VirtualRoll(cluster, FILE, {
      onEffect: (effect, phase, lifeline) => {
        if (isOn && effect.startsWith('PATCH /api/v1/nodes/')) ofRoll.onEffect(effect, phase, lifeline)
      },
    })
    let process = await roll.begin()
    isOn = true
    let end = await cluster.time.settle(process.ended, ROLL_LIMIT_MS)
    while (end === 'died') {
      process = roll.resume()
      end = await cluster.time.settle(process.ended, ROLL_LIMIT_MS)
    }
    assert.equal(end.outcome, 'completed')
    assert.ok(ofRebooters.killed.length > 0)
    assert.deepEqual(
      bootsOf(cluster).map((boots, at) => (boots ?? 0) - (before[at] ?? 0)),
      [1, 1, 1],
      ofRebooters.killed.join('\n'),
    )
    assert.deepEqual(wrongUses(rebooters.uses), [])
    assert.deepEqual(await leftoversOf(new VirtualGround(cluster)), [])
    rebooters.end()
    cluster.end()
  })
}
