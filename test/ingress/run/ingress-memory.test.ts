import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatClaims, MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import type { FoundDeployment } from '../../../src/ground/model/owned/found-workload.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { OP_ANNOTATION } from '../../../src/ingress/decide/op.ts'
import { IngressMemory } from '../../../src/ingress/run/ingress-memory.ts'
import { aClusterNode, anIngress, aSlot, NOW, OWNER } from '../../support/ingress-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const SLOTS = [aSlot(0, 'n1', { owner: { holder: 'us', run: '', node: 'n1' } })]

test('the operation that a slot was held for is known until the slot is given back, each object by itself', () => {
  const memory = new IngressMemory(new VirtualClock())
  const deployment = (uid: string, op?: string) =>
    ({
      controller: { kind: '', name: '', uid },
      annotations: { 'evenkeel.dev/node': 'n1', ...(op === undefined ? {} : { [OP_ANNOTATION]: op }) },
    }) as unknown as FoundDeployment
  const note = (ours: readonly FoundDeployment[], seconds: number, held = SLOTS) => {
    const object = { ...anIngress(), uid: 'a' }
    memory.noteSlots('us', { slots: held, ours, nodes: [], object }, wallMs(NOW + seconds))
    const { since, lost } = memory.heldSlot('us', 'n1') ?? {}
    return [since === undefined ? undefined : since - NOW, lost?.op, lost === undefined ? undefined : lost.since - NOW]
  }
  assert.deepEqual(note([deployment('a'), deployment('b', 'of-b')], 1), [1, undefined, undefined])
  assert.deepEqual(note([deployment('a', 'first')], 2), [1, undefined, undefined])
  assert.deepEqual(note([deployment('a')], 3), [1, 'first', 3])
  assert.deepEqual(note([deployment('a')], 4), [1, 'first', 3])
  assert.deepEqual(note([deployment('a', 'second')], 5), [1, undefined, undefined])
  assert.deepEqual(note([], 6, []), [undefined, undefined, undefined])
  assert.deepEqual(note([deployment('a')], 7), [7, undefined, undefined])
})

test('since when a node with a slot is not claimed any more is known of that Node, until it is claimed once more', () => {
  const memory = new IngressMemory(new VirtualClock())
  const claims = (...owners: readonly string[]) => ({
    [MAINTENANCE_ANNOTATION]: formatClaims(owners.map((owner) => ({ owner, id: 'x' }))),
  })
  const note = (seconds: number, owners?: readonly string[], uid = 'first') => {
    const nodes = owners === undefined ? [] : [aClusterNode('n1', { uid, annotations: claims(...owners) })]
    memory.noteSlots('us', { slots: SLOTS, ours: [], nodes, object: anIngress() }, wallMs(NOW + seconds))
    const { withdrawn } = memory.heldSlot('us', 'n1') ?? {}
    return withdrawn === undefined ? undefined : withdrawn - NOW
  }
  assert.equal(note(1, ['person/jo']), undefined)
  assert.equal(note(2, ['person/jo', OWNER]), undefined)
  assert.equal(note(3, ['person/jo']), 3)
  assert.equal(note(4, []), 3)
  assert.equal(note(5, [OWNER]), undefined)
  assert.equal(note(6, []), 6)
  assert.equal(note(7, [], 'second'), undefined)
  assert.equal(note(8, []), undefined)
  assert.equal(note(9, [OWNER]), undefined)
  assert.equal(note(10), undefined)
})
