import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import type { Endpoint } from '../../ground/model/endpoint.ts'
import { present } from '../../ground/model/present.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { LossCount } from '../decide/chances.ts'
import { type AskedZone, LADDER, livenessQuestion, type Nonce } from '../decide/ladder.ts'
import { lateOrLossy } from '../decide/late-or-lossy.ts'
import { QUERIES_TO_SEE_LIFE } from '../decide/loss.ts'
import { countedPaths, type DnsScene, type Path, type PathFrom, type ScenePod } from '../decide/scene.ts'
import type { DnsOutcome, DnsQuestion } from '../model/dns.ts'
import type { DnsQuery } from '../ports/dns-asker.ts'
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
const PATHS = 64
/** On all of them together; each is asked for two things at least. */
const QUERIES_MAX = 400
/** The first packet may be lost by chance. */
const TRIES = 2

/**
 * Asks pods that do not answer over UDP what tells a slow pod from a dead one, a lossy one or a wrong port from either: often, with more time,
 * and at the other ports where they may listen. Rejects by abort alone.
 */
export async function askedOnceMore(
  scene: DnsScene,
  parts: Parts,
  signal: AbortSignal,
): Promise<{ readonly scene: DnsScene; readonly queries: number }> {
  const ill = illPaths(scene, parts).slice(0, PATHS)
  const often = Math.max(TRIES, Math.min(QUERIES_TO_SEE_LIFE, Math.floor(QUERIES_MAX / Math.max(1, ill.length))))
  const asked = await mapAtOnce(ill, PATHS, async (one) => ({
    ...one,
    ...(await answerOf(one, { ...parts, often }, signal)),
  }))
  const found = new Map<string, Found>()
  for (const { pod, found: more } of asked) found.set(pod.uid, { ...found.get(pod.uid), ...more })
  const lossy = new Map(asked.flatMap(({ path, count: read }) => (read === undefined ? [] : [[keyOf(path), read]])))
  return {
    scene: {
      ...scene,
      pods: scene.pods.map((pod) => ({ ...pod, ...found.get(pod.uid) })),
      paths: scene.paths.map((path) => withLoss(path, lossy.get(keyOf(path)))),
    },
    queries: asked.reduce((sum, { queries }) => sum + queries, 0),
  }
}

/** A silent path that has answered some queries after all. What kept it silent is over, or comes and goes. */
function withLoss({ reading, ...path }: Path, count: LossCount | undefined): Path {
  if (count === undefined) return { ...path, reading }
  const [asked, lost] = [reading.asked + count.asked, reading.lost + count.lost]
  return { ...path, reading: { ...reading, udp: 'loses', asked, lost } }
}

interface IllPath {
  readonly pod: ScenePod
  readonly path: PathFrom
  readonly vantage: Vantage
  /** Another place, or another address of it, is answered well. */
  readonly isWellElsewhere: boolean
}

/** Each that is silent. What only loses may be late, where the pod is well from no place. */
function illPaths(scene: DnsScene, { vantages }: Parts): readonly IllPath[] {
  const byPod = Map.groupBy(countedPaths(scene), ({ target }) => (target.kind === 'pod' ? target.name : undefined))
  return scene.pods.flatMap((pod) => {
    const seen = byPod.get(pod.name) ?? []
    const isWellElsewhere = seen.some(({ reading }) => reading.udp === 'answers')
    const asked = seen.filter(({ reading: { udp } }) => udp === 'silent' || (udp === 'loses' && !isWellElsewhere))
    return asked.flatMap((path) => {
      const vantage = vantages.find(({ inScene }) => inScene.name === path.vantage)
      return vantage === undefined ? [] : [{ pod, path, vantage, isWellElsewhere }]
    })
  })
}

const keyOf = ({ vantage, target }: Path): string => JSON.stringify([vantage, target])

type Found = Pick<ScenePod, 'answersAfterMs' | 'answersAt'>

interface Answer {
  readonly found: Found
  /** Of a silent path that has answered some of them in time. */
  readonly count?: LossCount
  readonly queries: number
}

async function answerOf(
  { pod, path, vantage: { asker }, isWellElsewhere }: IllPath,
  { askedZone, dnsPorts, random, timeoutMs, often }: Parts & { readonly often: number },
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
  const ask = async (query: Omit<DnsQuery, 'over'>): Promise<DnsOutcome> => {
    const outcome = await asker.ask({ ...query, over: 'udp' }, signal)
    const isTruncated = outcome.kind === 'reply' && outcome.reply.truncated
    return isTruncated ? asker.ask({ ...query, over: 'tcp' }, signal) : outcome
  }
  const outcomesAt = (at: Endpoint, questions: readonly DnsQuestion[], limitMs: number) =>
    Promise.all(questions.map((question) => ask({ at, question, timeoutMs: limitMs })))
  // A network may have another server that answers at port 53 of every address. It does not know the cluster.
  const isOfCluster = (outcome: DnsOutcome): boolean =>
    outcome.kind === 'reply' && (listed === undefined || rung?.read(outcome.reply, askedZone, nonce).kind === 'right')
  // Something on the way may drop one of the two alone.
  const kinds = [alive, ...(listed === undefined ? [] : [listed])]
  const patient = Array.from({ length: often }, (_, at) => kinds[at] ?? listed ?? alive)
  const others = reading.udp === 'silent' ? (dnsPorts.get(uid) ?? []).filter((other) => other !== port) : []
  const tries = Array.from({ length: TRIES }, () => listed ?? alive)
  const [outcomes, ...elsewhere] = await Promise.all([
    outcomesAt({ address, port }, patient, WAITS_LONGER * timeoutMs),
    ...others.map((other) => outcomesAt({ address, port: other }, tries, timeoutMs)),
  ])
  const byKind = kinds.map((kind) => outcomes.filter((_, at) => patient[at] === kind))
  const answer = lateOrLossy(byKind, timeoutMs)
  return {
    found: {
      ...present({ answersAt: others.find((_, at) => elsewhere[at]?.some(isOfCluster)) }),
      ...(answer.kind === 'late' && !isWellElsewhere ? { answersAfterMs: answer.afterMs } : {}),
    },
    ...(answer.kind === 'lossy' && reading.udp === 'silent' && outcomes.some(isOfCluster) ? { count: answer } : {}),
    queries: patient.length + tries.length * others.length,
  }
}
