import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { checkHealthPort } from '../../../src/ingress/io/check-health-port.ts'

async function heard(t: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.after(() => server.close())
  return checkHealthPort({ address: '127.0.0.1', port }, AbortSignal.timeout(5_000))
}

const answering = (status: number): Server =>
  createHttpServer((_, response) => {
    response.writeHead(status).end('x')
  })

const PROGRAMS: readonly (readonly [title: string, program: () => Server, heard: string])[] = [
  ['an agent that says up', () => answering(200), 'up'],
  ['an agent that says no', () => answering(503), 'out'],
  ['another HTTP server', () => answering(404), 'out'],
  ['a server of SSH', () => createServer((socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')), 'foreign'],
  ['a program that hangs up', () => createServer((socket: Socket) => socket.destroy()), 'foreign'],
]

for (const [title, program, expected] of PROGRAMS)
  test(`what a health check sees: ${title} is ${expected}`, async (t) =>
    assert.equal(await heard(t, program()), expected))

test('what a health check sees: a port at which nothing listens is out', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  assert.equal(await checkHealthPort({ address: '127.0.0.1', port }, AbortSignal.timeout(5_000)), 'out')
})
