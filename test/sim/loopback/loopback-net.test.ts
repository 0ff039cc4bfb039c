import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'

async function aNet(t: TestContext): Promise<LoopbackNet> {
  const net = await LoopbackNet.open()
  t.after(() => net.close())
  return net
}

async function listener(t: TestContext, host: string, port = 0): Promise<Server> {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  t.after(() => server.close())
  return server
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

for (const host of ['0.0.0.0', '::']) {
  test(`a port on which something listens on ${host} is not taken, the next one is, and can be listened on`, async (t) => {
    const net = await aNet(t)
    const taken = portOf(await listener(t, host))
    const found = await net.freePort(taken)
    assert.ok(found > taken && found < taken + 100, `${found} for ${taken}`)
    const server = createServer()
    net.bind(server, { host: net.nodeAddress(1), port: found })
    await once(server, 'listening')
    t.after(() => server.close())
    assert.equal(portOf(server), found)
  })
}

test('what listens on another address of loopback alone takes no port, and what was given is not given twice', async (t) => {
  const net = await aNet(t)
  const port = portOf(await listener(t, '127.0.0.1'))
  assert.equal(await net.freePort(port), port)
  assert.notEqual(await net.freePort(port, [port]), port)
})

test('a port that is taken after all is an error of the demo with its address, and no bug', async (t) => {
  const net = await aNet(t)
  const server = createServer()
  t.after(() => server.close())
  net.bind(server, { host: net.nodeAddress(1), port: 8080 })
  await once(server, 'listening')
  assert.throws(() => server.emit('error', Object.assign(new Error('listen'), { code: 'EADDRINUSE' })), {
    code: 'demo.address-taken',
    message: `port 8080 of ${net.nodeAddress(1)} cannot be taken: EADDRINUSE`,
    fix: "end what took it since the demo began: ss -ltnp 'sport = :8080'",
  })
})

test('clusters that open at the same time get nets of their own', async (t) => {
  const nets = await Promise.all([aNet(t), aNet(t), aNet(t), aNet(t)])
  assert.equal(new Set(nets.map((net) => net.nodeAddress(1))).size, 4)
})
