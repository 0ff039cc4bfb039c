import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Action } from '../../../src/service/model/action.ts'
import { EFFECTS, PerformWorld } from '../../support/perform-world.ts'

const of = (...kinds: readonly Action['kind'][]): readonly Action[] =>
  EFFECTS.filter(({ kind }) => kinds.includes(kind))

test('the labels of a pod are written to the version that was read, and its mark with the first and off with the last', async () => {
  const world = await new PerformWorld().hold()
  for (const action of of('releasePod', 'withdrawPod', 'giveBackPod')) await world.perform(action)
  const pod = { namespace: 'shop', name: 'cart-a', resourceVersion: '7' }
  const [released, withdrawn, givenBack] = world.relabelled
  assert.deepEqual([released?.pod, withdrawn?.pod, givenBack?.pod], [pod, pod, pod])
  const mark = released?.change.annotations['evenkeel.dev/polite'] ?? ''
  assert.deepEqual((JSON.parse(mark) as { labels: unknown }).labels, { app: 'cart' })
  assert.deepEqual(withdrawn?.change, { labels: { app: 'evenkeel-leaving' }, annotations: {} })
  assert.deepEqual(givenBack?.change, { labels: { app: 'cart' }, annotations: { 'evenkeel.dev/polite': null } })
})

test('a pod that no Service sends to leaves also a node that people have uncordoned', async () => {
  for (const action of of('evict')) {
    const world = await new PerformWorld({ unschedulable: false }).hold()
    assert.ok(action.kind === 'evict' && (await world.perform({ ...action, polite: true })).ok)
  }
})

test('no pod is let go from a node that was registered again without its cordon', async () => {
  for (const action of of('releasePod')) {
    for (const change of [{ unschedulable: false }, { annotations: {} }]) {
      const world = await new PerformWorld(change).hold()
      const outcome = await world.perform(action)
      assert.deepEqual([outcome.ok, world.relabelled], [false, []])
    }
  }
})
