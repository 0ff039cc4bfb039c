import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { ClusterIps } from '../../../src/sim/loopback/cluster-ips.ts'
import { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import { NAMESPACES } from '../../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../../src/sim/world/apply-manifest.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const PORT = 1053

/** A Service at a cluster IP, and what its EndpointSlice says. */
async function aService(t: TestContext) {
  const world = { store: new Store(), clock, random: new SeededRandom(1) }
  createObject(world, { resource: NAMESPACES, body: { metadata: { name: 'default' } } })
  const net = await LoopbackNet.open()
  const port = await net.freePort(PORT, [], 'both')
  const ips = new ClusterIps(world, { net, timers, random: new SeededRandom(2) })
  t.after(async () => {
    ips.end()
    await net.close()
  })
  const host = net.serviceAddress(10)
  const ports = ['UDP', 'TCP'].map((protocol) => ({ name: protocol.toLowerCase(), protocol, port }))
  const spec = { clusterIP: host, ports }
  applyManifest(world, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'echo' }, spec })
  const lead = (pods: readonly string[]): void =>
    applyManifest(world, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'echo', labels: { 'kubernetes.io/service-name': 'echo' } },
      addressType: 'IPv4',
      endpoints: pods.map((address) => ({ addresses: [address], conditions: { ready: true } })),
      ports,
    })
  const pods = [1, 2].map((node) => net.nodeAddress(node))
  for (const pod of pods) await echo(t, pod, port)
  return { host, port, pods, lead }
}

/** Says its own address to whatever comes, over UDP and TCP. */
async function echo(t: TestContext, address: string, port: number): Promise<void> {
  const udp = createSocket('udp4').on('message', (_, from) => udp.send(address, from.port, from.address))
  udp.bind({ port, address, exclusive: true })
  const tcp = createServer((socket) => socket.on('error', () => undefined).end(address)).listen(port, address)
  await Promise.all([once(udp, 'listening'), once(tcp, 'listening')])
  t.after(() => {
    udp.close()
    tcp.close()
  })
}

interface At {
  readonly host: string
  readonly port: number
}

function client(t: TestContext, { host, port }: At) {
  const socket: Socket = createSocket('udp4')
  t.after(() => socket.close())
  const heard: string[] = []
  socket.on('message', (bytes) => heard.push(bytes.toString()))
  const ask = () =>
    waitFor({ what: 'an answer', limitMs: 10_000, everyMs: 20 }, () => {
      const answer = heard.shift()
      if (answer === undefined) socket.send('who', port, host)
      return answer
    })
  return { ask }
}

test('a client over UDP stays with one pod, and clients together reach all of them', async (t) => {
  const { lead, pods, ...at } = await aService(t)
  lead(pods)
  const one = client(t, at)
  const first = await one.ask()
  for (let i = 0; i < 10; i += 1) assert.equal(await one.ask(), first)
  const seen = new Set<string>()
  for (let i = 0; i < 30; i += 1) seen.add(await client(t, at).ask())
  assert.deepEqual([...seen].toSorted(), pods)
})

test('a client whose pod has left the EndpointSlice is led to another one', async (t) => {
  const { lead, pods, ...at } = await aService(t)
  lead(pods)
  const one = client(t, at)
  const first = await one.ask()
  const others = pods.filter((pod) => pod !== first)
  lead(others)
  await waitFor({ what: 'another pod', limitMs: 10_000, everyMs: 20 }, async () =>
    (await one.ask()) === others[0] ? true : undefined,
  )
})

test('over TCP a connection reaches a pod; without one it is reset', async (t) => {
  const { lead, pods, host, port } = await aService(t)
  const said = async (): Promise<string> => {
    try {
      return await text(connect(port, host))
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error)
    }
  }
  await waitFor({ what: 'a reset', limitMs: 10_000 }, async () => ((await said()) === 'ECONNRESET' ? true : undefined))
  lead(pods.slice(0, 1))
  await waitFor({ what: 'a pod', limitMs: 10_000 }, async () => ((await said()) === pods[0] ? true : undefined))
})
