import assert from 'node:assert/strict'
import { VOLUME_ATTACHMENTS } from '../../src/sim/world/api-resource.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'
import { type Json, nodeGuard, storage, volumeAttachment } from '../support/virtual-guard/guard-manifests.ts'

const test = simulationTest(import.meta.url)

async function guarded(t: SimulationContext, spec: Json, nodes = 3): Promise<GuardGround> {
  const ground = await GuardGround.open({ nodes })
  t.after(() => ground.end())
  const process = ground.begin()
  process.onError = (error) => {
    throw error
  }
  ground.apply(storage())
  ground.apply(nodeGuard(spec))
  await ground.until('every node to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
  return ground
}

for (const mode of ['PerNode', 'Budget'] as const) {
  test(`${mode}: two nodes that are drained at once go one after the other`, async (t) => {
    const ground = await guarded(t, { mode })
    assert.deepEqual(ground.guarded(), ['n1', 'n2', 'n3'])
    const [one, other] = [ground.drain('n1'), ground.drain('n2')]
    await ground.until('one of them to be drained', () => one.isOver() || other.isOver(), 30)
    const [first, second, last] = one.isOver() ? ['n1', 'n2', other] : ['n2', 'n1', one]
    assert.deepEqual(ground.slotNodes(), [first])
    await ground.notWithin(20, () => last.isOver())
    assert.ok(ground.guarded().includes(second ?? ''))
    assert.deepEqual(ground.slotNodes(), [first])
    ground.cordon(first ?? '', false)
    await ground.until('the other to be drained', () => last.isOver(), 30)
    assert.deepEqual(ground.guarded(), [first, 'n3'])
    ground.cordon(second ?? '', false)
    await ground.until('all to be guarded again', () => ground.condition('Ready') === 'True AllGuarded', 30)
    await ground.until(
      'the slot to be free',
      () => ground.slotNodes().length === 0 && ground.claimed().length === 0,
      30,
    )
    assert.deepEqual(ground.rows(), [])
  })
}

test('a node is held while a volume is on it, and the next node waits for it', async (t) => {
  const ground = await guarded(t, { holds: [{ name: 'volumes', volumes: {} }] })
  ground.apply(volumeAttachment('a', 'n1'))
  const first = ground.drain('n1')
  await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HoldStands', 10)
  await ground.notWithin(30, () => first.isOver())
  ground.remove(VOLUME_ATTACHMENTS, { name: 'a' })
  await ground.until('n1 to be drained', () => first.isOver(), 9)
})
