import assert from 'node:assert/strict'
import { setGlobalProxyFromEnv } from 'node:http'
import { test } from 'node:test'
import { answer, aProber, aServer } from './a-server.ts'

test('a kept connection carries request after request', async (t) => {
  const server = await aServer(t, (socket) => socket.write(answer()))
  const ask = aProber(t, { url: server.url })
  for (let i = 0; i < 5; i += 1) assert.deepEqual(await ask('kept'), {})
  assert.equal(server.taken(), 1)
})

test('the new lane opens a connection for every request', async (t) => {
  const server = await aServer(t, (socket) => socket.write(answer()))
  const ask = aProber(t, { url: server.url })
  for (let i = 0; i < 5; i += 1) assert.deepEqual(await ask('new'), {})
  assert.equal(server.taken(), 5)
})

test('law: measured requests never go by a proxy; not even where the whole process does', async (t) => {
  const server = await aServer(t, (socket) => socket.write(answer()))
  const proxy = await aServer(t, (socket) => socket.write(answer()))
  t.after(setGlobalProxyFromEnv({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url }))
  const ask = aProber(t, { url: server.url })
  assert.deepEqual([await ask('new'), await ask('kept')], [{}, {}])
  assert.equal(proxy.taken(), 0)
})

test('each kept connection takes its turn', async (t) => {
  const server = await aServer(t, (socket) => socket.write(answer()))
  const ask = aProber(t, { url: server.url, keptConnections: 3 })
  for (let i = 0; i < 9; i += 1) await ask('kept')
  assert.equal(server.taken(), 3)
})

test('a busy kept connection never makes a request wait: another is opened for it', async (t) => {
  let held = 0
  const server = await aServer(t, (socket, nth) => {
    held += 1
    if (held > 1 || nth > 1) socket.write(answer())
  })
  const ask = aProber(t, { url: server.url, keptConnections: 1 })
  const stuck = ask('kept')
  assert.deepEqual(await ask('kept'), {})
  assert.deepEqual(await ask('kept'), {})
  assert.equal(server.taken(), 3)
  assert.equal((await stuck).failure, 'noResponse')
})

test('a kept connection closed while idle costs no failure', async (t) => {
  const server = await aServer(t, (socket) => socket.end(answer()))
  const ask = aProber(t, { url: server.url })
  for (let i = 0; i < 3; i += 1) {
    assert.deepEqual(await ask('kept'), {})
    // The end of the connection is on its way; a turn of the loop brings it in.
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.equal(server.taken(), 3)
})

test('a request given up frees its kept connection for a fresh one', async (t) => {
  const server = await aServer(t, (socket) => {
    if (server.taken() > 1) socket.write(answer())
  })
  const ask = aProber(t, { url: server.url }, 100)
  assert.equal((await ask('kept')).failure, 'noResponse')
  assert.deepEqual(await ask('kept'), {})
  assert.equal(server.taken(), 2)
})

test('an aborted signal is a verdict at once', async (t) => {
  const server = await aServer(t, () => undefined)
  const verdict = await aProber(t, { url: server.url }, 0)()
  assert.notEqual(verdict.failure, undefined)
})
