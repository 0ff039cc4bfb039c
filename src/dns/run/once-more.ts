import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import type { Endpoint } from '../../ground/model/endpoint.ts'
import { present } from '../../ground/model/present.ts'
import type { Random } from '../../ground/ports/random.ts'
import { type AskedZone, LADDER, livenessQuestion, type Nonce } from '../decide/ladder.ts'
import { countedPaths, type DnsScene, type PathFrom, type ScenePod } from '../decide/scene.ts'
import type { DnsQuestion, DnsReply } from '../model/dns.ts'
import type { Vantage } from './sweep.ts'

interface Parts {
  readonly vantages: readonly Vantage[]
  readonly askedZone: AskedZone
  /** Where a pod may listen, by its uid. */
  readonly dnsPorts: ReadonlyMap<string, readonly number[]>
  readonly random: Random
  readonly timeoutMs: number
}

/** So many times as long as usual: a resolver of glibc waits for 5 s. */
const WAITS_LONGER = 5
/** All at once, so that a check ends in time. Of more that are silent, none is repaired: they share the cause. */
const PODS = 64
/** The first packet may be lost by chance. */
const TRIES = 2

/**
 * Asks pods that do not answer over UDP what tells a slow pod from a dead one, and a wrong port from either: with more time, and at the
 * other ports where they may listen. Rejects by abort alone.
 */
export async function askedOnceMore(
  scene: DnsScene,
  parts: Parts,
  signal: AbortSignal,
): Promise<{ readonly scene: DnsScene; readonly queries: number }> {
  const counted = countedPaths(scene)
  let queries = 0
  const byPod = Map.groupBy(counted, ({ target }) => (target.kind === 'pod' ? target.name : undefined))
  const silent = scene.pods.flatMap((pod) => {
    const seen = byPod.get(pod.name) ?? []
    const [path] = seen
    const vantage = parts.vantages.find(({ inScene }) => inScene.name === path?.vantage)
    if (path === undefined || vantage === undefined || seen.some(({ reading }) => reading.udp === 'answers')) return []
    const isSilent = seen.every(({ reading }) => reading.udp === 'silent')
    return [{ pod, path, vantage, isSilent }]
  })
  const asked = await mapAtOnce(silent.slice(0, PODS), PODS, async ({ vantage, ...asked }) => {
    const answer = await answerOf(asked, { ...parts, vantage }, signal)
    queries += answer.queries
    return { ...asked.pod, ...answer.found }
  })
  const found = new Map(asked.map((pod) => [pod.uid, pod]))
  return { scene: { ...scene, pods: scene.pods.map((pod) => found.get(pod.uid) ?? pod) }, queries }
}

interface Silent {
  readonly pod: ScenePod
  /** One of its paths. */
  readonly path: PathFrom
  /** Over UDP on all of them. */
  readonly isSilent: boolean
}

interface Answer {
  readonly found: Pick<ScenePod, 'answersAfterMs' | 'answersAgain' | 'answersAt'>
  readonly queries: number
}

async function answerOf(
  { pod, path, isSilent }: Silent,
  { vantage: { asker }, askedZone, dnsPorts, random, timeoutMs }: Parts & { readonly vantage: Vantage },
  signal: AbortSignal,
): Promise<Answer> {
  const { uid, addresses, port } = pod
  const { target, reading } = path
  const address = (target.kind === 'pod' ? target.address : undefined) ?? addresses[0]
  if (address === undefined) return { found: {}, queries: 0 }
  const nonce: Nonce = { hex: random.hex(6) }
  const alive = livenessQuestion(askedZone)
  const rung = LADDER.find(({ id }) => id === 'L2')
  const listed = rung?.question(askedZone, nonce)
  const repliesAt = async (at: Endpoint, questions: readonly DnsQuestion[], limitMs: number) => {
    const outcomes = await Promise.all(
      questions.map((question) => asker.ask({ at, question, over: 'udp', timeoutMs: limitMs }, signal)),
    )
    return outcomes.flatMap((outcome) => (outcome.kind === 'reply' ? outcome : []))
  }
  // A network may have another server that answers at port 53 of every address. It does not know the cluster.
  const isOfCluster = ({ reply }: { readonly reply: DnsReply }): boolean =>
    listed === undefined || rung?.read(reply, askedZone, nonce).kind === 'right'
  const patient = [alive, ...(listed === undefined ? [] : [listed])]
  const others = reading.udp === 'silent' ? (dnsPorts.get(uid) ?? []).filter((other) => other !== port) : []
  const tries = Array.from({ length: TRIES }, () => listed ?? alive)
  const [late, ...elsewhere] = await Promise.all([
    repliesAt({ address, port }, patient, WAITS_LONGER * timeoutMs),
    ...others.map((other) => repliesAt({ address, port: other }, tries, timeoutMs)),
  ])
  const afterMs = Math.max(0, ...late.map((reply) => reply.afterMs))
  return {
    found: {
      ...present({ answersAt: others.find((_, at) => elsewhere[at]?.some(isOfCluster)) }),
      ...(afterMs >= timeoutMs ? { answersAfterMs: Math.round(afterMs) } : {}),
      ...(afterMs < timeoutMs && isSilent && late.some(isOfCluster) ? { answersAgain: true } : {}),
    },
    queries: patient.length + tries.length * others.length,
  }
}
