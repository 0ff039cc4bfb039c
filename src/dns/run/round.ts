import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import { countedPaths, type DnsScene, type Path, type ScenePod, type SceneVantage } from '../decide/scene.ts'
import type { UdpSeen } from '../decide/udp-seen.ts'
import type { PodCounters } from '../ports/pod-counters.ts'
import type { PodLoopback } from '../ports/pod-loopback.ts'
import type { Deployment } from './deployment.ts'
import { sweepLoopbacks } from './loopbacks.ts'
import { QUERIES_PER_SECOND } from './paced-asker.ts'
import { type SweepTarget, sweep, type Vantage } from './sweep.ts'
import { countersSince, readCounters } from './udp-counters.ts'

interface RoundParts {
  readonly vantages: readonly Vantage[]
  readonly targets: readonly SweepTarget[]
  readonly deployment: Deployment
  readonly loopback: PodLoopback
  /** Absent: what pods count themselves is not read. */
  readonly counters?: PodCounters
  readonly clock: Clock
  readonly random: Random
  readonly timeoutMs: number
  /** From one place at most. */
  readonly queriesPerSecond?: number
}

/** What one round saw, and what of it was not taken: sentences. */
export interface Round {
  readonly scene: DnsScene
  readonly notes: readonly string[]
  readonly queries: number
}

/** Every target from every place. Where none of them reaches anything, pods are asked on their own loopbacks, and for what they count. */
export async function askRound(parts: RoundParts, signal: AbortSignal): Promise<Round> {
  const { vantages, targets, deployment, random, timeoutMs, queriesPerSecond = QUERIES_PER_SECOND } = parts
  const { askedZone, known } = deployment
  const asked = { targets, askedZone, timeoutMs, random, queriesPerSecond }
  const swept = await Promise.all(
    vantages.map(async (vantage) => {
      const { paths, queries } = await sweep(vantage, asked, signal)
      return { ...worthOf(vantage.inScene, paths), queries }
    }),
  )
  const isNothingReached = swept.every(isCutOff)
  const inside =
    isNothingReached || swept.every(tellsNoPod) ? await insideOf(parts, signal) : { ...NOTHING, pods: known.pods }
  // That a place outside of the cluster does not reach into it is no fault where there is another way.
  const hasOtherWay = !isNothingReached || inside.vantages.length > 0
  const left = swept.filter((one) => hasOtherWay && isCutOff(one) && one.vantage.node === undefined)
  const taken = swept.filter((one) => !left.includes(one))
  return {
    scene: {
      ...known,
      pods: inside.pods,
      api: 'answers',
      vantages: [...taken.map(({ vantage }) => vantage), ...inside.vantages],
      paths: [...taken.flatMap(({ paths }) => paths), ...inside.paths],
    },
    notes: [
      ...taken.flatMap(({ notes }) => notes),
      ...left.map(
        ({ vantage: { name } }) => `${name} was not used: it reaches neither pods nor Services of the cluster`,
      ),
      ...inside.notes,
    ],
    queries: [...swept, inside].reduce((sum, { queries }) => sum + queries, 0),
  }
}

const NOTHING = { vantages: [], paths: [], notes: [], queries: 0 }
const NOTHING_READ = { counted: [], seen: new Map<string, UdpSeen>(), notes: [] }

interface Worth {
  readonly vantage: SceneVantage
  readonly paths: readonly Path[]
  readonly notes: readonly string[]
}

const isCutOff = ({ vantage }: Worth): boolean => vantage.control === 'fails'
/** Whether pods cannot be told apart from there: seen from outside only the Service is ill. */
function tellsNoPod({ vantage, paths }: Worth): boolean {
  if (vantage.way === 'outside') return paths.some(({ reading }) => reading.udp !== 'answers')
  return (
    vantage.control === 'fails' ||
    (vantage.control === 'partly' && countedPaths({ vantages: [vantage], paths }).length === 0)
  )
}

/**
 * Where the network of Services is not reached and pods are, as by routes to some of them, only the pods that answer there are judged.
 * Where neither is reached, what the Service has for outside is.
 */
function worthOf(vantage: SceneVantage, paths: readonly Path[]): Worth {
  // Some networks answer all DNS queries in place of who is asked, and know nothing of the zone. CoreDNS knows its zone always.
  const isReached = ({ reading: { udp, tcp, data } }: Path): boolean =>
    data !== 'noKubernetes' && (udp === 'answers' || udp === 'loses' || tcp === 'answers')
  const reached = (kind: Path['target']['kind']): readonly Path[] => {
    const ofKind = paths.filter(({ target }) => target.kind === kind)
    return ofKind.some(isReached) ? ofKind : []
  }
  if (vantage.control !== 'fails') return { vantage, paths, notes: [] }
  const partly = { ...vantage, control: 'partly' } as const
  const pods = reached('pod')
  if (pods.length > 0) {
    const notes = [`${vantage.name} reaches pods but no Services: only pods that answer there are judged`]
    return { vantage: partly, paths: pods, notes }
  }
  const exposed = reached('exposed').filter(isReached)
  if (exposed.length === 0) return { vantage, paths, notes: [] }
  const at = exposed.map(({ target }) => target.name).join(', ')
  const notes = [
    `${vantage.name} reaches neither pods nor Services: the Service is asked where it is exposed, at ${at}`,
  ]
  return { vantage: { ...partly, way: 'outside' }, paths: exposed, notes }
}

/** Of UDP nothing is asked there: what pods answer to others meanwhile is read from their own counters. */
async function insideOf(parts: RoundParts, signal: AbortSignal) {
  const { deployment, loopback, counters, clock, random, timeoutMs } = parts
  const { known, askedZone, metricsPorts } = deployment
  const { namespace, isUneven } = known.service
  const read = counters === undefined ? undefined : { counters, clock, namespace }
  const staying = known.pods.filter(({ terminating }) => !terminating)
  const withPorts = staying.map((pod) => ({ pod, ports: metricsPorts.get(pod.uid) ?? [] }))
  const first = read === undefined ? NOTHING_READ : await readCounters(withPorts, read, signal)
  const asked = { namespace, pods: known.pods, askedZone, loopback, random, timeoutMs }
  const { vantage, ...rest } = await sweepLoopbacks(asked, signal)
  if (vantage === undefined) return { ...rest, vantages: [], pods: known.pods }
  // Caches on the nodes ask over TCP.
  const isEven = !isUneven && !known.nodeLocal
  const counted = read === undefined ? NOTHING_READ : await countersSince(first.counted, { ...read, isEven }, signal)
  const pods = known.pods.map((pod): ScenePod => {
    const udpSeen = counted.seen.get(pod.name)
    return udpSeen === undefined ? pod : { ...pod, udpSeen }
  })
  return { ...rest, notes: [...rest.notes, ...first.notes, ...counted.notes], vantages: [vantage], pods }
}
