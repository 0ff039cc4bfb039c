import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { splice } from '../machine/splice.ts'

/**
 * Opens a way into the rack: a unix socket, which can be reached from other network namespaces, whose connections go on
 * to an address inside. Where nothing listens there, the connection is closed at once. Gives the socket's path.
 */
export function openPassage(runtime: string, host: string, port: number): Promise<string> {
  const path = join(runtime, `to-${host}-${port}`)
  const server = createServer({ allowHalfOpen: true }, (outside) => {
    splice(outside, connect({ host, port, allowHalfOpen: true }))
  })
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(path, () => resolve(path))
  })
}
