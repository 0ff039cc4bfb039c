import { present } from '../../../ground/model/present.ts'
import { isWrong, type PathReading } from '../path-reading.ts'
import {
  countedPaths,
  type DnsScene,
  type Path,
  type PathFrom,
  type ScenePod,
  type SceneVantage,
  targetName,
} from '../scene.ts'
import { type MisledPlace, misledPlaces } from './misled-places.ts'

/** What was read of one pod from every vantage that counts. */
export interface PodReadings {
  readonly pod: ScenePod
  readonly seen: readonly {
    readonly vantage: SceneVantage
    readonly reading: PathReading
    /** The name of the target, with the queried address if the pod has several. */
    readonly as: string
  }[]
  /** Over TCP on the pod's own loopback, if the ladder queried it there. */
  readonly loopback?: PathReading
}

/** The scene, arranged for the rows of the decision table. */
export interface Digest {
  readonly scene: DnsScene
  /** Vantages that reach their control, at least in part, or have none. */
  readonly sound: readonly SceneVantage[]
  readonly unsound: readonly SceneVantage[]
  /** Places whose wrong answers say nothing about DNS. They are left out of all readings here. */
  readonly misled: ReadonlyMap<string, MisledPlace>
  /** Pods that should answer: without terminating pods and pods that are away. */
  readonly pods: readonly PodReadings[]
  /**
   * Pods that are starting, or whose container does not run. Kubelet knows this, so no client is sent to them. They do not answer
   * well.
   */
  readonly away: readonly PodReadings[]
  /** Paths of sound vantages to the Service's address. */
  readonly service: readonly PathFrom[]
  readonly caches: readonly PathFrom[]
  /** Paths to the addresses that the Service has outside of the cluster. */
  readonly exposed: readonly PathFrom[]
}

export function digest(scene: DnsScene): Digest {
  const sound = scene.vantages.filter(({ control }) => control !== 'fails')
  const counted = countedPaths(scene)
  const misled = misledPlaces([...counted, ...loopbackPaths(scene)])
  const known = <T extends Path>(path: T): T =>
    misled.has(path.vantage) ? { ...path, reading: withoutData(path.reading) } : path
  const fromSound = counted.map(known)
  const loopbacks = loopbackPaths(scene).map(known)
  const each = scene.pods
    .filter(({ terminating }) => !terminating)
    .map((pod) => ({
      pod,
      seen: fromSound
        .filter(({ target }) => target.kind === 'pod' && target.name === pod.name)
        .map(({ from, reading, target }) => ({ vantage: from, reading, as: targetName(target) })),
      ...present({ loopback: loopbacks.find(({ target }) => target.name === pod.name)?.reading }),
    }))
  const away = each.filter((readings) => readings.pod.isAway !== undefined && !isWell(readings))
  return {
    scene,
    sound,
    unsound: scene.vantages.filter(({ control }) => control === 'fails'),
    misled,
    pods: each.filter((readings) => !away.includes(readings)),
    away,
    service: fromSound.filter(({ target }) => target.kind === 'service'),
    caches: fromSound.filter(({ target }) => target.kind === 'cache'),
    exposed: fromSound.filter(({ target }) => target.kind === 'exposed'),
  }
}

/** To a place of which DNS takes no questions about the zone, it answers what it answers. */
function withoutData(reading: PathReading): PathReading {
  const { udp, tcp, data } = reading
  const isDropped = data === 'unanswered' && udp === 'loses'
  const answered = isDropped ? ({ udp: 'answers', tcp: 'notAsked' } as const) : { udp, tcp }
  return { ...reading, ...answered, data: 'unknown', upstream: 'notAsked' }
}

function loopbackPaths({ vantages, paths }: DnsScene): readonly PathFrom[] {
  const ways = new Map(vantages.flatMap((vantage) => (vantage.way === 'portForward' ? [[vantage.name, vantage]] : [])))
  return paths.flatMap((path) => {
    const from = ways.get(path.vantage)
    return from === undefined || path.target.kind !== 'pod' || path.reading.tcp === 'notAsked'
      ? []
      : [{ ...path, from }]
  })
}

/** From each place, and from its own loopback. */
export const readingsOf = ({ seen, loopback }: PodReadings): readonly PathReading[] => [
  ...seen.map(({ reading }) => reading),
  ...(loopback === undefined ? [] : [loopback]),
]

export const isAsked = ({ seen }: PodReadings): boolean => seen.length > 0
export const isSilentOverUdp = ({ seen }: PodReadings): boolean =>
  seen.length > 0 && seen.every(({ reading }) => reading.udp === 'silent')
export const answersOverTcp = ({ seen }: PodReadings): boolean => seen.some(({ reading }) => reading.tcp === 'answers')
export const isSilentOverTcp = ({ seen }: PodReadings): boolean => {
  const asked = seen.filter(({ reading }) => reading.tcp !== 'notAsked')
  return asked.length > 0 && asked.every(({ reading }) => reading.tcp === 'silent')
}
export const answersOverUdp = ({ seen }: PodReadings): boolean => seen.some(({ reading }) => reading.udp === 'answers')
export const isRight = (readings: PodReadings): boolean => readingsOf(readings).some(({ data }) => data === 'right')
/** It may serve another zone. One that serves this zone loses what it does not answer about it. */
export const isUnanswered = (readings: PodReadings): boolean =>
  readingsOf(readings).some(({ udp, data }) => udp !== 'loses' && data === 'unanswered')
/** What the pod answers wrongly, as a sentence; undefined if nothing is wrong. */
export const wrongData = (readings: PodReadings): string | undefined =>
  readingsOf(readings).flatMap((reading) => (isWrong(reading) ? (reading.faults[0] ?? reading.data) : []))[0]

/** A reply came, and not from the address that was asked: the server answers, and its way back is at fault. */
export const isFromElsewhere = ({ udp, wrongSource }: PathReading): boolean =>
  udp !== 'answers' && wrongSource !== undefined

/** Every vantage that queried the pod got a right answer over UDP. */
export const isWell = (readings: PodReadings): boolean =>
  isAsked(readings) &&
  readings.seen.every(({ reading }) => reading.udp === 'answers') &&
  wrongData(readings) === undefined
