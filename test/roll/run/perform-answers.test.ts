import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatClaims, MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { Action } from '../../../src/service/model/action.ts'
import { OUT_TAINT } from '../../../src/service/model/node-record.ts'
import type { Outcome } from '../../../src/service/model/outcome.ts'
import { BOOT, EFFECTS, PerformWorld, SLOT } from '../../support/perform-world.ts'

const never = new AbortController().signal
const EVICT = { kind: 'evict', node: 'n1', namespace: 'shop', name: 'cart-a', uid: 'uid-cart-a', stage: 2 } as const
const CORDON = { kind: 'cordon', node: 'n1' } as const
const ASKED_AT = `/metadata/annotations/${MAINTENANCE_ANNOTATION.replace('/', '~1')}`
const effect = (kind: Action['kind']): Action => EFFECTS.find((action) => action.kind === kind) ?? assert.fail(kind)
const pause = (outcome: Outcome): number => (outcome.ok ? assert.fail('it was done') : outcome.retryInMs)
const claimOf = (run: string): string =>
  formatClaims([{ owner: `roll/${run}`, id: 'b1', at: '2026-01-01T00:00:00.000Z' }])

test('a reboot is neither announced nor sent under a slot that another run has taken', async () => {
  for (const kind of ['writeIntent', 'sendReboot'] as const) {
    const world = await new PerformWorld().hold()
    const lease = (await world.slot.readLease(SLOT, never)) ?? assert.fail('there is no slot')
    await world.slot.writeLease({ ...lease, holder: 'run-2/p1' }, never)
    const before = world.seen()
    const outcome = await world.perform(effect(kind))
    assert.deepEqual([outcome.ok || outcome.code, world.seen()], ['SLOT_LAPSED', before], kind)
  }
})

test('what a machine answered to its reboot is reported with the failure', async () => {
  const world = await new PerformWorld().hold()
  world.answer = { kind: 'refused', text: 'sudo: a password is required' }
  assert.deepEqual((await world.perform({ kind: 'sendReboot', node: 'n1', bootId: BOOT })).reboot, world.answer)
})

test('a pod is evicted for good, with the time to end that it is to have', async () => {
  const world = await new PerformWorld().hold()
  await world.perform(EVICT)
  await world.perform({ ...EVICT, graceSeconds: 30 })
  assert.deepEqual(world.evictedWith, [{ dryRun: false }, { dryRun: false, graceSeconds: 30 }])
})

test('a pod is deleted as the very one that was read, and the answers to it are those to an eviction', async () => {
  const world = await new PerformWorld().hold()
  assert.deepEqual(await world.perform({ ...EVICT, kind: 'deletePod' }), { ok: true, eviction: { kind: 'accepted' } })
  assert.deepEqual([world.deleted, world.evictedWith], [['uid-cart-a'], []])
  world.eviction = { kind: 'refused', text: 'pods "cart-a" is forbidden', status: 403 }
  const refused = await world.perform({ ...EVICT, kind: 'deletePod' })
  assert.deepEqual(refused.ok || refused.error, 'pods "cart-a" is forbidden')
})

test('where the API does not show the node no pod is evicted from it, and that is the answer to the eviction', async () => {
  const world = await new PerformWorld().hold()
  world.unread = new WorldError('get nodes: Unauthorized', { code: 'KUBE_UNAUTHORIZED', retry: 'backoff' })
  const { eviction } = await world.perform(EVICT)
  assert.deepEqual(eviction, { kind: 'passing', text: 'get nodes: Unauthorized' })
  assert.deepEqual(world.evictedWith, [])
})

test('a pod that is gone, or whose name another one bears, was evicted', async () => {
  const world = await new PerformWorld().hold()
  for (const kind of ['accepted', 'gone', 'replaced'] as const) {
    world.eviction = { kind }
    assert.deepEqual(await world.perform(EVICT), { ok: true, eviction: { kind } })
  }
  world.eviction = { kind: 'namespaceTerminating' }
  assert.equal((await world.perform(EVICT)).ok, false)
})

test('an eviction that the API asks to wait with waits as long as it is asked to', async () => {
  const world = await new PerformWorld().hold()
  world.eviction = { kind: 'throttled', retryAfterMs: 9_000 }
  assert.ok(pause(await world.perform(EVICT)) >= 9_000)
})

/** What the API says to each write of a node. */
function refusing(world: PerformWorld, code: string, retryAfterMs?: number): void {
  const facts = { code, retry: 'backoff' as const, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  world.nodes.patchNode = () => Promise.reject(new WorldError('refused', facts))
}

test('a write that the API asks to wait with waits as long as it is asked to', async () => {
  const world = await new PerformWorld().hold()
  refusing(world, 'KUBE_THROTTLED', 9_000)
  assert.ok(pause(await world.perform(CORDON)) >= 9_000)
})

test('a write that fails again and again is tried more and more rarely, and anew after one that passed', async () => {
  const world = await new PerformWorld().hold()
  const passing = world.nodes.patchNode
  refusing(world, 'KUBE_SERVER')
  const pauses: number[] = []
  for (let n = 0; n < 8; n += 1) pauses.push(pause(await world.perform(CORDON)))
  assert.ok((pauses[0] ?? 0) <= 400 && Math.max(...pauses) > 2_000, pauses.join(' '))
  world.nodes.patchNode = passing
  assert.equal((await world.perform(CORDON)).ok, true)
  refusing(world, 'KUBE_SERVER')
  for (let n = 0; n < 4; n += 1) {
    refusing(world, 'KUBE_SERVER')
    assert.ok(pause(await world.perform(CORDON)) <= 400)
    world.nodes.patchNode = passing
    await world.perform(CORDON)
  }
})

test('a write that another one was faster than is tried again at once', async () => {
  const world = await new PerformWorld().hold()
  refusing(world, 'KUBE_CONFLICT')
  assert.ok(pause(await world.perform(CORDON)) <= 100)
})

test('a record is added to what others noted on the node', async () => {
  const world = await new PerformWorld({ annotations: { team: 'ops' } }).hold()
  assert.equal((await world.perform(effect('writeRecord'))).ok, true)
  const node = await world.nodes.readNode('n1')
  assert.deepEqual([node?.annotations.team, Object.keys(node?.annotations ?? {}).length], ['ops', 2])
})

test('a taint of the name of ours and of another effect is not ours to remove', async () => {
  const theirs = { ...OUT_TAINT, effect: 'PreferNoSchedule' }
  const world = await new PerformWorld({ taints: [theirs, OUT_TAINT] }).hold()
  assert.equal((await world.perform({ kind: 'removeTaint', node: 'n1', taint: OUT_TAINT })).ok, true)
  assert.deepEqual((await world.nodes.readNode('n1'))?.taints, [theirs])
})

test('a claim that another owner makes in that very moment is neither replaced nor withdrawn', async () => {
  for (const state of ['drain', 'ready'] as const) {
    const world = await new PerformWorld().hold()
    if (state === 'ready') world.nodes.patch('n1', [{ op: 'add', path: ASKED_AT, value: claimOf('run-1') }])
    world.nodes.meanwhile = () => world.nodes.patch('n1', [{ op: 'add', path: ASKED_AT, value: claimOf('run-2') }])
    const action = effect('askAgent')
    assert.ok(action.kind === 'askAgent')
    const outcome = await world.perform({ ...action, state, restores: state === 'ready' })
    assert.equal(outcome.ok || outcome.code, 'KUBE_CONFLICT', state)
    assert.equal((await world.nodes.readNode('n1'))?.annotations[MAINTENANCE_ANNOTATION], claimOf('run-2'))
  }
})
