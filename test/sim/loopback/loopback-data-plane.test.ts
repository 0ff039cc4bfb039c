import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { RawClient, realPlane, served } from './real-plane.ts'

const soon = (what: string, holds: () => boolean | Promise<boolean>): Promise<true> =>
  waitFor({ what, limitMs: 5_000, everyMs: 5 }, async () => ((await holds()) ? true : undefined))

test('a node port leads each new connection to one of its pods, whichever node they are on', async (t) => {
  const { address, pod, lead } = await realPlane(t)
  lead(1, [pod('a', 1), pod('b', 2)])
  await soon('an answer', async () => (await served(address(1))) !== 'ECONNREFUSED')
  const names = new Set(await Promise.all(Array.from({ length: 20 }, () => served(address(1)))))
  assert.deepEqual([...names].toSorted(), ['a/n1', 'b/n2'])
})

test('a connection that is open stays with its pod while the rules change', async (t) => {
  const { address, pod, lead } = await realPlane(t)
  const [a, b] = [pod('a', 1), pod('b', 2)]
  lead(1, [a])
  await soon('an answer', async () => (await served(address(1))) === 'a/n1')
  const client = new RawClient(t, address(1))
  client.ask()
  await soon('its first answer', () => client.said.includes('served by a/n1'))
  lead(1, [b])
  assert.equal(await served(address(1)), 'b/n2')
  client.ask()
  await soon('its next answer', () => client.said.includes('served by a/n1'))
})

test('without a pod, and without rules, a node port refuses', async (t) => {
  const { address, pod, lead } = await realPlane(t)
  assert.equal(await served(address(1)), 'ECONNREFUSED')
  lead(1, [pod('a', 1)])
  await soon('an answer', async () => (await served(address(1))) === 'a/n1')
  lead(1, [])
  assert.equal(await served(address(1)), 'ECONNREFUSED')
})

test('a process that is killed cuts its connections', async (t) => {
  const { address, pod, lead } = await realPlane(t)
  const a = pod('a', 2, { answerMs: 2_000 })
  lead(1, [a])
  await soon('an answer', async () => (await served(address(1))) === 'a/n2')
  const client = new RawClient(t, address(1))
  client.ask()
  await soon('the connection', () => client.isConnected)
  const exits: number[] = []
  a.onExit((code) => exits.push(code))
  a.kill()
  await soon('the end of the connection', () => client.state !== 'open')
  await soon('the exit', () => exits.length === 1)
  assert.deepEqual([client.said, exits], ['', [137]])
})

test('an app that leaves politely answers what is asked until its end, and says that it closes', async (t) => {
  const { address, pod, lead } = await realPlane(t)
  const a = pod('a', 1, { graceMs: 300 })
  lead(1, [a])
  await soon('an answer', async () => (await served(address(1))) === 'a/n1')
  const client = new RawClient(t, address(1))
  a.terminate()
  client.ask()
  await soon('an answer', () => client.said.includes('served by a/n1'))
  assert.match(client.said.toLowerCase(), /connection: close/)
  await soon('its end', () => client.state === 'closed')
})

test('a machine without power accepts, says nothing, and resets what it has forgotten once it is on', async (t) => {
  const { address, plane, pod, lead } = await realPlane(t)
  lead(1, [pod('a', 1), pod('b', 2)])
  await soon('an answer', async () => (await served(address(1))) !== 'ECONNREFUSED')
  const before = new RawClient(t, address(1))
  before.ask()
  await soon('an answer', () => before.said.includes('served by'))
  plane.setPower('n1', false)
  const during = new RawClient(t, address(1))
  during.ask()
  before.ask()
  await soon('the connection', () => during.isConnected)
  const dialled = Promise.withResolvers<string>()
  plane.dial({ host: address(1), port: 30_080 }, ({ kind }) => dialled.resolve(kind))
  assert.equal(await dialled.promise, 'silent')
  assert.deepEqual([before.state, before.said, during.state, during.said], ['open', '', 'open', ''])
  plane.setPower('n1', true)
  assert.equal(await served(address(1)), 'ECONNREFUSED')
  await soon('both to be reset', () => before.state !== 'open' && during.state !== 'open')
  assert.deepEqual([before.state, before.said, during.state, during.said], ['ECONNRESET', '', 'ECONNRESET', ''])
})

test('a pod on a machine without power is silent through every node', async (t) => {
  const { address, plane, pod, lead } = await realPlane(t)
  const b = pod('b', 2)
  lead(1, [b])
  await soon('an answer', async () => (await served(address(1))) === 'b/n2')
  const client = new RawClient(t, address(1))
  client.ask()
  await soon('an answer', () => client.said.includes('served by'))
  plane.setPower('n2', false)
  client.ask()
  const late = new RawClient(t, address(1))
  late.ask()
  const dialled = Promise.withResolvers<string>()
  plane.dial({ host: address(1), port: 30_080 }, ({ kind }) => dialled.resolve(kind))
  assert.equal(await dialled.promise, 'silent')
  assert.deepEqual([client.state, client.said, late.state, late.said], ['open', '', 'open', ''])
})

test('clusters on one machine have addresses of their own', async (t) => {
  const [one, other] = [await realPlane(t), await realPlane(t)]
  assert.notEqual(one.address(1), other.address(1))
  one.lead(1, [one.pod('a', 1)])
  other.lead(1, [other.pod('b', 1)])
  await soon('the one', async () => (await served(one.address(1))) === 'a/n1')
  await soon('the other', async () => (await served(other.address(1))) === 'b/n1')
})

test('where there is no loopback address but one, hosts are ports of it', async (t) => {
  const net = LoopbackNet.ofPorts()
  const { plane, pod, lead, address } = await realPlane(t, net)
  lead(1, [pod('a', 1)])
  await soon('the port', () => net.locate({ host: address(1), port: 30_080 }) !== undefined)
  const real = net.locate({ host: address(1), port: 30_080 })
  assert.equal(real?.host, '127.0.0.1')
  await soon('an answer', async () => (await served('127.0.0.1', real?.port)) === 'a/n1')
  const body = Promise.withResolvers<string>()
  plane.dial({ host: address(1), port: 30_080 }, (dialled) => {
    if (dialled.kind !== 'open') body.resolve(dialled.kind)
    else
      dialled.connection.send({ path: '/' }, (reply) => {
        body.resolve(reply === 'broken' ? reply : reply.body)
        dialled.connection.close()
      })
  })
  assert.equal(await body.promise, 'served by a/n1\n')
})
