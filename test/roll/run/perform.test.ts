import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatClaims, MAINTENANCE_ANNOTATION, parseClaims } from '../../../src/ground/model/claims.ts'
import type { Action } from '../../../src/service/model/action.ts'
import {
  formatRecord,
  INTENT_ANNOTATION,
  OUT_TAINT,
  RECORD_ANNOTATION,
} from '../../../src/service/model/node-record.ts'
import { BOOT, EFFECTS, OTHER_BOOT, PerformWorld, SLOT_MS } from '../../support/perform-world.ts'
import { aNode, aRecord } from '../../support/roll-world.ts'

const RECORD = formatRecord(aRecord())
const UNRECORDED = { annotations: { team: 'ops' } }
const of = (...kinds: readonly Action['kind'][]): readonly Action[] =>
  EFFECTS.filter(({ kind }) => kinds.includes(kind))
const NODE_WRITES = of(
  'cordon',
  'uncordon',
  'addTaint',
  'removeTaint',
  'askAgent',
  'askDetacher',
  'writeIntent',
  'removeRecord',
)
const [writeRecord] = of('writeRecord')
const [setServer] = of('setServer')
const [askAgent] = of('askAgent')

/** The world before and after, with what came of it. */
async function tried(world: PerformWorld, action: Action) {
  const before = world.seen()
  const outcome = await world.perform(action)
  return { before, outcome, code: outcome.ok ? 'ok' : outcome.code }
}

test('nothing is done once the slot’s last renewal is older than two thirds of its duration', async () => {
  for (const action of EFFECTS) {
    const world = await new PerformWorld(action.kind === 'writeRecord' ? UNRECORDED : {}).hold()
    world.slot.fault = 'lost'
    await world.clock.advance((SLOT_MS * 2) / 3)
    const { before, code, outcome } = await tried(world, action)
    assert.equal(code, 'SLOT_LAPSED', action.kind)
    assert.deepEqual(world.seen(), before, action.kind)
    assert.ok(!outcome.ok && outcome.retryInMs > 0)
  }
})

test('a moment before, each of them is done', async () => {
  for (const action of EFFECTS) {
    const world = await new PerformWorld(action.kind === 'writeRecord' ? UNRECORDED : { taints: [OUT_TAINT] }).hold()
    await world.clock.advance((SLOT_MS * 2) / 3 - 1)
    const { before, code } = await tried(world, action)
    assert.equal(code, 'ok', action.kind)
    if (action.kind !== 'cordon') assert.notDeepEqual(world.seen(), before, action.kind)
  }
})

test('an effect that hangs is given up before the slot lapses', async () => {
  assert.ok(setServer)
  const world = await new PerformWorld().hold()
  world.hangs = true
  await world.clock.advance(15_000)
  const hanging = world.perform(setServer)
  await world.clock.advance(4_999)
  await world.clock.advance(1)
  assert.deepEqual((await hanging).ok, false)
  assert.equal(world.clock.monoMs(), 20_000)
})

test('no node is written to that does not bear its record, and no record is written over another', async () => {
  for (const action of NODE_WRITES) {
    const world = await new PerformWorld({ ...UNRECORDED, taints: [OUT_TAINT] }).hold()
    const { before, code } = await tried(world, action)
    assert.equal(code, 'NODE_CHANGED', action.kind)
    assert.deepEqual(world.seen(), before)
  }
  assert.ok(writeRecord)
  const { code } = await tried(await new PerformWorld().hold(), writeRecord)
  assert.equal(code, 'NODE_CHANGED')
})

test('no reboot is sent to a node that has the address of another one at the last moment', async () => {
  const [sendReboot] = of('sendReboot')
  assert.ok(sendReboot)
  const world = await new PerformWorld().hold()
  world.others = [aNode('n1'), aNode('n2', { internalAddresses: ['10.0.0.1'] })]
  const { before, code } = await tried(world, sendReboot)
  assert.equal(code, 'NODE_CHANGED')
  assert.deepEqual(world.seen(), before)
  world.others = [aNode('n1'), aNode('n2')]
  assert.equal((await world.perform(sendReboot)).ok, true)
})

test('a reboot is neither announced nor sent to a node that is not cordoned, or bears another boot id', async () => {
  for (const action of of('writeIntent', 'sendReboot')) {
    for (const change of [{ unschedulable: false }, { bootId: OTHER_BOOT }]) {
      const world = await new PerformWorld(change).hold()
      const { before, code } = await tried(world, action)
      assert.equal(code, 'NODE_CHANGED', action.kind)
      assert.deepEqual(world.seen(), before)
    }
  }
})

test('no pod is evicted or deleted from a node that was registered again without its cordon, whatever a watch still shows', async () => {
  for (const action of of('evict', 'deletePod')) {
    for (const change of [{ unschedulable: false }, { annotations: {} }]) {
      const world = await new PerformWorld(change).hold()
      const { before, code } = await tried(world, action)
      assert.equal(code, 'NODE_CHANGED')
      assert.deepEqual(world.seen(), before)
    }
  }
})

test('nothing is written to a node, removed from it or rebooted by a record that is not the one of this run', async () => {
  for (const record of [formatRecord(aRecord({ run: 'run-2' })), '{"version":2}', '{']) {
    const annotations = { [RECORD_ANNOTATION]: record }
    for (const action of of('cordon', 'addTaint', 'evict', 'deletePod', 'writeIntent', 'sendReboot', 'removeRecord')) {
      const world = await new PerformWorld({ annotations }).hold()
      const { before, code } = await tried(world, action)
      assert.equal(code, 'NODE_CHANGED', `${action.kind} ${record}`)
      assert.deepEqual(world.seen(), before)
    }
  }
})

test('a reboot is announced only under a slot that was renewed that very moment', async () => {
  const [writeIntent] = of('writeIntent')
  assert.ok(writeIntent)
  const world = await new PerformWorld().hold()
  world.slot.fault = 'lost'
  const { before, code } = await tried(world, writeIntent)
  assert.equal(code, 'SLOT_LAPSED')
  assert.deepEqual(world.seen(), before)
  world.slot.fault = 'none'
  assert.equal((await tried(world, writeIntent)).code, 'ok')
})

const ANOTHER_WRITER: readonly (readonly [what: string, act: (world: PerformWorld) => void])[] = [
  [
    'made it anew under the same name',
    ({ nodes }) =>
      nodes.make({ name: 'n1', bootId: BOOT, annotations: { [RECORD_ANNOTATION]: RECORD }, taints: [OUT_TAINT] }),
  ],
  [
    'wrote another record',
    ({ nodes }) =>
      nodes.patch('n1', [{ op: 'add', path: '/metadata/annotations/evenkeel.dev~1record', value: '{"run":"run-2"}' }]),
  ],
]

for (const [what, act] of ANOTHER_WRITER) {
  test(`nothing is written to a node after another writer ${what}`, async () => {
    for (const action of NODE_WRITES) {
      const world = await new PerformWorld({ taints: [OUT_TAINT] }).hold()
      world.nodes.meanwhile = () => act(world)
      assert.equal((await tried(world, action)).code, 'KUBE_CONFLICT', action.kind)
      const after = world.seen()
      const untouched = new PerformWorld({ taints: [OUT_TAINT] })
      act(untouched)
      assert.deepEqual(after, untouched.seen(), action.kind)
    }
  })
}

test('a write that depends on the whole node is refused after any other write to it', async () => {
  for (const action of of('writeRecord', 'addTaint', 'removeTaint', 'writeIntent')) {
    const world = await new PerformWorld(action.kind === 'writeRecord' ? UNRECORDED : { taints: [OUT_TAINT] }).hold()
    world.nodes.meanwhile = () =>
      world.nodes.patch('n1', [{ op: 'add', path: '/metadata/annotations/team', value: 'others' }])
    assert.equal((await tried(world, action)).code, 'KUBE_CONFLICT', action.kind)
  }
})

test('law: the record says what was there while the slot was held; what is recorded is as of the very Node that is written to', async () => {
  assert.ok(writeRecord?.kind === 'writeRecord')
  const tries = ['0', undefined].map(async (asOf) => {
    const world = await new PerformWorld(UNRECORDED).hold()
    return (await tried(world, { ...writeRecord, ...(asOf === undefined ? {} : { asOf }) })).code
  })
  assert.deepEqual(await Promise.all(tries), ['NODE_CHANGED', 'ok'])
})

test('on a node without annotations the record is the first', async () => {
  assert.ok(writeRecord)
  const world = new PerformWorld()
  world.nodes.make({ name: 'n1', bootId: BOOT })
  await world.hold()
  assert.equal((await tried(world, writeRecord)).code, 'ok')
  assert.match(JSON.stringify(world.seen()), /evenkeel\.dev\/record/)
})

test('the record goes with the intent, and what others noted stays', async () => {
  const annotations = { [RECORD_ANNOTATION]: RECORD, [INTENT_ANNOTATION]: '{}', team: 'ops' }
  const world = await new PerformWorld({ annotations }).hold()
  const [removeRecord] = of('removeRecord')
  assert.ok(removeRecord)
  await world.perform(removeRecord)
  const node = await world.nodes.readNode('n1')
  assert.deepEqual(node?.annotations, { team: 'ops' })
})

test('the taint of another client stays when ours goes', async () => {
  const theirs = { key: 'gpu', effect: 'NoSchedule' }
  const world = await new PerformWorld({ taints: [theirs, OUT_TAINT] }).hold()
  const [removeTaint] = of('removeTaint')
  assert.ok(removeTaint)
  await world.perform(removeTaint)
  assert.deepEqual((await world.nodes.readNode('n1'))?.taints, [theirs])
  const { before, code } = await tried(world, removeTaint)
  assert.equal(code, 'ok')
  assert.deepEqual(world.seen(), before)
})

test('a machine that refuses its reboot says why, and it is tried again later', async () => {
  const [sendReboot] = of('sendReboot')
  assert.ok(sendReboot)
  const world = await new PerformWorld().hold()
  world.answer = { kind: 'refused', text: 'sudo: a password is required' }
  const { outcome } = await tried(world, sendReboot)
  assert.ok(!outcome.ok && outcome.code === 'HOST_REFUSED' && outcome.error.includes('sudo') && outcome.retryInMs > 0)
  world.answer = { kind: 'unknown', text: 'the connection broke' }
  assert.deepEqual((await tried(world, sendReboot)).outcome, { ok: true, reboot: world.answer })
})

test('a reboot that is cut off by the slot’s own limit may have arrived: not knowing, and no failure to repeat', async () => {
  const [sendReboot] = of('sendReboot')
  assert.ok(sendReboot)
  const world = await new PerformWorld().hold()
  world.hangs = true
  await world.clock.advance(15_000)
  const hanging = world.perform(sendReboot)
  await world.clock.advance(20_000)
  const text = 'sendReboot n1 did not answer within 20000 ms'
  assert.deepEqual(await hanging, { ok: true, reboot: { kind: 'unknown', text } })
  assert.equal(world.clock.monoMs(), 35_000)
})

test('a reboot is not begun under a slot that cannot be renewed, however much of it is left', async () => {
  const [sendReboot] = of('sendReboot')
  assert.ok(sendReboot)
  const world = await new PerformWorld().hold()
  world.slot.fault = 'lost'
  const { before, code } = await tried(world, sendReboot)
  assert.equal(code, 'SLOT_LAPSED')
  assert.deepEqual(world.seen(), before)
})

const claimsOn = (node: { readonly annotations: Readonly<Record<string, string>> } | undefined): readonly string[] => {
  const word = parseClaims(node?.annotations[MAINTENANCE_ANNOTATION])
  return word.kind === 'claimed' ? word.claims.map(({ owner }) => owner) : [word.kind]
}

test('a roll claims a node once, by an id of its own, and the end of it takes the claim away', async () => {
  assert.ok(askAgent?.kind === 'askAgent')
  const world = await new PerformWorld().hold()
  const asked = await world.perform(askAgent)
  assert.ok(asked.ok)
  const word = parseClaims(asked.node?.annotations[MAINTENANCE_ANNOTATION])
  const [claim] = word.kind === 'claimed' ? word.claims : []
  assert.deepEqual([claim?.owner, claim?.id.length], ['roll/run-1', 16])
  const again = await world.perform(askAgent)
  assert.ok(again.ok)
  assert.equal(again.node?.annotations[MAINTENANCE_ANNOTATION], asked.node?.annotations[MAINTENANCE_ANNOTATION])
  const over = await world.perform({ ...askAgent, state: 'ready', restores: true })
  assert.ok(over.ok)
  assert.equal(over.node?.annotations[MAINTENANCE_ANNOTATION], undefined)
})

const CLAIMED_AT = `/metadata/annotations/${MAINTENANCE_ANNOTATION.replace('/', '~1')}`
const OF_OTHERS = formatClaims([
  { owner: 'person/alice', id: 'disk', why: 'a new disk' },
  { owner: 'roll/run-2', id: 'b1', at: '2026-01-01T00:00:00.000Z' },
])

test('a roll adds its claim beside those of others, and withdraws it alone', async () => {
  assert.ok(askAgent?.kind === 'askAgent')
  const world = await new PerformWorld().hold()
  world.nodes.patch('n1', [{ op: 'add', path: CLAIMED_AT, value: OF_OTHERS }])
  const asked = await world.perform(askAgent)
  assert.ok(asked.ok)
  assert.deepEqual(claimsOn(asked.node), ['person/alice', 'roll/run-1', 'roll/run-2'])
  const over = await world.perform({ ...askAgent, state: 'ready', restores: true })
  assert.ok(over.ok)
  assert.equal(over.node?.annotations[MAINTENANCE_ANNOTATION], OF_OTHERS)
})

test('a request of the last release is the claim of its run: it is not made twice, and is withdrawn', async () => {
  assert.ok(askAgent?.kind === 'askAgent')
  const world = await new PerformWorld().hold()
  const value = '{"version":1,"id":"b1","run":"run-1","at":"2026-01-01T00:00:00.000Z"}'
  world.nodes.patch('n1', [{ op: 'add', path: CLAIMED_AT, value }])
  const { code, before } = await tried(world, askAgent)
  assert.deepEqual([code, world.seen()], ['ok', before])
  const over = await world.perform({ ...askAgent, state: 'ready', restores: true })
  assert.ok(over.ok)
  assert.equal(over.node?.annotations[MAINTENANCE_ANNOTATION], undefined)
})

test('claims of others stand, whatever this run withdraws, and what cannot be read is never written over', async () => {
  assert.ok(askAgent?.kind === 'askAgent')
  const word = async (value: string, state: 'ready' | 'drain') => {
    const world = await new PerformWorld().hold()
    world.nodes.patch('n1', [{ op: 'add', path: CLAIMED_AT, value }])
    const { code, before } = await tried(world, { ...askAgent, state, restores: state === 'ready' })
    return [code, JSON.stringify(world.seen()) === JSON.stringify(before)]
  }
  assert.deepEqual(await word(OF_OTHERS, 'ready'), ['ok', true])
  assert.deepEqual(await word('until Monday', 'ready'), ['NODE_CHANGED', true])
  assert.deepEqual(await word('until Monday', 'drain'), ['ok', true])
  assert.deepEqual(await word('withdrawn', 'ready'), ['ok', true])
  assert.deepEqual(await word('withdrawn', 'drain'), ['ok', false])
})

test('a claim for which there is no room is not made, and is tried again', async () => {
  assert.ok(askAgent?.kind === 'askAgent')
  const world = await new PerformWorld().hold()
  const claims = [...Array(40).keys()].map((i) => ({ owner: `person/p${i}`, id: 'x', why: 'y'.repeat(163) }))
  world.nodes.patch('n1', [{ op: 'add', path: CLAIMED_AT, value: formatClaims(claims) }])
  const { code, before } = await tried(world, askAgent)
  assert.deepEqual([code, JSON.stringify(world.seen()) === JSON.stringify(before)], ['CLAIMS_FULL', true])
})
