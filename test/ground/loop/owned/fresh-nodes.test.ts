import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FollowCache } from '../../../../src/ground/loop/follow-cache.ts'
import { freshNodes } from '../../../../src/ground/loop/owned/fresh-nodes.ts'
import type { Node } from '../../../../src/ground/model/node.ts'
import { isSameNode } from '../../../../src/ground/model/same-node.ts'
import { MalformedReply } from '../../../../src/ground/model/untrusted.ts'
import { WorldError } from '../../../../src/ground/model/world-error.ts'
import { aClusterNode } from '../../../support/ingress-world.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'

const signal = new AbortController().signal

/** `reads`: what each Node is by the time it is read, where that is another one than the one in the list. */
function aCluster(nodes: readonly Node[], reads: Readonly<Record<string, Node | Error | undefined>> = {}) {
  const asked: string[] = []
  const cluster = {
    list: async () => {
      asked.push('all')
      return nodes as never
    },
    nodeVersions: async () => nodes.map(({ name, uid, resourceVersion }) => ({ name, uid, resourceVersion })),
    readNode: async (name: string) => {
      asked.push(name)
      const read = name in reads ? reads[name] : nodes.find((node) => node.name === name)
      if (read instanceof Error) throw read
      return read
    },
  }
  return { cluster, asked }
}

/** `watched`: by the watch, after the list. */
function cacheOf(listed: readonly Node[], watched: readonly Node[] = []): FollowCache<Node> {
  const cache = new FollowCache<Node>({
    follow: async (sink) => {
      sink({ type: 'listed', objects: listed })
      for (const object of watched) sink({ type: 'applied', object })
    },
    clock: new VirtualClock(),
    isSame: isSameNode,
  })
  void cache.run(signal)
  return cache
}

const [n1, n2, n3] = [aClusterNode('n1'), aClusterNode('n2'), aClusterNode('n3')]

test('a node in the version that the API server has is the one that is cached', async () => {
  const { cluster, asked } = aCluster([{ ...n1 }, { ...n2 }])
  const [first, second, ...others] = await freshNodes({ cluster, cache: cacheOf([n1, n2, n3]) }, signal)
  assert.ok(first === n1 && second === n2)
  assert.deepEqual([others, asked], [[], []])
})

test('a node that its kubelet wrote to with nothing new is the one that was cached before', async () => {
  const beat = { ...n1, resourceVersion: '2', heartbeat: 'later' }
  const { cluster, asked } = aCluster([beat])
  const [first] = await freshNodes({ cluster, cache: cacheOf([n1], [beat]) }, signal)
  assert.ok(first === n1)
  assert.deepEqual(asked, [])
})

test('a node that the watch has not told of yet, or in another version, or another one of its name, is read', async () => {
  const now = [{ ...n1, resourceVersion: '2', unschedulable: true }, { ...n2, uid: 'uid-of-a-successor' }, n3]
  const { cluster, asked } = aCluster(now)
  assert.deepEqual(await freshNodes({ cluster, cache: cacheOf([n1, n2]) }, signal), now)
  assert.deepEqual(asked, ['n1', 'n2', 'n3'])
})

test('a node that is gone by the time it is read is not there, and one that makes no sense is left out', async () => {
  const cause = new MalformedReply('status: a number was expected')
  const malformed = new WorldError('get nodes: malformed', { code: 'KUBE_REPLY', retry: 'backoff', cause })
  const { cluster } = aCluster([n1, n2, n3], { n1: undefined, n2: malformed })
  assert.deepEqual(await freshNodes({ cluster, cache: cacheOf([]) }, signal), [n3])
})

test('an answer that breaks off leaves no node out', async () => {
  const broken = new WorldError('get nodes: the reply is no JSON', { code: 'KUBE_REPLY', retry: 'backoff' })
  const { cluster } = aCluster([n1, n2], { n2: broken })
  await assert.rejects(freshNodes({ cluster, cache: cacheOf([n1]) }, signal), broken)
})

test('where very many have changed they are listed at once', async () => {
  const many = Array.from({ length: 201 }, (_, at) => aClusterNode(`n${at}`))
  const { cluster, asked } = aCluster(many)
  assert.deepEqual(await freshNodes({ cluster, cache: cacheOf([]) }, signal), many)
  assert.deepEqual(asked, ['all'])
})
