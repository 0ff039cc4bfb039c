import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { splice } from '../machine/splice.ts'

export interface Relay {
  /** On 127.0.0.1 of the machine. */
  readonly port: number
  readonly close: () => void
}

/** Listens on the machine's loopback and passes each connection on to a unix socket. Does not keep the process alive. */
export function openRelay(socketPath: string): Promise<Relay> {
  const connections = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    connections.add(client)
    client.on('close', () => connections.delete(client))
    splice(client, connect({ path: socketPath, allowHalfOpen: true }))
  })
  server.unref()
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const { port } = server.address() as AddressInfo
      const close = (): void => {
        server.close()
        for (const connection of connections) connection.destroy()
      }
      resolve({ port, close })
    })
  })
}
