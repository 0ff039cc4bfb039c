import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import type { Socket } from 'node:net'
import net, { type AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import tls from 'node:tls'
import { Worker } from 'node:worker_threads'
import { closedUnanswered } from '../../../src/ground/net/closed-unanswered.ts'
import { answer, aProber, aServer } from './a-server.ts'

const CLOSES = ['resetAndDestroy', 'end'] as const

/** `after`: what becomes of the requests that come after the first one, over whichever connection. */
async function servedOnce(t: TestContext, after: (socket: Socket, nthInAll: number) => void) {
  let inAll = 0
  const server = await aServer(t, (socket) => {
    inAll += 1
    if (inAll === 1) socket.write(answer())
    else after(socket, inAll)
  })
  const ask = aProber(t, { url: server.url })
  assert.deepEqual(await ask('kept'), {})
  return { ask, server }
}

test('law: only a GET on a kept connection that was closed before the first byte of its answer is repeated; by reset and by end, and the repeat is judged', async (t) => {
  for (const close of CLOSES) {
    const { ask, server } = await servedOnce(t, (socket, nth) => {
      if (nth === 2) socket[close]()
      else socket.write(answer())
    })
    assert.deepEqual(await ask('kept'), { retried: true }, close)
    assert.deepEqual(await ask('kept'), {})
    assert.equal(server.taken(), 2, 'the connection of the repeat is kept')
  }
})

test('half a status line is an answer: its request is not repeated', async (t) => {
  for (const close of CLOSES) {
    const { ask, server } = await servedOnce(t, (socket) => {
      socket.write('HTTP/1.1 20', () => setTimeout(() => socket[close](), 30))
    })
    const { failure, retried } = await ask('kept')
    assert.deepEqual([failure, retried], ['stale', undefined], close)
    assert.equal(server.taken(), 1)
  }
})

test('a request that is closed twice in a row has failed, and is not sent a third time', async (t) => {
  for (const close of CLOSES) {
    const { ask, server } = await servedOnce(t, (socket) => socket[close]())
    const { failure, retried } = await ask('kept')
    assert.deepEqual([failure, retried], ['reset', true], close)
    assert.equal(server.taken(), 2)
  }
})

test('the repeat is judged by what it comes to: an error, a wrong text, or nothing within the time of both', async (t) => {
  const verdictOf = async (second: (socket: Socket) => void) => {
    const { ask } = await servedOnce(t, (socket, nth) => (nth === 2 ? socket.end() : second(socket)))
    return ask('kept')
  }
  const bad = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'
  assert.deepEqual(await verdictOf((socket) => socket.write(bad)), {
    failure: 'status',
    error: 'HTTP 503 Service Unavailable',
    retried: true,
  })
  const since = performance.now()
  assert.equal((await verdictOf(() => undefined)).failure, 'noResponse')
  assert.ok(performance.now() - since < 700, 'one time-out for both')
})

test('a repeat that nobody takes is connect', async (t) => {
  const server = net.createServer((socket) => {
    let isFirst = true
    socket.on('data', () => {
      if (isFirst) socket.write(answer())
      else {
        server.close()
        socket.destroy()
      }
      isFirst = false
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const ask = aProber(t, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` })
  assert.deepEqual(await ask('kept'), {})
  const { failure, retried } = await ask('kept')
  assert.deepEqual([failure, retried], ['connect', true])
})

test('a connection of its own, and the first request of a kept one, are never repeated', async (t) => {
  for (const lane of ['new', 'kept'] as const) {
    const server = await aServer(t, (socket) => socket.end())
    assert.deepEqual(await aProber(t, { url: server.url })(lane), {
      failure: 'reset',
      error: 'socket hang up (ECONNRESET)',
    })
    assert.equal(server.taken(), 1)
  }
})

const pem = (name: string): Buffer => readFileSync(new URL(`./fixtures/self-signed-${name}.pem`, import.meta.url))

test('over TLS, too: the alert that closes it is no byte of an answer, and half a status line is one', async (t) => {
  for (const cut of ['end', 'destroy', 'half'] as const) {
    let [taken, asked] = [0, 0]
    const server = tls.createServer({ key: pem('key'), cert: pem('cert') }, (socket) => {
      taken += 1
      socket.on('error', () => socket.destroy())
      socket.on('data', () => {
        asked += 1
        if (asked !== 2) socket.write(answer())
        else if (cut === 'half') socket.end('HTTP/1.1 20')
        else socket[cut]()
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.after(() => server.close())
    const ask = aProber(
      t,
      { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, insecure: true },
      5_000,
    )
    assert.deepEqual(await ask('kept'), {})
    const { failure, retried } = await ask('kept')
    assert.deepEqual([failure, retried, taken], cut === 'half' ? ['stale', undefined, 1] : [undefined, true, 2], cut)
  }
})

/** In a thread of its own: closes each connection 20 ms after its first answer, whatever this thread does meanwhile. */
const IDLE_CLOSER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => {
      socket.write(workerData.answer)
      setTimeout(() => socket[workerData.close](), 20)
    })
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

test('a prober that stood still while the server closed an idle connection repeats what it then sends there', async (t) => {
  for (const close of CLOSES) {
    const worker = new Worker(IDLE_CLOSER, { eval: true, workerData: { answer: answer(), close } })
    t.after(() => worker.terminate())
    const [port] = await once(worker, 'message')
    const ask = aProber(t, { url: `http://127.0.0.1:${port}/` })
    assert.deepEqual(await ask('kept'), {})
    // The connection is free again only after a turn of the loop.
    await new Promise((resolve) => setImmediate(resolve))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
    assert.deepEqual(await ask('kept'), { retried: true }, close)
  }
})

test('a method that may have changed something is never repeated', async (t) => {
  const server = await aServer(t, (socket, nth) => {
    if (nth === 1) socket.write(answer())
    else socket.end()
  })
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    const send = async () => {
      const request = http.request(server.url, { agent, method })
      const mayRepeat = closedUnanswered(request)
      const failed = once(request, 'response').then(
        async ([response]) => void (await once(response.resume(), 'end')),
        mayRepeat,
      )
      request.end()
      return failed
    }
    assert.equal(await send(), undefined)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(await send(), method === 'GET', method)
  }
})
