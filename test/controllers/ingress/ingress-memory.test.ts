import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IngressMemory } from '../../../src/controllers/ingress/ingress-memory.ts'
import type { FoundDeployment } from '../../../src/core/ingress/found.ts'
import { OP_ANNOTATION } from '../../../src/core/ingress/op.ts'
import { wallMs } from '../../../src/model/time.ts'
import { aSlot, NOW } from '../../support/ingress-world.ts'

test('the operation that a slot was held for is known until the slot is given back, each object by itself', () => {
  const memory = new IngressMemory()
  const slots = [aSlot(0, 'n1', { owner: { holder: 'us', run: '', node: 'n1' } })]
  const deployment = (uid: string, op?: string) =>
    ({
      controller: { kind: '', name: '', uid },
      annotations: { 'evenkeel.dev/node': 'n1', ...(op === undefined ? {} : { [OP_ANNOTATION]: op }) },
    }) as unknown as FoundDeployment
  const note = (ours: readonly FoundDeployment[], seconds: number, held = slots) => {
    memory.noteSlots('us', { slots: held, ours, uid: 'a' }, wallMs(NOW + seconds))
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
