import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A TCP port of loopback that was free a moment ago. */
export const ephemeralPort = async (): Promise<number> => (await ephemeralPorts(1))[0] ?? 0

/** Several of them, all different: one at a time, the kernel may give the same port twice. */
export async function ephemeralPorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
