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
  const silent = scene.pods.filter((pod) => isSilent(scene, pod))
  if (silent.length === scene.pods.length) return { scene, notes: [], queries: 0 }
  const dnsPods = new Set(scene.pods.map(({ uid }) => uid))
  const notes: string[] = []
  let queries = 0
  const around = async (pod: DnsPodFacts): Promise<DnsPodFacts> => {
    const node = scene.nodes.find(({ name }) => name === pod.node)
    if (node?.ready !== true) return pod
    try {
      const others = (await parts.objects.addressesOfPodsOn(node.name, signal)).filter(({ uid }) => !dnsPods.has(uid))
      const outcomes = await askEach(others.slice(0, NEIGHBOURS), parts, signal)
      queries += outcomes.length
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

function isSilent({ paths }: DnsScene, { name }: DnsPodFacts): boolean {
  const seen = paths.filter(({ target }) => target.kind === 'pod' && target.name === name)
  return seen.length > 0 && seen.every(({ reading: { udp, tcp } }) => udp === 'silent' && tcp === 'silent')
}

function askEach(
  neighbours: readonly { readonly address: string }[],
  { asker, timeoutMs }: Parts,
  signal: AbortSignal,
): Promise<readonly DnsOutcome[]> {
  const tries = neighbours.flatMap(({ address }) => Array.from({ length: TRIES }, () => ({ address, port: PORT })))
  return Promise.all(tries.map((at) => asker.ask({ at, question: QUESTION, over: 'tcp', timeoutMs }, signal)))
}

/** That nothing listens there was said by the pod itself: it is reached. */
function neighboursOf(outcomes: readonly DnsOutcome[]): Pick<DnsPodFacts, 'neighbours'> {
  const sent = outcomes.filter(({ kind }) => kind !== 'notAsked')
  if (sent.length === 0) return {}
  const isReached = sent.some(({ kind }) => kind !== 'timeout' && kind !== 'unreachable')
  return { neighbours: isReached ? 'reached' : 'notReached' }
}
