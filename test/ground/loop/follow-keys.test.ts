import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FollowCache } from '../../../src/ground/loop/follow-cache.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

interface OfNode {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly node: string
}

const pod = (name: string, node: string, resourceVersion = '1', uid = name): OfNode => ({
  namespace: 'shop',
  name,
  uid,
  resourceVersion,
  node,
})

/** A cache of pods whose stream the test writes. */
function pods(isNews?: (before: OfNode, now: OfNode) => boolean) {
  const lines: string[] = []
  let changes = 0
  let send: (event: FollowEvent<OfNode>) => void = () => assert.fail('nobody follows')
  const cache = new FollowCache<OfNode>({
    follow: (sink) => {
      send = sink
      return new Promise(() => undefined)
    },
    clock: new VirtualClock(),
    onChange: () => {
      changes += 1
    },
    onKey: (key, { before, now }) => {
      assert.deepEqual(cache.get(key), now, 'the cache shows it already')
      const isOn = (node: string) => onNode.get(node).some(({ name }) => `shop/${name}` === key)
      assert.equal(isOn('n1'), now?.node === 'n1', 'and so does the index')
      lines.push(`${key}: ${before?.node ?? 'none'} to ${now?.node ?? 'none'}`)
    },
    ...(isNews === undefined ? {} : { isNews }),
  })
  const onNode = cache.index(({ node }) => (node === '' ? [] : [node]))
  void cache.run(new AbortController().signal)
  const tell = (event: FollowEvent<OfNode>): readonly string[] => {
    send(event)
    return lines.splice(0)
  }
  const on = (node: string): readonly string[] => onNode.get(node).map(({ name }) => name)
  return { cache, tell, on, changes: () => changes }
}

test('a list is in place as a whole, before the first of its keys is reported', () => {
  let seen: readonly string[] = []
  let send: (event: FollowEvent<OfNode>) => void = () => undefined
  const cache: FollowCache<OfNode> = new FollowCache<OfNode>({
    follow: (sink) => {
      send = sink
      return new Promise(() => undefined)
    },
    clock: new VirtualClock(),
    onKey: () => {
      if (seen.length === 0) seen = onNode.get('n1').map(({ name }) => name)
    },
  })
  const onNode = cache.index(({ node }) => [node])
  void cache.run(new AbortController().signal)
  send({ type: 'listed', objects: [pod('a', 'n1'), pod('b', 'n1')] })
  assert.deepEqual(seen, ['a', 'b'])
  assert.equal(cache.freshness().synced, true)
})

test('each change names its key, with what was there before and what is now', () => {
  const { tell } = pods()
  assert.deepEqual(tell({ type: 'listed', objects: [pod('a', 'n1'), pod('b', '')] }), [
    'shop/a: none to n1',
    'shop/b: none to ',
  ])
  assert.deepEqual(tell({ type: 'applied', object: pod('b', 'n2', '2') }), ['shop/b:  to n2'])
  assert.deepEqual(tell({ type: 'deleted', object: pod('a', 'n1', '3') }), ['shop/a: n1 to none'])
  assert.deepEqual(tell({ type: 'deleted', object: pod('a', 'n1', '3') }), [])
  assert.deepEqual(tell({ type: 'fresh' }), [])
})

test('a list after a gap tells the keys that changed in it, and no others', () => {
  const { tell, on } = pods()
  tell({ type: 'listed', objects: [pod('a', 'n1'), pod('b', 'n1'), pod('c', 'n1')] })
  const now = [pod('b', 'n1'), pod('c', 'n1', '9', 'successor'), pod('d', 'n2', '8')]
  assert.deepEqual(tell({ type: 'listed', objects: now }), [
    'shop/a: n1 to none',
    'shop/c: n1 to n1',
    'shop/d: none to n2',
  ])
  assert.deepEqual([on('n1'), on('n2')], [['b', 'c'], ['d']])
})

test('an object that is no news is kept and found, and no listener is called', () => {
  const { cache, tell, on, changes } = pods((before, now) => before.node !== now.node)
  tell({ type: 'listed', objects: [pod('a', 'n1')] })
  assert.deepEqual(tell({ type: 'applied', object: pod('a', 'n1', '2') }), [])
  assert.equal(changes(), 1)
  assert.equal(cache.get('shop/a')?.resourceVersion, '2')
  assert.deepEqual(on('n1'), ['a'])
})

test('an index follows each object from one value to another, and out of it', () => {
  const { tell, on } = pods()
  tell({ type: 'listed', objects: [pod('b', 'n1'), pod('a', 'n1')] })
  assert.deepEqual(on('n1'), ['a', 'b'])
  tell({ type: 'applied', object: pod('a', 'n2', '2') })
  assert.deepEqual([on('n1'), on('n2')], [['b'], ['a']])
  tell({ type: 'deleted', object: pod('b', 'n1', '3') })
  assert.deepEqual(on('n1'), [])
})

test('an index that is asked for late has what was there before it, and several values find one object', () => {
  const { cache, tell } = pods()
  tell({ type: 'listed', objects: [pod('a', 'n1')] })
  const words = cache.index(({ name, node }) => [name, node])
  assert.deepEqual([words.get('a'), words.get('n1'), words.get('n2')], [[pod('a', 'n1')], [pod('a', 'n1')], []])
})

test('a list that was looked up does not change under its reader', () => {
  const { cache, tell } = pods()
  const onNode = cache.index(({ node }) => [node])
  tell({ type: 'listed', objects: [pod('a', 'n1')] })
  const seen = onNode.get('n1')
  tell({ type: 'applied', object: pod('b', 'n1', '2') })
  assert.deepEqual(seen, [pod('a', 'n1')])
})
