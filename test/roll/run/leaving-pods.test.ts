import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EvictionAnswer } from '../../../src/ground/model/eviction.ts'
import { LeavingPods } from '../../../src/roll/run/leaving-pods.ts'

const EVICT = { kind: 'evict', node: 'n1', namespace: 'shop', name: 'cart-a', uid: 'uid-cart-a', stage: 2 } as const
const REFUSED = { ok: false, code: 'X', error: 'no', retryInMs: 1 } as const
const PASSING = { kind: 'passing', text: 'the connection broke' } as const

/** Whether the pod counts as leaving in its own lane, and in another one. */
const ROWS: readonly (readonly [title: string, answer: EvictionAnswer | undefined, own: boolean, other: boolean])[] = [
  ['is being evicted leaves in every lane', undefined, true, true],
  ['was evicted leaves in every lane', { kind: 'accepted' }, true, true],
  ['a budget keeps serves on', { kind: 'budget', refusal: { budget: 'cart' } }, false, false],
  ['may have been evicted is asked again in its own lane, and no other one counts on it', PASSING, false, true],
]

for (const [title, eviction, own, other] of ROWS) {
  test(`of two lanes: a pod that ${title}`, () => {
    const leaving = new LeavingPods()
    leaving.begin([EVICT, { kind: 'cordon', node: 'n1' }])
    if (eviction !== undefined) leaving.answered(EVICT, { ...REFUSED, eviction })
    assert.deepEqual([leaving.of('n1').has(EVICT.uid), leaving.of('n2').has(EVICT.uid)], [own, other])
    assert.equal(leaving.of('n2'), leaving.of('n2'), 'the same set while nothing changes')
  })
}

test('what was not answered counts no more once its lane is through with the node', () => {
  const leaving = new LeavingPods()
  leaving.begin([EVICT])
  leaving.answered(EVICT, { ...REFUSED, eviction: PASSING })
  leaving.settled('n1')
  assert.deepEqual([...leaving.of('n2')], [])
})
