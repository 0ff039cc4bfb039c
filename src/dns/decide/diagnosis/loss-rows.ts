import type { LossCount } from '../chances.ts'
import { isLikelierWell, losesMore, lossSeenFrom } from '../loss.ts'
import type { PathReading } from '../path-reading.ts'
import { countedPaths, type DnsScene, type SceneVantage } from '../scene.ts'
import type { PodReadings } from './digest.ts'
import { pathText, readingsText } from './evidence-text.ts'
import { type DnsFinding, placesOf } from './finding.ts'

/** From one place to one pod, which answers at least in part. */
interface Way {
  readonly from: SceneVantage
  readonly pod: string
  readonly as: string
  readonly reading: PathReading
}

/** Of one place alone nobody knows whether it is the pod that loses, or the way. */
const PODS_THAT_SHOW_A_PLACE = 2

/**
 * Whose loss it is. A place that loses to every pod says nothing against a pod: it is the place, or what is between. A pod is blamed if other
 * pods lose less from the same places, and no other place loses less to it.
 */
export function lossFindings(pods: readonly PodReadings[]): readonly DnsFinding[] {
  const ways = pods.flatMap(({ pod, seen }) =>
    seen.map(({ vantage, ...rest }): Way => ({ from: vantage, pod: pod.name, ...rest })),
  )
  const answering = ways.filter(({ reading: { udp } }) => udp === 'answers' || udp === 'loses')
  const ofPlaces = [...Map.groupBy(answering.filter(isByChance), ({ from }) => from.name).values()]
    .filter(losesToAll)
    .flat()
  const places: readonly DnsFinding[] =
    ofPlaces.length === 0
      ? []
      : [
          {
            code: 'LosesOnTheWay',
            subjects: placesOf(ofPlaces.map(({ from }) => from)),
            evidence: ofPlaces.map(textOf),
          },
        ]
  const others = answering.filter(({ from }) => !ofPlaces.some((way) => isSamePlace(way.from, from)))
  return [...places, ...pods.flatMap((readings) => lossOf(readings, others) ?? [])]
}

/** Two on one node share its network. */
const isSamePlace = (one: SceneVantage, other: SceneVantage): boolean =>
  one.name === other.name || (one.node !== undefined && one.node === other.node)

function losesToAll(ofPlace: readonly Way[]): boolean {
  const lossy = ofPlace.filter(isLossy)
  const others = ofPlace.filter(({ pod }) => !lossy.some((way) => way.pod === pod))
  if (lossy.length === 0 || new Set(ofPlace.map(({ pod }) => pod)).size < PODS_THAT_SHOW_A_PLACE) return false
  return others.length === 0 || !losesMore(countOf(lossy), countOf(others))
}

function lossOf(readings: PodReadings, ways: readonly Way[]): DnsFinding | undefined {
  const { name } = readings.pod
  const ofPod = ways.filter(({ pod }) => pod === name)
  const lossy = ofPod.filter(isLossy)
  // Where it is silent to some places, that is said of it.
  if (lossy.length === 0 || readings.seen.some(({ reading }) => reading.udp === 'silent')) return undefined
  const subjects = [{ kind: 'pod', name }] as const
  const evidence = [readingsText(readings)]
  const well = ofPod.filter((way) => !isLossy(way) && isLikelierWell(way.reading))
  return well.length > 0 && losesMore(countOf(lossy), countOf(well))
    ? { code: 'LosesOnTheWay', subjects: [...subjects, ...placesOf(lossy.map(({ from }) => from))], evidence }
    : { code: 'Loses', subjects, evidence }
}

/** What is ill otherwise in each round, or answers nothing about the zone, loses as well, and not by chance. */
const isByChance = ({ reading }: Way): boolean =>
  reading.data !== 'unanswered' && (reading.udp === 'answers' || !isLikelierWell(reading))

const isLossy = ({ reading }: Way): boolean => reading.udp === 'loses'
const textOf = ({ from, as, reading }: Way): string => pathText(from.name, as, reading)

/** All of these readings together. */
export const countOf = (of: readonly { readonly reading: LossCount }[]): LossCount => ({
  asked: of.reduce((sum, { reading }) => sum + reading.asked, 0),
  lost: of.reduce((sum, { reading }) => sum + reading.lost, 0),
})

/** Which loss such answers do not exclude: that of the way that was asked least. */
export function missedLoss(scene: DnsScene): readonly string[] {
  const seenFrom = countedPaths(scene)
    .filter(({ reading }) => reading.udp === 'answers')
    .map(({ reading }) => lossSeenFrom(reading))
  if (seenFrom.length === 0) return []
  return [`a loss of less than ${Math.ceil(100 * Math.max(...seenFrom))} % on one of these ways may have been missed`]
}
