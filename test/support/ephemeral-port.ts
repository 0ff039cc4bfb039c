import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Until its taker listens, a port is free for the kernel, and two processes of HAProxy may even listen at the same one. */
const given = new Set<number>()

/** A TCP port of loopback that was free a moment ago, and that nothing else in this process was given. */
export const ephemeralPort = async (): Promise<number> => (await ephemeralPorts(1))[0] ?? 0

/** Several of them, all different: one at a time, the kernel may give the same port twice. `host`: where they are to be free. */
export async function ephemeralPorts(count: number, host = '127.0.0.1'): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, host))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const free = servers.map((server) => (server.address() as AddressInfo).port).filter((port) => !given.has(port))
  for (const port of free) given.add(port)
  const missing = count - free.length
  const others = missing === 0 ? [] : await ephemeralPorts(missing, host)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return [...free, ...others]
}
