import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aServer, aSpec } from '../../support/roll-world.ts'

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

test('a cordon that another program removes each time is set again ever more seldom, and given up at the limit', async (t) => {
  const roll = memoryRoll({
    servers: [aServer('n1', { currentSessions: 2 }), aServer('n2'), aServer('n3')],
    run: { spec: aSpec({ detach: { idleLimitMs: 360_000_000 } }) },
  })
  let cordons = 0
  const [patch, change] = [roll.cluster.patchNode.bind(roll.cluster), roll.cluster.change.bind(roll.cluster)]
  roll.cluster.patchNode = async (name, steps) => {
    const node = await patch(name, steps)
    if (!steps.some((step) => step.path === '/spec/unschedulable' && 'value' in step && step.value === true))
      return node
    cordons += 1
    void roll.clock.sleep(50, new AbortController().signal).then(() => change(name, { unschedulable: false }))
    return node
  }
  const running = roll.begin()
  t.after(() => leave(roll, running))
  assert.equal(await afterMinutes(roll, 9), undefined)
  assert.ok(cordons > 5 && cordons < 20, `${cordons} cordons`)
  assert.deepEqual((await afterMinutes(roll, 4))?.slice(0, 3), ['held', 3, 'UndoneByOthers'])
})
