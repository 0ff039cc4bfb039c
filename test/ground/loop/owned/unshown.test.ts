import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JoinedLists } from '../../../../src/ground/loop/owned/joined-lists.ts'
import { GATES } from '../../../../src/ground/loop/owned/owned-kinds.ts'
import { Unshown } from '../../../../src/ground/loop/owned/unshown.ts'
import type { OwnedObject } from '../../../../src/ground/model/owned-object.ts'
import { WorldError } from '../../../../src/ground/model/world-error.ts'
import { served } from '../../../support/served-object.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'

const never = new AbortController().signal
const aGate = (name: string): OwnedObject => served('PodDisruptionBudget', { metadata: { name } } as never)
const all = (): boolean => true
const names = (gates: readonly OwnedObject[]): readonly string[] => gates.map(({ name }) => name)

test('a list with what a cache does not show is the very same one while neither changes', () => {
  const gates = new Unshown({ kind: GATES, clock: new VirtualClock() })
  const shown = [aGate('one'), aGate('two')]
  assert.equal(gates.with(shown, all), shown)
  gates.note(aGate('three'))
  const joined = gates.with(shown, all)
  assert.deepEqual(names(joined), ['one', 'two', 'three'])
  assert.equal(gates.with(shown, all), joined)
  assert.equal(
    gates.with(shown, () => false),
    shown,
    'of another owner',
  )
  gates.note(aGate('two'))
  assert.deepEqual(names(gates.with(shown, all)), ['one', 'two', 'three'], 'the cache shows it meanwhile')
})

for (const [title, answer, left] of [
  ['is gone', async () => undefined, []],
  ['is there', async () => aGate('one'), ['one']],
  [
    'cannot be asked for',
    async () => {
      throw new WorldError('away', { code: 'KUBE_SERVER', retry: 'backoff' })
    },
    ['one'],
  ],
] as const)
  test(`an object that no cache has shown for half a minute is asked for: it ${title}`, async () => {
    const clock = new VirtualClock()
    const gates = new Unshown({ kind: GATES, clock })
    let asked = 0
    const objects = {
      get: async () => {
        asked += 1
        return (await answer()) as never
      },
    }
    gates.note(aGate('one'))
    await clock.advance(29_000)
    await gates.findAgain(objects, never)
    assert.deepEqual([asked, names(gates.with([], all))], [0, ['one']])
    await clock.advance(2_000)
    await gates.findAgain(objects, never)
    assert.deepEqual([asked, names(gates.with([], all))], [1, left])
  })

test('two lists are joined to the very same one while neither changes', () => {
  const lists = new JoinedLists<OwnedObject>()
  const [ours, orphan] = [[aGate('one')], aGate('two')]
  const joined = lists.of(ours, [orphan])
  assert.deepEqual(joined, [...ours, orphan])
  assert.equal(lists.of(ours, [orphan]), joined)
  assert.notEqual(lists.of(ours, [aGate('two')]), joined)
  assert.equal(lists.of(ours, []), ours)
})
