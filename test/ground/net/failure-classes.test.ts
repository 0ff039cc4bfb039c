import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { ProbeTarget } from '../../../src/ground/model/probe.ts'
import { answer, aProber, aServer } from './a-server.ts'

type Behaviour = (socket: Socket, nth: number) => void

const classOf = async (t: TestContext, behaviour: Behaviour, changes: Partial<ProbeTarget> = {}) => {
  const server = await aServer(t, behaviour)
  const verdict = await aProber(t, { url: server.url, ...changes })()
  return [verdict.failure, verdict.error]
}

test('a whole answer with the right status and text is good, and says who served it', async (t) => {
  const server = await aServer(t, (socket) => socket.write(answer('all is well', 'X-Served-By: cp-1\r\n')))
  assert.deepEqual(await aProber(t, { url: server.url, expectBody: 'is well' })(), { servedBy: 'cp-1' })
})

test('a closed port is connect', async (t) => {
  const verdict = await aProber(t, { url: 'http://127.0.0.1:1/' })()
  assert.equal(verdict.failure, 'connect')
  assert.equal(verdict.error, 'connect ECONNREFUSED 127.0.0.1:1')
})

test('a name that does not exist is dns', async (t) => {
  const verdict = await aProber(t, { url: 'http://nowhere.invalid/' }, 5_000)()
  assert.equal(verdict.failure, 'dns')
})

test('a reset before the head is reset', async (t) => {
  assert.deepEqual(await classOf(t, (socket) => socket.resetAndDestroy()), ['reset', 'read ECONNRESET'])
})

test('an end before the head is reset, in other words', async (t) => {
  assert.deepEqual(await classOf(t, (socket) => socket.end()), ['reset', 'socket hang up (ECONNRESET)'])
})

test('no answer at all is noResponse', async (t) => {
  const [failure] = await classOf(t, () => undefined)
  assert.equal(failure, 'noResponse')
})

test('an unfinished head is noResponse', async (t) => {
  const [failure] = await classOf(t, (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-'))
  assert.equal(failure, 'noResponse')
})

test('a body that stops coming is stalledBody', async (t) => {
  const [failure] = await classOf(t, (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal'))
  assert.equal(failure, 'stalledBody')
})

test('a body that trickles without end is stalledBody', async (t) => {
  const [failure] = await classOf(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    const trickle = setInterval(() => socket.write('1\r\nx\r\n'), 10)
    socket.once('close', () => clearInterval(trickle))
  })
  assert.equal(failure, 'stalledBody')
})

test('a body cut short is body, by its length, in chunks, by a reset', async (t) => {
  const heads = ['Content-Length: 9\r\n\r\nhal', 'Transfer-Encoding: chunked\r\n\r\n9\r\nhal']
  for (const head of heads) {
    const [failure] = await classOf(t, (socket) => socket.end(`HTTP/1.1 200 OK\r\n${head}`))
    assert.equal(failure, 'body', head)
  }
  const [failure] = await classOf(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${heads[0]}`, () => setTimeout(() => socket.resetAndDestroy(), 50))
  })
  assert.equal(failure, 'body')
})

test('broken chunks are body', async (t) => {
  const [failure] = await classOf(t, (socket) =>
    socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhal'),
  )
  assert.equal(failure, 'body')
})

test('a status out of range is status, however its body ends', async (t) => {
  const bad = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\n'
  assert.deepEqual(await classOf(t, (socket) => socket.write(`${bad}down`)), ['status', 'HTTP 503 Service Unavailable'])
  assert.deepEqual(await classOf(t, (socket) => socket.end(`${bad}do`)), ['status', 'HTTP 503 Service Unavailable'])
  assert.deepEqual(await classOf(t, (socket) => socket.write(`${bad}do`)), ['status', 'HTTP 503 Service Unavailable'])
})

test('a redirect is an answer and is not followed', async (t) => {
  const moved = 'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'
  assert.deepEqual(await classOf(t, (socket) => socket.write(moved)), [undefined, undefined])
  assert.deepEqual(await classOf(t, (socket) => socket.write(moved), { expectStatus: [200, 299] }), [
    'status',
    'HTTP 302 Found',
  ])
})

test('a change of protocol that the probe did not ask for is status', async (t) => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'
  assert.deepEqual(await classOf(t, (socket) => socket.write(upgrade)), ['status', 'HTTP 101 Switching Protocols'])
})

test('another text than expected is content, also where it lies across two packets', async (t) => {
  const [failure] = await classOf(t, (socket) => socket.write(answer('maintenance')), { expectBody: 'all is well' })
  assert.equal(failure, 'content')
  const split = (socket: Socket): void => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nall is ')
    setTimeout(() => socket.write('well'), 30)
  }
  assert.deepEqual(await classOf(t, split, { expectBody: 'is well' }), [undefined, undefined])
})

test('what is no HTTP is content, and so is a head or a body beyond all bounds', async (t) => {
  const behaviours: readonly Behaviour[] = [
    (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nX-Filler: ${'x'.repeat(100_000)}\r\n\r\n`),
    (socket) => socket.write(answer('x'.repeat(5 * 1024 * 1024))),
  ]
  for (const behaviour of behaviours) {
    const [failure] = await classOf(t, behaviour)
    assert.equal(failure, 'content')
  }
})

test('the name of who served it is cut, whatever comes', async (t) => {
  const server = await aServer(t, (socket) => socket.write(answer('OK', `X-Served-By: ${'n'.repeat(5_000)}\r\n`)))
  assert.equal((await aProber(t, { url: server.url })()).servedBy?.length, 100)
})

const secureServer = async (t: TestContext): Promise<string> => {
  const pem = (name: string): Buffer => readFileSync(new URL(`./fixtures/self-signed-${name}.pem`, import.meta.url))
  const server = https.createServer({ key: pem('key'), cert: pem('cert') }, (_request, reply) => reply.end('OK'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('a certificate that no trusted authority signed is tls, unless that is allowed', async (t) => {
  const url = await secureServer(t)
  const verdict = await aProber(t, { url })()
  assert.equal(verdict.failure, 'tls')
  assert.match(verdict.error ?? '', /DEPTH_ZERO_SELF_SIGNED_CERT/)
  for (const lane of ['new', 'kept'] as const) assert.deepEqual(await aProber(t, { url, insecure: true })(lane), {})
})

test('a handshake that never ends, or meets plain HTTP, is tls', async (t) => {
  const silent = await aServer(t, () => undefined)
  assert.equal((await aProber(t, { url: silent.url.replace('http:', 'https:') })()).failure, 'tls')
  const plain = http.createServer((_request, reply) => reply.end('OK'))
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  t.after(() => plain.close())
  const { port } = plain.address() as AddressInfo
  assert.equal((await aProber(t, { url: `https://127.0.0.1:${port}/` })()).failure, 'tls')
})

test('a name with several addresses, all closed, is connect and says so once for each', async (t) => {
  const verdict = await aProber(t, { url: 'http://localhost:1/' })()
  assert.equal(verdict.failure, 'connect')
  assert.match(verdict.error ?? '', /ECONNREFUSED/)
})

/** Takes connections in the kernel until its queue is full, since the stopped process accepts none. */
const SLEEPY = `
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    process.stdout.write(String(server.address().port))
    process.kill(process.pid, 'SIGSTOP')
  })`

test('a connection that is never taken is connect', async (t) => {
  const child = spawn(process.execPath, ['-e', SLEEPY], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const [port] = await once(child.stdout, 'data')
  const ask = aProber(t, { url: `http://127.0.0.1:${port}/` })
  const failures = (await Promise.all(Array.from({ length: 6 }, () => ask()))).map((verdict) => verdict.failure)
  assert.ok(failures.includes('connect'), failures.join())
})
