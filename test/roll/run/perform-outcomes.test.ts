import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EvictionAnswer } from '../../../src/ground/model/eviction.ts'
import type { Action } from '../../../src/service/model/action.ts'
import { OUT_TAINT } from '../../../src/service/model/node-record.ts'
import type { Outcome } from '../../../src/service/model/outcome.ts'
import { BOOT, EFFECTS, OTHER_BOOT, PerformWorld, SLOT, SLOT_MS } from '../../support/perform-world.ts'

const REF = { instance: 'lb-1', backend: 'web', server: 'n1' }
const EVICT = { kind: 'evict', node: 'n1', namespace: 'shop', name: 'cart-a', uid: 'uid-cart-a', stage: 2 } as const
const SET_SERVER: Action = {
  kind: 'setServer',
  node: 'n1',
  balancer: 'edge',
  ref: REF,
  state: 'drain',
  restores: false,
}
const TAKE_SLOT = { kind: 'takeSlot', node: 'n1', takeStale: false, restores: false } as const
const REBOOT = { kind: 'sendReboot', node: 'n1', bootId: BOOT } as const

const effect = (kind: Action['kind']): Action => {
  const found = EFFECTS.find((action) => action.kind === kind)
  assert.ok(found)
  return found
}

/** Without the pause, which is random. */
function failed(outcome: Outcome): object {
  assert.ok(!outcome.ok)
  const { retryInMs: _, ...rest } = outcome
  return rest
}

const retryInMs = (outcome: Outcome): number => (outcome.ok ? 0 : outcome.retryInMs)

test('an eviction is asked for in earnest, with the grace that was decided on, and without one where none was', async () => {
  const world = await new PerformWorld().hold()
  await world.perform(EVICT)
  await world.perform({ ...EVICT, graceSeconds: 7 })
  assert.deepEqual(world.evictedWith, [{ dryRun: false }, { dryRun: false, graceSeconds: 7 }])
})

test('a pod that is gone, or whose name another pod bears, counts as evicted', async () => {
  for (const kind of ['accepted', 'gone', 'replaced'] as const) {
    const world = await new PerformWorld().hold()
    world.eviction = { kind }
    assert.deepEqual(await world.perform(EVICT), { ok: true, eviction: { kind } })
  }
})

const REFUSALS: readonly (readonly [eviction: EvictionAnswer, error: string])[] = [
  [{ kind: 'namespaceTerminating' }, 'namespaceTerminating'],
  [{ kind: 'throttled', retryAfterMs: 60_000 }, 'throttled'],
  [{ kind: 'twoBudgets', text: 'more than one budget selects it' }, 'more than one budget selects it'],
]

for (const [eviction, error] of REFUSALS) {
  test(`an eviction that is answered with ${eviction.kind} is a failure in the words of the API`, async () => {
    const world = await new PerformWorld().hold()
    world.eviction = eviction
    const outcome = await world.perform(EVICT)
    assert.deepEqual(failed(outcome), { ok: false, code: `EVICTION_${eviction.kind}`, error, eviction })
    const [fromMs, toMs] = 'retryAfterMs' in eviction ? [60_000, 61_000] : [250, 1_000]
    assert.ok(retryInMs(outcome) >= fromMs && retryInMs(outcome) <= toMs, `${retryInMs(outcome)}`)
  })
}

test('each refusal of one pod makes the pauses longer, to 5 s at most, and a success starts them small again', async () => {
  const world = await new PerformWorld().hold()
  const refuse = async (): Promise<number> => {
    world.eviction = { kind: 'namespaceTerminating' }
    return retryInMs(await world.perform(EVICT))
  }
  const pauses: number[] = []
  for (let n = 0; n < 12; n += 1) pauses.push(await refuse())
  const longest = Math.max(...pauses)
  assert.ok(longest > 2_000 && longest <= 5_000, `${longest}`)
  world.eviction = { kind: 'accepted' }
  await world.perform(EVICT)
  assert.ok((await refuse()) <= 1_000)
})

test('a slot that another run holds is not given, and the outcome says whose it is', async () => {
  const world = await new PerformWorld().hold()
  const lease = world.leases.get(SLOT)
  assert.ok(lease)
  const other = new PerformWorld()
  other.leases.put({ ...lease, holder: 'run-2/p7' })
  const outcome = await other.perform(TAKE_SLOT)
  assert.deepEqual(failed(outcome), {
    ok: false,
    code: 'SLOT_TAKEN',
    error: 'another owner holds the slot',
    slot: { kind: 'taken', owner: { holder: 'run-2/p7', run: 'run-2', node: 'n1' }, staleInMs: SLOT_MS },
  })
  assert.ok(retryInMs(outcome) >= 250 && retryInMs(outcome) <= 1_000)
})

test('a slot is taken and released, and where the API does not say, neither is done', async () => {
  const world = new PerformWorld()
  const unanswered = { ok: false, code: 'SLOT_UNANSWERED', error: 'connect ECONNREFUSED' }
  world.slot.fault = 'lost'
  assert.deepEqual(failed(await world.perform(TAKE_SLOT)), unanswered)
  world.slot.fault = 'none'
  assert.deepEqual(await world.perform(TAKE_SLOT), { ok: true })
  world.slot.fault = 'lost'
  assert.deepEqual(failed(await world.perform({ kind: 'releaseSlot', node: 'n1' })), unanswered)
  world.slot.fault = 'none'
  assert.deepEqual(await world.perform({ kind: 'releaseSlot', node: 'n1' }), { ok: true })
  assert.equal(world.leases.get(SLOT)?.holder, '')
})

test('a slot whose time to act is over can still be released', async () => {
  const world = await new PerformWorld().hold()
  await world.clock.advance(SLOT_MS)
  assert.deepEqual(await world.perform({ kind: 'releaseSlot', node: 'n1' }), { ok: true })
})

test('a cordon under a held slot does not ask for the slot again', async () => {
  const world = await new PerformWorld().hold()
  world.slot.fault = 'lost'
  assert.equal((await world.perform({ kind: 'cordon', node: 'n1' })).ok, true)
})

test('a reboot under a slot that cannot be renewed says whether the API is silent or the slot is lost', async () => {
  const silent = await new PerformWorld().hold()
  silent.slot.fault = 'lost'
  assert.deepEqual(failed(await silent.perform(REBOOT)), {
    ok: false,
    code: 'SLOT_LAPSED',
    error: 'the slot could not be renewed: connect ECONNREFUSED',
  })
  for (const kind of ['sendReboot', 'writeIntent'] as const) {
    const robbed = await new PerformWorld().hold()
    const lease = robbed.leases.get(SLOT)
    assert.ok(lease)
    robbed.leases.put({ ...lease, holder: 'run-2/p7' })
    const before = robbed.seen()
    assert.deepEqual(failed(await robbed.perform(effect(kind))), {
      ok: false,
      code: 'SLOT_LAPSED',
      error: 'the slot is not renewed, so nothing is sent',
    })
    assert.deepEqual(robbed.seen(), before)
  }
})

test('a reboot is sent to the first address of the node', async () => {
  const world = await new PerformWorld().hold()
  assert.deepEqual(await world.perform(REBOOT), { ok: true, reboot: { kind: 'sent' } })
  assert.deepEqual(world.rebooted, [{ node: 'n1', address: '10.0.0.1' }])
})

test('an effect that hangs is given up after 15 s, however long the slot is held', async () => {
  const world = await new PerformWorld().hold()
  world.hangs = true
  const hanging = world.perform(SET_SERVER)
  await world.clock.advance(15_000)
  assert.deepEqual(failed(await hanging), {
    ok: false,
    code: 'DEADLINE',
    error: 'setServer lb-1 web/n1 drain did not answer within 15000 ms',
  })
  assert.equal(world.clock.monoMs(), 15_000)
})

test('sessions are cut on the balancer, and no pod is evicted for it', async () => {
  const world = await new PerformWorld().hold()
  const before = world.seen()
  await world.perform(effect('cutSessions'))
  assert.deepEqual(world.seen(), { ...before, cuts: 1 })
})

test('our taint is put on a node that has none', async () => {
  const world = await new PerformWorld({ taints: [] }).hold()
  await world.perform(effect('addTaint'))
  assert.deepEqual((await world.nodes.readNode('n1'))?.taints, [OUT_TAINT])
})

const CHANGED: readonly (readonly [change: object, kind: Action['kind'], error: string])[] = [
  [{}, 'writeRecord', 'n1 has a record now'],
  [{ annotations: {} }, 'cordon', 'n1 lost its record'],
  [{ unschedulable: false }, 'sendReboot', 'n1 is not cordoned any more'],
  [{ bootId: OTHER_BOOT }, 'sendReboot', 'n1 already has another boot id'],
]

for (const [change, kind, error] of CHANGED) {
  test(`${kind} is not done where ${error}`, async () => {
    const world = await new PerformWorld(change).hold()
    assert.deepEqual(failed(await world.perform(effect(kind))), { ok: false, code: 'NODE_CHANGED', error })
  })
}

test('a record is not written where the node was written to since it was read', async () => {
  const world = await new PerformWorld({ annotations: {} }).hold()
  const action = effect('writeRecord')
  assert.ok(action.kind === 'writeRecord')
  assert.deepEqual(failed(await world.perform({ ...action, asOf: '0' })), {
    ok: false,
    code: 'NODE_CHANGED',
    error: 'n1 changed while the roll was recording its state',
  })
})

test('what is wanted of a node or a balancer that is not there fails and says which', async () => {
  const world = await new PerformWorld().hold()
  assert.deepEqual(failed(await world.perform({ kind: 'cordon', node: 'n2' })), {
    ok: false,
    code: 'NODE_GONE',
    error: 'node n2 does not exist',
  })
  const before = world.seen()
  assert.deepEqual(failed(await world.perform({ ...SET_SERVER, balancer: 'inner' })), {
    ok: false,
    code: 'BALANCER_UNKNOWN',
    error: 'no balancer inner',
  })
  assert.deepEqual(world.seen(), before)
})

test('a write that another client overtook is repeated within 100 ms, and any other failure after 100 ms at least', async () => {
  const overtaken = await new PerformWorld().hold()
  overtaken.nodes.meanwhile = () =>
    overtaken.nodes.patch('n1', [{ op: 'add', path: '/metadata/annotations/team', value: 'others' }])
  const conflict = await overtaken.perform(effect('addTaint'))
  assert.ok(retryInMs(conflict) >= 25 && retryInMs(conflict) <= 100, `${retryInMs(conflict)}`)
  const refused = await new PerformWorld().hold()
  refused.answer = { kind: 'refused', text: 'sudo: a password is required' }
  const refusal = await refused.perform(REBOOT)
  assert.ok(retryInMs(refusal) > 100 && retryInMs(refusal) <= 400, `${retryInMs(refusal)}`)
})

test('a bug is no outcome: it is thrown as it is', async () => {
  const world = await new PerformWorld().hold()
  const bug = new TypeError('a bug')
  world.bug = bug
  for (const action of [SET_SERVER, REBOOT]) {
    await assert.rejects(world.perform(action), (error) => error === bug)
  }
})
