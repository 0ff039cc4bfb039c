import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export interface WatchedProxy {
  readonly port: number
  /** How the proxy refuses every tunnel from now on; absent: it opens them. */
  refusal?: Refusal
  /** `host:port` of each tunnel that was asked for, with what came as Proxy-Authorization. */
  readonly tunnels: { readonly to: string; readonly authorization: string | undefined }[]
}

type Refusal = 'hang' | 'cut' | 407

/** An HTTP proxy that knows every name as 127.0.0.1, and opens tunnels alone. */
export async function aProxy(t: TestContext, how: Pick<WatchedProxy, 'refusal'> = {}): Promise<WatchedProxy> {
  const tunnels: { to: string; authorization: string | undefined }[] = []
  const proxy: WatchedProxy = { port: 0, tunnels, ...how }
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  server.on('connect', (request, near: Socket) => {
    t.after(() => near.destroy())
    const to = request.url ?? ''
    tunnels.push({ to, authorization: request.headers['proxy-authorization'] })
    const { refusal } = proxy
    if (refusal === 407) near.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n\r\n')
    if (refusal === 'cut') near.destroy()
    if (refusal === undefined) joined(near, Number(to.split(':').at(-1)), 'HTTP/1.1 200 Connection Established\r\n\r\n')
  })
  server.on('request', (request, response) => {
    tunnels.push({ to: request.url ?? '', authorization: request.headers['proxy-authorization'] })
    response.writeHead(502).end()
  })
  await once(server, 'listening')
  return Object.assign(proxy, { port: (server.address() as AddressInfo).port })
}

/** A SOCKS5 proxy that asks for no password (RFC 1928), and knows every name as 127.0.0.1. */
export async function aSocksProxy(t: TestContext): Promise<WatchedProxy> {
  const tunnels: { to: string; authorization: undefined }[] = []
  const server = createTcpServer((near) => {
    t.after(() => near.destroy())
    near.once('data', () => {
      near.write(Buffer.from([5, 0]))
      near.once('data', (asked) => {
        const length = asked[4] ?? 0
        const isName = asked[3] === 3
        const host = isName ? asked.toString('latin1', 5, 5 + length) : asked.subarray(4, 8).join('.')
        const port = asked.readUInt16BE(asked.length - 2)
        tunnels.push({ to: `${host}:${port}`, authorization: undefined })
        joined(near, port, Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]))
      })
    })
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, tunnels }
}

function joined(near: Socket, port: number, greeting: string | Buffer): void {
  const far = connect(port, '127.0.0.1', () => near.write(greeting))
  near.pipe(far).pipe(near)
  for (const end of [near, far]) end.on('error', () => near.destroy())
}
