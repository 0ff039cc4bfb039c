import type { AskedAgent } from '../../../src/service/actuators/agent/io/ask-agent.ts'
import { parseAgentHealth } from '../../../src/service/actuators/agent/io/parse-agent-health.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { Line } from '../../../src/sim/traffic/line.ts'

interface At {
  readonly address: string
  readonly port: number
}

/** One GET of `/healthz` over the virtual network; see `askAgent`. */
export const askVirtualAgent =
  ({ network }: VirtualCluster) =>
  ({ address, port }: At, signal: AbortSignal): Promise<AskedAgent> => {
    const { promise, resolve, reject } = Promise.withResolvers<AskedAgent>()
    if (signal.aborted) return Promise.reject(signal.reason)
    const line = new Line({ network, to: { host: address, port }, isKept: false })
    signal.addEventListener(
      'abort',
      () => {
        line.giveUp()
        reject(signal.reason)
      },
      { once: true },
    )
    line.ask({ path: '/healthz' }, (heard) => {
      if (heard.kind !== 'reply') return resolve({ error: heard.kind })
      if (heard.reply.status !== 200) return resolve({ error: `it answered with status ${heard.reply.status}` })
      const health = parseAgentHealth(heard.reply.body)
      resolve(health === undefined ? { error: 'what answers is not an agent' } : { health })
    })
    return promise
  }
