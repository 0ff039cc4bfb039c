import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as realSleep } from 'node:timers/promises'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { answering, FakeApiServer, status } from './fake-api-server.ts'
import { type Followed, followNodes, type Opened, openFake, until } from './opened.ts'

interface Scene extends Opened, Followed {
  readonly server: FakeApiServer
}

/** A follower that has listed node a and watches. */
async function watching(t: TestContext): Promise<Scene> {
  const server = await new FakeApiServer().start()
  server.apply('a')
  const opened = await openFake(t, server)
  const followed = followNodes(opened)
  await until(opened, 'the watch to be open', () => server.watches === 1 && followed.view.has('a'))
  return { ...opened, ...followed, server }
}

interface Fault {
  readonly title: string
  readonly strike: (scene: Scene) => Promise<void> | void
}

const GONE = { type: 'ERROR', object: status(410, 'too old resource version: 1 (2)') }

const FAULTS: readonly Fault[] = [
  { title: 'the server ends the watch', strike: ({ server }) => server.endWatches() },
  { title: 'the connection is reset', strike: ({ server }) => server.resetConnections() },
  {
    title: 'the watch says 410',
    strike: ({ server }) => {
      server.compact()
      server.say(GONE)
    },
  },
  {
    title: 'the next watch is answered with 410',
    strike: ({ server }) => {
      server.endWatches()
      server.putInTheWay('watch', answering(410, status(410)))
    },
  },
  ...[500, 503, 429, 401, 403].map((code) => ({
    title: `the next watches are answered with ${code}`,
    strike: ({ server }: Scene) => {
      server.putInTheWay('watch', answering(code, status(code), { 'retry-after': '1' }), 4)
      server.endWatches()
    },
  })),
  {
    title: 'the list after a 410 is answered with 500',
    strike: ({ server }) => {
      server.putInTheWay('list', answering(500, status(500)), 3)
      server.compact()
      server.say(GONE)
    },
  },
  {
    title: 'the list breaks off in the middle',
    strike: ({ server }) => {
      server.putInTheWay('list', (response) => {
        response.writeHead(200, { 'content-length': '1000' })
        response.write('{"items":[')
        response.socket?.destroySoon()
      })
      server.compact()
      server.say(GONE)
    },
  },
  {
    title: 'the server is down for a while',
    strike: async (scene) => {
      await scene.server.stop()
      await until(scene, 'a second failure', () => scene.events.filter(({ type }) => type === 'broken').length >= 2)
      await scene.server.start()
    },
  },
  { title: 'the watch sends what is no JSON', strike: ({ server }) => server.say('<html>\n') },
  { title: 'the watch sends an event of no type', strike: ({ server }) => server.say({ object: {} }) },
  {
    title: 'the watch sends an error without words',
    strike: ({ server }) => server.say({ type: 'ERROR', object: 'no' }),
  },
]

for (const { title, strike } of FAULTS) {
  test(`a change is seen although ${title}`, async (t) => {
    const scene = await watching(t)
    await strike(scene)
    scene.server.apply('a', { unschedulable: true })
    scene.server.apply('b')
    await until(scene, 'the change', () => scene.view.get('a') === true && scene.view.has('b'))
    assert.deepEqual([...scene.view.keys()].sort(), ['a', 'b'])
  })
}

test('a change is seen although the watch has gone mute and TCP lives on', async (t) => {
  const scene = await watching(t)
  scene.server.muteWatches()
  scene.server.apply('a', { unschedulable: true })
  await scene.clock.advance(89_000)
  assert.equal(scene.view.get('a'), false)
  await scene.clock.advance(17_000)
  await until(scene, 'the change', () => scene.view.get('a') === true)
  assert.equal(scene.server.count('list'), 2)
  await until(scene, 'the mute watch to be closed', () => scene.server.watches === 1)
})

test('a kind without changes and without bookmarks is looked at again, and is not taken for broken', async (t) => {
  const scene = await watching(t)
  for (let round = 2; round <= 6; round++) {
    await scene.clock.advance(105_000)
    await until(scene, 'the next list and watch', () => scene.server.count('watch') === round)
  }
  assert.deepEqual(new Set(scene.events.map(({ type }) => type)), new Set(['listed']))
  assert.equal(scene.server.count('list'), 6)
})

test('a link that has gone dead is reported as broken when it does not even list', async (t) => {
  const scene = await watching(t)
  scene.server.muteWatches()
  scene.server.putInTheWay('list', () => undefined)
  await scene.clock.advance(105_000)
  await until(scene, 'the list', () => scene.server.count('list') === 2)
  await scene.clock.advance(30_000)
  const broken = scene.events.find((event) => event.type === 'broken')
  assert.equal(broken?.error.code, 'KUBE_TIMEOUT')
})

test('after this machine slept, all is listed anew at once: its watches may be dead', async (t) => {
  const scene = await watching(t)
  scene.server.muteWatches()
  scene.server.apply('a', { unschedulable: true })
  const wokeAt = scene.clock.monoMs()
  await scene.clock.suspend(8 * 3_600_000)
  await until(scene, 'the list', () => scene.view.get('a') === true)
  assert.ok(scene.clock.monoMs() - wokeAt < 10_000)
})

test('a deletion during an outage is seen', async (t) => {
  const scene = await watching(t)
  await scene.server.stop()
  scene.server.delete('a')
  scene.server.compact()
  await scene.server.start()
  await until(scene, 'the deletion', () => scene.view.size === 0)
})

test('bookmarks keep a quiet watch open, and are passed on as a sign of life', async (t) => {
  const scene = await watching(t)
  for (let minute = 1; minute <= 20; minute++) {
    scene.server.bookmark()
    await until(scene, 'the bookmark', () => scene.events.filter(({ type }) => type === 'fresh').length === minute)
    await scene.clock.advance(60_000)
  }
  assert.equal(scene.server.count('watch'), 1)
  assert.equal(scene.server.requests.at(-1)?.query.get('allowWatchBookmarks'), 'true')
})

test('a watch goes on from its bookmark, not from the list', async (t) => {
  const scene = await watching(t)
  scene.server.apply('a', { unschedulable: true })
  scene.server.bookmark()
  await until(scene, 'the bookmark', () => scene.events.some(({ type }) => type === 'fresh'))
  scene.server.endWatches()
  await until(scene, 'the next watch', () => scene.server.count('watch') === 2)
  assert.equal(scene.server.requests.at(-1)?.query.get('resourceVersion'), '102')
  assert.equal(scene.server.count('list'), 1)
})

test('the server is asked to end each watch within ten minutes, and not all at the same time', async (t) => {
  const scene = await watching(t)
  for (let round = 2; round <= 6; round++) {
    scene.server.endWatches()
    await until(scene, 'the next watch', () => scene.server.count('watch') === round)
  }
  const watches = scene.server.requests.filter(({ query }) => query.has('watch'))
  const seconds = watches.map(({ query }) => Number(query.get('timeoutSeconds')))
  assert.ok(
    seconds.every((value) => value >= 300 && value < 600),
    String(seconds),
  )
  assert.ok(new Set(seconds).size > 1)
})

test('a server that ends every watch at once is not stormed, and its changes are seen', async (t) => {
  const scene = await watching(t)
  scene.server.putInTheWay('watch', (response) => response.writeHead(200).end(), 1_000_000)
  scene.server.endWatches()
  scene.server.apply('b')
  const startedAt = scene.clock.monoMs()
  await waitFor({ what: 'two virtual minutes', limitMs: 20_000, everyMs: 5 }, async () => {
    await scene.clock.advance(500)
    return scene.clock.monoMs() - startedAt >= 120_000 || undefined
  })
  const watches = scene.server.count('watch')
  assert.ok(watches >= 8 && watches <= 60, `${watches} watches in two minutes`)
  const lists = scene.server.count('list')
  assert.ok(lists >= 3 && lists <= 20, `${lists} lists in two minutes`)
  assert.ok(scene.view.has('b'), 'a change is seen by a list')
})

test('ten watches that a proxy ends at once do not wake one another', async (t) => {
  const server = await new FakeApiServer().start()
  const scene = await openFake(t, server)
  server.putInTheWay('watch', (response) => response.writeHead(200).end(), 1_000_000)
  for (let n = 0; n < 10; n += 1) followNodes(scene)
  await waitFor({ what: 'two virtual minutes', limitMs: 20_000, everyMs: 5 }, async () => {
    await scene.clock.advance(500)
    return scene.clock.monoMs() >= 120_000 || undefined
  })
  const watches = server.count('watch')
  assert.ok(watches >= 80 && watches <= 600, `${watches} watches in two minutes`)
})

test('a refused watch waits as long as Retry-After says', async (t) => {
  const scene = await watching(t)
  scene.server.putInTheWay('watch', answering(429, status(429), { 'retry-after': '30' }))
  scene.server.endWatches()
  await until(scene, 'the refusal', () => scene.events.some(({ type }) => type === 'broken'))
  const broken = scene.events.find((event) => event.type === 'broken')
  assert.ok(broken !== undefined && broken.retryInMs > 30_000 && broken.retryInMs <= 40_000, String(broken?.retryInMs))
  assert.equal(broken.error.code, 'KUBE_THROTTLED')
  await scene.clock.advance(29_000)
  await realSleep(20)
  assert.equal(scene.server.count('watch'), 2)
})

test('a malformed object is left out with a warning, and the watch goes on', async (t) => {
  const scene = await watching(t)
  const metadata = { name: 'odd', uid: 'x', resourceVersion: '500' }
  scene.server.say({ type: 'ADDED', object: { metadata, spec: { unschedulable: 'perhaps' } } })
  scene.server.apply('b')
  await until(scene, 'the next change', () => scene.view.has('b'))
  assert.deepEqual(scene.warnings, ['a malformed object is left out'])
  assert.equal(scene.server.count('watch'), 1)
})

test('a line without end is not waited for', async (t) => {
  const scene = await watching(t)
  scene.server.say('x'.repeat(17 * 1024 * 1024))
  await until(scene, 'the end of patience', () => scene.events.some(({ type }) => type === 'broken'))
  const broken = scene.events.find((event) => event.type === 'broken')
  assert.match(broken?.error.message ?? '', /a line that does not end$/)
})

test('following ends with the reason of its signal, and leaves no timer behind', async (t) => {
  const server = await new FakeApiServer().start()
  const opened = await openFake(t, server)
  const stop = new AbortController()
  const over = opened.cluster.follow('nodes', () => undefined, stop.signal)
  await until(opened, 'the watch', () => server.watches === 1)
  const reason = new Error('enough')
  stop.abort(reason)
  await assert.rejects(over, (error) => error === reason)
  await until(opened, 'the connection to end', () => server.watches === 0)
  assert.equal(opened.clock.sleeping(), 0)
})
