import type { Pauses, ScriptHands } from '../../src/demo/article-script.ts'
import type { Pod } from '../../src/ground/model/pod.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'
import type { Clock } from '../../src/ground/ports/clock.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import type { Machines } from '../../src/sim/machines/machines.ts'
import { INGRESS_NODES } from './article-nodes.ts'
import { drainAsKubectl, setCordon, waitUntil } from './kubectl-drain.ts'

interface ScriptHandsParts {
  readonly cluster: Cluster
  readonly clock: Clock
  readonly machines: Machines
  /** Sends one line to its runtime API; returns the answer. */
  readonly askBalancer: (line: string) => Promise<string>
  readonly nodes: readonly string[]
}

/**
 * The article sleeps 30 s after each boot and 300 s after each uncordon. Its machines take about a minute to boot, these a
 * second: both pauses are a sixtieth. HAProxy is as slow as there: its 10 s around each change stay, and a node that the script
 * has put out stays so for a tenth of the 300 s. That is as long as HAProxy needs to forget connections from before the reboot
 * (`pool-purge-delay` 5 s, half of them each time): with less, a script would lose what the article's does not.
 */
export const DEMO_PAUSES: Pauses = {
  afterMaintMs: 10_000,
  afterBootMs: 500,
  afterUncordonMs: 5_000,
  beforeReadyMs: 25_000,
  afterReadyMs: 10_000,
}

const BACKEND = 'web'
const RETURN_LIMIT_MS = 60_000

/** The commands of the article's script: `kubectl drain`, `reboot`, and a helper for HAProxy's socket. */
export function scriptHands(parts: ScriptHandsParts, signal: AbortSignal): ScriptHands {
  const { cluster, clock, machines, askBalancer, nodes } = parts
  return {
    nodes,
    carriesIngress: (node) => INGRESS_NODES.includes(node),
    pause: (ms) => clock.sleep(ms, signal),
    drain: async (node, what) => {
      await setCordon(cluster, { node, cordoned: true }, signal)
      const isMeant = ({ claims }: Pod): boolean => what === 'all' || claims.length > 0
      await drainAsKubectl({ cluster, clock }, { node, isMeant }, signal)
    },
    reboot: async (node) => {
      const before = (await cluster.readNode(node, signal))?.bootId
      if (machines.get(node)?.reboot() !== true) throw failed(`${node} takes no commands`)
      await waitUntil({ clock, signal, what: `${node} to come back`, limitMs: RETURN_LIMIT_MS }, async () => {
        const now = (await cluster.readNode(node, signal))?.bootId
        return now !== undefined && now !== before
      })
    },
    uncordon: (node) => setCordon(cluster, { node, cordoned: false }, signal),
    setServers: async (node, state) => {
      const answer = await askBalancer(`set server ${BACKEND}/${node} state ${state}`)
      if (answer.trim() !== '') throw failed(`the balancer says to ${node} ${state}: ${answer.trim()}`)
    },
  }
}

/** A script that cannot go on ends at that point. */
const failed = (text: string): WorldError => new WorldError(text, { code: 'DEMO_SCRIPT', retry: 'never' })
