import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'

const MINUTE_MS = 60_000
const SLOT = { namespace: 'evenkeel', name: 'evenkeel-slot-0' }

function begun(t: TestContext, prepare: (roll: MemoryRoll) => void): MemoryRoll {
  const roll = memoryRoll()
  prepare(roll)
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return roll
}

async function afterMinutes(roll: MemoryRoll, minutes: number) {
  for (let passed = 0; passed < minutes; passed += 1) await roll.clock.advance(MINUTE_MS)
  const end = roll.ended()
  return end && [end.outcome, end.exitCode, end.reasons[0]?.code, end.reasons[0]?.text]
}

test('a balancer that refuses for the whole limit is held, in its own words, and the node is restored', async (t) => {
  const refusal = new WorldError('Permission denied', { code: 'BALANCER_PERMISSION', retry: 'never' })
  const roll = begun(t, ({ balancer }) => {
    balancer.onState = () => {
      throw refusal
    }
  })
  assert.equal(await afterMinutes(roll, 9), undefined)
  assert.equal(roll.cluster.node('n1').unschedulable, true)
  assert.deepEqual(await afterMinutes(roll, 3), ['held', 3, 'Retrying', 'Permission denied'])
  assert.deepEqual([roll.cluster.node('n1').unschedulable, roll.reboots], [false, []])
})

test('a cordon that is refused for the whole limit is held', async (t) => {
  const roll = begun(t, ({ cluster }) => {
    const patch = cluster.patchNode.bind(cluster)
    cluster.patchNode = async (name, steps) => {
      if (steps.some(({ path }) => path === '/spec/unschedulable'))
        throw new WorldError('admission webhook "x" denied the request', { code: 'KUBE_FORBIDDEN', retry: 'never' })
      return patch(name, steps)
    }
  })
  assert.equal(await afterMinutes(roll, 9), undefined)
  assert.deepEqual(await afterMinutes(roll, 3), ['held', 3, 'Retrying', 'admission webhook "x" denied the request'])
})

test('a slot that another run renews for the whole limit is waited for no longer', async (t) => {
  const roll = begun(t, () => undefined)
  const renew = (renewTime: string): void =>
    roll.cluster.leases.put({
      ...SLOT,
      resourceVersion: '',
      holder: 'run-2/x',
      durationSeconds: 120,
      renewTime,
      transitions: 0,
      annotations: {},
    })
  for (let minute = 0; minute < 9; minute += 1) {
    renew(`minute ${minute}`)
    assert.equal(await afterMinutes(roll, 1), undefined)
  }
  renew('minute 9')
  assert.deepEqual((await afterMinutes(roll, 2))?.slice(0, 3), ['held', 3, 'SlotTaken'])
})
