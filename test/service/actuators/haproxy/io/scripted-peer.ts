import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { InstanceAddress } from '../../../../../src/service/model/balancer-spec.ts'

/** What a peer does with a connection once the command line has come. */
export type Script = (socket: Socket, line: string) => void

/** A unix socket where not HAProxy answers but the script. */
export async function scriptedPeer(t: TestContext, script: Script): Promise<InstanceAddress> {
  const directory = await mkdtemp(join(tmpdir(), 'evenkeel-peer-'))
  const path = join(directory, 'peer.sock')
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    // The one under test may go away in the middle of anything.
    socket.on('error', () => socket.destroy())
    socket.once('data', (line) => script(socket, line.toString().trim()))
  })
  server.listen(path)
  await once(server, 'listening')
  t.after(async () => {
    for (const socket of open) socket.destroy()
    server.close()
    await rm(directory, { recursive: true, force: true })
  })
  return { kind: 'unix', path }
}

/** Answers every question about servers with `reply`, and those about stick tables with none. */
export function saying(reply: string): Script {
  return (socket, line) => {
    const isTables = line === 'show info; show table'
    const info = reply.slice(0, reply.indexOf('\n\n') + 2)
    socket.end(isTables ? `${info}\n` : reply)
  }
}
