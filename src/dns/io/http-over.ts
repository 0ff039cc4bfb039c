import { Agent, request } from 'node:http'
import type { Duplex } from 'node:stream'

interface Get {
  readonly path: string
  readonly host: string
  readonly accept: string
  /** The answer is given up where it is longer. */
  readonly bytesMax: number
}

export interface HttpAnswer {
  readonly status: number
  readonly text: string
  /** The answer itself says where it ends. Without that a part of it looks like the whole. */
  readonly hasEnd: boolean
}

/**
 * One GET over a connection that is made already. No redirect is followed. Rejects with the error of the connection, or with
 * that of Node where the answer breaks off or is no HTTP. The connection stays the caller’s to end, and to limit in time.
 */
export function getOver(connection: Duplex, { path, host, accept, bytesMax }: Get): Promise<HttpAnswer> {
  if (connection.destroyed) return Promise.reject(connection.errored ?? new Error('the connection is closed'))
  const agent = new Agent({ keepAlive: false })
  agent.createConnection = () => connection
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>()
  request({ agent, path, headers: { host, accept, connection: 'close' } }, (response) => {
    const { statusCode: status = 0, headers } = response
    const hasEnd = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
    const chunks: Buffer[] = []
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes > bytesMax) response.destroy(new Error(`it is longer than ${bytesMax} bytes`))
    })
    response
      .on('error', reject)
      .on('end', () => resolve({ status, hasEnd, text: Buffer.concat(chunks).toString('utf8') }))
  })
    .on('error', reject)
    .on('upgrade', () => reject(new Error('it changes the protocol')))
    .end()
  return promise
}
