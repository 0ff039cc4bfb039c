import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ProbeTarget } from '../model/probe.ts'
import { NodeHttpProbe } from './node-http-probe.ts'

const REQUESTS = 300
const AT_ONCE = 4

/**
 * Sends requests to a server of its own until the client's code is compiled: otherwise the first requests to the target begin
 * tens of milliseconds late. Nothing leaves this machine.
 */
export async function warmUp(signal: AbortSignal): Promise<void> {
  const server = createServer((_request, answer) => answer.end('warm'))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const probe = new NodeHttpProbe()
  const target = selfTarget((server.address() as AddressInfo).port)
  for (let asked = 0; asked < REQUESTS && !signal.aborted; asked += AT_ONCE) {
    const lane = asked % (2 * AT_ONCE) === 0 ? 'new' : 'kept'
    await Promise.all(Array.from({ length: AT_ONCE }, () => probe.ask(target, lane, signal)))
  }
  probe.close()
  server.close()
  server.closeAllConnections()
}

const selfTarget = (port: number): ProbeTarget => ({
  name: 'warm-up',
  url: `http://127.0.0.1:${port}/`,
  control: false,
  ratePerSecond: 1,
  keptShare: 0.5,
  keptConnections: AT_ONCE,
  timeoutMs: 1_000,
  expectStatus: [200, 200],
  expectBody: 'warm',
  servedByHeader: 'x-served-by',
})
