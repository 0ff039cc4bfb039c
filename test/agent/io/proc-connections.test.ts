import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { OwnProbes } from '../../../src/agent/io/own-probes.ts'
import { ProcConnections } from '../../../src/agent/io/proc-connections.ts'
import { TcpDataPort } from '../../../src/ground/machine/tcp-data-port.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { aFolder } from '../../ground/kube/opened.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const isOwn = (): boolean => false

async function listening(t: TestContext, host?: string): Promise<{ readonly port: number; readonly held: Socket[] }> {
  const held: Socket[] = []
  const server = createServer((socket) => held.push(socket.on('error', () => undefined).resume()))
  server.listen(host === undefined ? { port: 0 } : { port: 0, host })
  await once(server, 'listening')
  t.after(() => {
    for (const socket of held) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, held }
}

const becomes = (connections: ProcConnections, count: number | undefined): Promise<true> =>
  waitFor({ what: `${count} connections`, limitMs: 10_000, everyMs: 10 }, async () =>
    (await connections.count(never)) === count ? true : undefined,
  )

test('connections to a port of this machine are counted by its own tables', async (t) => {
  const { port } = await listening(t)
  const connections = new ProcConnections({ port, isOwn })
  assert.equal(await connections.count(never), 0)
  const clients = ['127.0.0.1', '127.0.0.1', '::1'].map((host) => connect({ port, host }))
  t.after(() => clients.map((client) => client.destroy()))
  await Promise.all(clients.map((client) => once(client, 'connect')))
  assert.equal(await connections.count(never), 3)
  for (const client of clients) client.destroy()
  await becomes(connections, 0)
})

test('where no process listens, or only at loopback, nothing is known', async (t) => {
  const { port } = await listening(t, '127.0.0.1')
  assert.equal(await new ProcConnections({ port, isOwn }).count(never), undefined)
  assert.equal(await new ProcConnections({ port: 1, isOwn }).count(never), undefined)
  assert.equal(await new ProcConnections({ port, address: '127.0.0.1', isOwn }).count(never), 0)
})

test('a check of one’s own does not count, also while its other end is not closed', async (t) => {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.resume())
  server.listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const closing = once(server, 'connection').then(([socket]) => socket as Socket)
  const clock = new VirtualClock()
  const probes = new OwnProbes(clock)
  const own = new ProcConnections({ port, isOwn: (end) => probes.has(end) })
  const everybody = new ProcConnections({ port, isOwn })
  assert.equal(
    await new TcpDataPort((from) => probes.connectedFrom(from)).answers({ address: '127.0.0.1', port }, never),
    true,
  )
  const counts = await Promise.all([everybody.count(never), own.count(never)])
  const left = await closing
  t.after(() => {
    left.destroy()
    server.close()
  })
  assert.deepEqual(counts, [1, 0])
  // A process that does not close its end for so long has a connection open.
  await clock.advance(1_001)
  assert.equal(await own.count(never), 1)
})

test('a table longer than what is read at once is read to its end, and one that cannot be read shows nothing', async (t) => {
  const folder = await aFolder(t)
  const row = (i: number, state: string): string =>
    `${String(i).padStart(4)}: 0500000A:01BB 09010A0A:${i.toString(16).toUpperCase().padStart(4, '0')} ${state} 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000 20 4 0 10 -1`
  const open = Array.from({ length: 5_000 }, (_, i) => row(i, '01'))
  await writeFile(join(folder, 'tcp'), ['  sl  local_address', ...open, row(5_000, '0A')].join('\n'))
  const of = (...tables: readonly string[]): Promise<number | undefined> =>
    new ProcConnections(
      { port: 443, isOwn },
      tables.map((name) => join(folder, name)),
    ).count(never)
  assert.equal(await of('tcp'), 5_000)
  assert.equal(await of('tcp', 'not-there'), 5_000)
  assert.equal(await of('tcp', '.'), undefined)
})
