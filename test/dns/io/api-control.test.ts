import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ApiControl } from '../../../src/dns/io/api-control.ts'
import { openRelay } from '../../../src/dns/io/relay/open-relay.ts'
import { RelayedSockets } from '../../../src/dns/io/relay/relayed-sockets.ts'
import { OWN_SOCKETS } from '../../../src/dns/io/sockets.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { newAuthority } from '../../../testbed/pki/authority.ts'

const never = new AbortController().signal
const { certificatePem: cert, keyPem: key } = newAuthority().issue({ commonName: 'api' }, { names: ['kubernetes'] })

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

/** What answers every request so, over TLS. */
const answering = (t: TestContext, status: number, body: string): Promise<number> =>
  listening(
    t,
    createHttps({ cert, key }, (_request, response) => response.writeHead(status).end(body)),
  )

const reaches = (port: number, sockets = OWN_SOCKETS): Promise<boolean> =>
  new ApiControl(sockets).reaches({ address: '127.0.0.1', port }, never)

const ANSWERS: readonly (readonly [what: string, status: number, body: string, is: boolean])[] = [
  ['a version', 200, '{"major":"1","minor":"35","gitVersion":"v1.35.4"}', true],
  ['a refusal, where no stranger is let in', 401, '{"kind":"Status","apiVersion":"v1","code":401}', true],
  ['the page of a proxy', 502, '<html>Bad Gateway</html>', false],
  ['JSON of something else', 200, '{"status":"ok"}', false],
  ['null', 200, 'null', false],
  ['more than any version', 200, `{"gitVersion":"v1.35.4"}${' '.repeat(100_000)}`, false],
]

for (const [what, status, body, is] of ANSWERS)
  test(`${what} is ${is ? 'of an API server' : 'of none'}`, async (t) => {
    assert.equal(await reaches(await answering(t, status, body)), is)
  })

test('a proxy that takes every connection and closes it, or speaks no TLS, is no API server', async (t) => {
  assert.equal(
    await reaches(
      await listening(
        t,
        createServer((socket) => socket.end()),
      ),
    ),
    false,
  )
  const plain = createServer((socket) =>
    socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\n\r\n{"gitVersion":"v1"}'),
  )
  assert.equal(await reaches(await listening(t, plain)), false)
})

test('a server that takes the connection and says nothing is waited for until the caller gives up', async (t) => {
  const sockets = new Set<{ destroy(): void }>()
  const port = await listening(
    t,
    createServer((socket) => sockets.add(socket)),
  )
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const late = new Error('late')
  const stop = new AbortController()
  const asked = new ApiControl(OWN_SOCKETS).reaches({ address: '127.0.0.1', port }, stop.signal)
  while (sockets.size === 0) await clock.sleep(5, never)
  stop.abort(late)
  await assert.rejects(asked, late)
})

test('it is asked through a relay as well', async (t) => {
  const stop = new AbortController()
  const relay = await openRelay({ port: 0, idleLimitMs: 5_000, sockets: OWN_SOCKETS, clock })
  const done = relay.done(stop.signal).catch(() => undefined)
  const stream = connect(relay.port, '127.0.0.1')
  t.after(() => {
    stop.abort(new Error('over'))
    stream.destroy()
    return done
  })
  const sockets = new RelayedSockets(stream)
  const control = new ApiControl(sockets)
  assert.equal(
    await control.reaches({ address: '127.0.0.1', port: await answering(t, 200, '{"gitVersion":"v1"}') }, never),
    true,
  )
  sockets.close()
  assert.equal(await control.reaches({ address: '127.0.0.1', port: 443 }, never), false)
})
