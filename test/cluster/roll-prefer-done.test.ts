import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { movedRoll, pressedPaths, pressedPods } from '../scenarios/prefer-done.ts'
import { requires } from '../support/requires.ts'
import { atNight, isNight } from '../support/roll-bed/at-night.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'

const real = { ...requires('testbed'), timeout: 900_000 }

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip === false && isNight) opened = await RollBed.open({ service: 'improved', replicas: 3, database: false })
})
after(async () => opened?.close())

atNight(
  'pods of real nodes are moved less often where the nodes still to come are marked, and no mark is left',
  real,
  async (t) => {
    const moves: number[] = []
    for (const drain of [{}, { preferDone: true }]) {
      const ground = new RealGround(bed)
      const [first = ''] = ground.nodes
      for (const manifests of pressedPods(first)) {
        await ground.apply(manifests)
        await bed().settled()
      }
      const rolled = await movedRoll(ground, { drain })
      t.diagnostic(`${rolled.moves} moves ${'preferDone' in drain ? 'with' : 'without'} marks`)
      assert.equal(rolled.code, 0, rolled.story)
      assert.deepEqual(rolled.marked, 'preferDone' in drain ? ground.nodes.slice(1) : [])
      assert.deepEqual(await leftoversOf(bed()), [])
      moves.push(rolled.moves)
      for (const path of pressedPaths) await bed().remove(path)
      await bed().settled()
    }
    const [without = 0, preferred = 0] = moves
    assert.ok(preferred < without, `${preferred} moves with marks, ${without} without`)
  },
)

for (const word of ['resume', 'abort'] as const) {
  atNight(`killed right after the first mark, ${word} leaves no mark on a real node`, real, async () => {
    const drain = { preferDone: true }
    const roll = bed().roll(
      '-f',
      bed().file({ spec: { drain, nodes: { names: bed().bed.nodes.slice(0, 2) } } }),
      '--yes',
    )
    await roll.until('the first mark', (event) => event.type === 'write' && event.action === 'markToCome' && event.ok)
    roll.kill('SIGKILL')
    await roll.ended()
    const { code } = await bed().roll(word).ended()
    assert.equal(code, 0)
    await bed().settled()
    assert.deepEqual(await leftoversOf(bed()), [])
  })
}
