import type { DnsPodFacts, DnsScene } from '../../core/dns/scene.ts'
import type { DnsOutcome, DnsQuestion } from '../../model/dns.ts'
import { WorldError } from '../../model/world-error.ts'
import type { DnsAsker } from '../../ports/dns-asker.ts'
import type { DnsObjects } from '../../ports/dns-objects.ts'

interface Parts {
  readonly objects: Pick<DnsObjects, 'addressesOfPodsOn'>
  readonly asker: DnsAsker
  readonly timeoutMs: number
}

/** The scene with what lies around its silent pods, and what of that could not be read: sentences. */
interface Surroundings {
  readonly scene: DnsScene
  readonly notes: readonly string[]
  readonly queries: number
}

/** Where one other pod of the node is reached the node's network is not what is broken: a few are enough to ask. */
const NEIGHBOURS = 3
/** The first connect may be lost by chance. */
const TRIES = 2
const PORT = 53
const QUESTION: DnsQuestion = { name: 'id.server', type: 'TXT', class: 'CH' }

/**
 * Asks around pods that are silent over UDP and TCP: whether other pods of their nodes are reached tells a pod's network
 * from that of its node. Where no pod answers at all this tells nothing, and is not asked. Rejects by abort alone.
 */
export async function withSurroundings(scene: DnsScene, parts: Parts, signal: AbortSignal): Promise<Surroundings> {
  const isSilent = ({ name }: DnsPodFacts): boolean => {
    const readings = scene.paths.flatMap(({ target, reading }) =>
      target.kind === 'pod' && target.name === name ? [reading] : [],
    )
    return readings.length > 0 && readings.every(({ udp, tcp }) => udp === 'silent' && tcp === 'silent')
  }
  const silent = scene.pods.filter(isSilent)
  if (silent.length === 0 || silent.length === scene.pods.length) return { scene, notes: [], queries: 0 }
  const dnsPods = new Set(scene.pods.map(({ uid }) => uid))
  const notes: string[] = []
  let queries = 0
  const around = async (pod: DnsPodFacts): Promise<DnsPodFacts> => {
    const node = scene.nodes.find(({ name }) => name === pod.node)
    if (node?.ready !== true) return pod
    try {
      const neighbours = (await parts.objects.addressesOfPodsOn(node.name, signal))
        .filter(({ uid }) => !dnsPods.has(uid))
        .slice(0, NEIGHBOURS)
      if (neighbours.length === 0) return pod
      const tries = neighbours.flatMap((neighbour) => Array.from({ length: TRIES }, () => neighbour))
      queries += tries.length
      const outcomes = await Promise.all(
        tries.map(({ address }) =>
          parts.asker.ask(
            { at: { address, port: PORT }, question: QUESTION, over: 'tcp', timeoutMs: parts.timeoutMs },
            signal,
          ),
        ),
      )
      return { ...pod, ...neighboursOf(outcomes) }
    } catch (error) {
      if (!(error instanceof WorldError)) throw error
      notes.push(`whether other pods of ${node.name} are reached is not known: ${error.message}`)
      return pod
    }
  }
  const found = new Map((await Promise.all(silent.map(around))).map((pod) => [pod.uid, pod]))
  return { scene: { ...scene, pods: scene.pods.map((pod) => found.get(pod.uid) ?? pod) }, notes, queries }
}

/** That nothing listens there was said by the pod itself: it is reached. */
function neighboursOf(outcomes: readonly DnsOutcome[]): Pick<DnsPodFacts, 'neighbours'> {
  const sent = outcomes.filter(({ kind }) => kind !== 'notAsked')
  if (sent.length === 0) return {}
  const isReached = sent.some(({ kind }) => kind !== 'timeout' && kind !== 'unreachable')
  return { neighbours: isReached ? 'reached' : 'notReached' }
}
