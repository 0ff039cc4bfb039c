import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import { present } from '../../ground/model/present.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import { type AskedZone, livenessQuestion } from '../decide/ladder.ts'
import { countedPaths, type DnsScene, type PathFrom, type ScenePod } from '../decide/scene.ts'
import type { DnsOutcome, DnsQuestion } from '../model/dns.ts'
import type { DnsObjects } from '../ports/dns-objects.ts'
import type { PodLoopback } from '../ports/pod-loopback.ts'
import type { Vantage } from './sweep.ts'

interface Parts {
  readonly objects: Pick<DnsObjects, 'addressesOfPodsOn'>
  readonly vantages: readonly Vantage[]
  readonly loopback: PodLoopback
  readonly askedZone: Pick<AskedZone, 'zone'>
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
/** So many silent pods are asked around, so that a check ends in time. Of more none is repaired: they share the cause. */
const PODS = 16
/** Of many silent pods so many are asked around at once: a check is no burst. */
const PODS_AT_ONCE = 4
const PORT = 53

/** So many other nodes are asked for pods that are reached there. */
const NODES_ELSEWHERE = 3

/**
 * Asks around pods that are silent over UDP and TCP: whether they answer on their own loopback tells their process from
 * their network, whether other pods of their nodes are reached tells a pod's network from that of its node. Where no pod answers at all they share the cause, and nothing is asked, unless the nodes
 * of all others are down. Rejects by abort alone.
 */
export async function withSurroundings(scene: DnsScene, parts: Parts, signal: AbortSignal): Promise<Surroundings> {
  const silent = scene.pods.filter((pod) => isSilent(scene, pod))
  const isUp = ({ node }: ScenePod): boolean => scene.nodes.find(({ name }) => name === node)?.ready !== false
  const isShared = scene.pods.length === 1 || silent.filter(isUp).length > 1
  if (silent.length === scene.pods.length && isShared) return { scene, notes: [], queries: 0 }
  const dnsPods = new Set(scene.pods.map(({ uid }) => uid))
  const notes: string[] = []
  let queries = 0
  const question = livenessQuestion(parts.askedZone)
  const sound = soundPlaces(scene, parts)
  const neighbours = async (node: string, { asker }: Vantage): Promise<ScenePod['neighbours']> => {
    const others = (await parts.objects.addressesOfPodsOn(node, signal)).filter(({ uid }) => !dnsPods.has(uid))
    const outcomes = await askEach(others.slice(0, NEIGHBOURS), { asker, question, timeoutMs: parts.timeoutMs }, signal)
    queries += outcomes.length
    return neighboursOf(outcomes)
  }
  const beside = async (node: string): Promise<Pick<ScenePod, 'neighbours'>> => {
    if (answersOn(scene, node)) return { neighbours: 'reached' }
    // On the node itself its pods may be reached where nothing from elsewhere arrives.
    const place = sound.find(({ inScene }) => inScene.node !== node) ?? sound[0]
    if (place === undefined) return {}
    try {
      const near = await neighbours(node, place)
      if (near !== 'notReached') return present({ neighbours: near })
      // Policies may keep every place from such pods. Then pods of other nodes are not reached either, and nothing is known of this one.
      for (const other of answeringNodes(scene, place).slice(0, NODES_ELSEWHERE))
        if ((await neighbours(other, place)) === 'reached') return { neighbours: 'notReached' }
      return {}
    } catch (error) {
      if (!(error instanceof WorldError)) throw error
      notes.push(`whether other pods of ${node} are reached is not known: ${error.message}`)
      return {}
    }
  }
  const within = async ({ name, port }: ScenePod): Promise<Pick<ScenePod, 'process'>> => {
    const { namespace } = scene.service
    const query = { pod: { namespace, name, port }, question, timeoutMs: parts.timeoutMs }
    for (let i = 0; i < TRIES; i += 1) {
      const outcome = await parts.loopback.ask(query, signal)
      if (outcome.kind === 'notAsked') {
        notes.push(`whether ${name} answers on its own loopback is not known: ${outcome.text}`)
        return {}
      }
      queries += 1
      if (outcome.kind === 'reply' || outcome.kind === 'mismatch') return { process: 'answers' }
    }
    return { process: 'silent' }
  }
  const ready = new Set(scene.nodes.flatMap((node) => (node.ready ? [node.name] : [])))
  const onReady = silent.flatMap((pod) =>
    pod.node !== undefined && ready.has(pod.node) ? [{ pod, node: pod.node }] : [],
  )
  const around = async ({ pod, node }: (typeof onReady)[number]): Promise<ScenePod> => {
    const [neighbours, process] = await Promise.all([beside(node), within(pod)])
    return { ...pod, ...neighbours, ...process }
  }
  const found = new Map((await mapAtOnce(onReady.slice(0, PODS), PODS_AT_ONCE, around)).map((pod) => [pod.uid, pod]))
  return { scene: { ...scene, pods: scene.pods.map((pod) => found.get(pod.uid) ?? pod) }, notes, queries }
}

/** That a place reaches no pod counts only if it reaches its control. */
function soundPlaces(scene: DnsScene, { vantages }: Parts): readonly Vantage[] {
  const names = new Set(scene.vantages.flatMap(({ name, control }) => (control === 'answers' ? [name] : [])))
  return vantages.filter(({ inScene }) => names.has(inScene.name))
}

const readingsOf = (scene: DnsScene, { name }: ScenePod): readonly PathFrom[] =>
  countedPaths(scene).filter(({ target }) => target.kind === 'pod' && target.name === name)

function isSilent(scene: DnsScene, pod: ScenePod): boolean {
  const seen = readingsOf(scene, pod)
  // A pod that answers late, or at another port, is not what the others around it explain.
  if (pod.answersAfterMs !== undefined || pod.answersAt !== undefined) return false
  return seen.length > 0 && seen.every(({ reading: { udp, tcp } }) => udp === 'silent' && tcp === 'silent')
}

/** Whether a pod of DNS on this node answers a place that is not on it. */
const answersOn = (scene: DnsScene, node: string): boolean =>
  scene.pods
    .filter((pod) => pod.node === node)
    .flatMap((pod) => readingsOf(scene, pod))
    .some(({ from, reading: { udp, tcp } }) => from.node !== node && (udp !== 'silent' || tcp === 'answers'))

/** Nodes whose pods of DNS answer, that of the place itself last: it may be let to its own pods where others are not. */
const answeringNodes = (scene: DnsScene, { inScene }: Vantage): readonly string[] =>
  [...new Set(scene.pods.flatMap((pod) => (isSilent(scene, pod) ? [] : (pod.node ?? []))))].toSorted(
    (one, other) => Number(one === inScene.node) - Number(other === inScene.node),
  )

function askEach(
  neighbours: readonly { readonly address: string }[],
  {
    asker,
    question,
    timeoutMs,
  }: Pick<Vantage, 'asker'> & Pick<Parts, 'timeoutMs'> & { readonly question: DnsQuestion },
  signal: AbortSignal,
): Promise<readonly DnsOutcome[]> {
  const tries = neighbours.flatMap(({ address }) => Array.from({ length: TRIES }, () => ({ address, port: PORT })))
  return Promise.all(tries.map((at) => asker.ask({ at, question, over: 'tcp', timeoutMs }, signal)))
}

/** That nothing listens there was said by the pod itself: it is reached. Undefined: none was asked. */
function neighboursOf(outcomes: readonly DnsOutcome[]): ScenePod['neighbours'] {
  const sent = outcomes.filter(({ kind }) => kind !== 'notAsked')
  if (sent.length === 0) return undefined
  return sent.some(({ kind }) => kind !== 'timeout' && kind !== 'unreachable') ? 'reached' : 'notReached'
}
