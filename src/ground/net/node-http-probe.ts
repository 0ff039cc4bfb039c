import http, { type AgentOptions } from 'node:http'
import https from 'node:https'
import type { Lane, ProbeTarget } from '../model/probe.ts'
import type { HttpProbe, HttpVerdict } from '../ports/http-probe.ts'
import { askOnce, type PreparedTarget, prepareTarget } from './ask-once.ts'
import { KeptConnections } from './kept-connections.ts'

interface Asked {
  readonly prepared: PreparedTarget
  readonly fresh: http.Agent
  readonly kept: KeptConnections
}

/**
 * HTTP and HTTPS by Node's own client, over connections that we choose.
 *
 * Law: measured requests never go by a proxy.
 */
export class NodeHttpProbe implements HttpProbe {
  readonly #targets = new Map<ProbeTarget, Asked>()

  ask(target: ProbeTarget, lane: Lane, signal: AbortSignal): Promise<HttpVerdict> {
    const { prepared, fresh, kept } = this.#targets.get(target) ?? this.#add(target)
    if (lane === 'new') return askOnce({ prepared, agent: fresh, onReleased: () => undefined }, signal)
    const { agent, giveBack } = kept.lend()
    return askOnce({ prepared, agent, onReleased: giveBack }, signal)
  }

  close(): void {
    for (const { fresh, kept } of this.#targets.values()) {
      fresh.destroy()
      kept.close()
    }
    this.#targets.clear()
  }

  #add(target: ProbeTarget): Asked {
    const prepared = prepareTarget(target)
    // Never by a proxy: that would measure the proxy, which may answer for a service that is down.
    const agent = (options: AgentOptions): http.Agent =>
      prepared.secure
        ? new https.Agent({ ...options, proxyEnv: {}, maxCachedSessions: 0 })
        : new http.Agent({ ...options, proxyEnv: {} })
    const fresh = agent({ keepAlive: false })
    const agents = Array.from({ length: target.keptConnections }, () => agent({ keepAlive: true, maxSockets: 1 }))
    const asked = { prepared, fresh, kept: new KeptConnections(agents, fresh) }
    this.#targets.set(target, asked)
    return asked
  }
}
