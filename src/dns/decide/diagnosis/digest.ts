import type { PathReading } from '../path-reading.ts'
import { type DnsScene, type Path, type ScenePod, type SceneVantage, targetName } from '../scene.ts'

/** One pod, as it was seen from every place whose word counts. */
export interface PodReadings {
  readonly pod: ScenePod
  readonly seen: readonly {
    readonly vantage: SceneVantage
    readonly reading: PathReading
    /** Its name, with the address that was asked where it has several. */
    readonly as: string
  }[]
  /** Over TCP on its own loopback, where it was asked there by the ladder. */
  readonly loopback?: PathReading
}

/** The scene by what the rows ask it for. */
export interface Digest {
  readonly scene: DnsScene
  /** Vantages that reach their control, or were not asked for one. */
  readonly sound: readonly SceneVantage[]
  readonly unsound: readonly SceneVantage[]
  /** Pods that are meant to answer: without those that are terminating, and those that are away. */
  readonly pods: readonly PodReadings[]
  /** Pods that start, or whose container does not run: kubelet knows, and no client is led to them. They do not answer well. */
  readonly away: readonly PodReadings[]
  /** Paths of sound vantages to the Service's address. */
  readonly service: readonly (Path & { readonly from: SceneVantage })[]
  readonly caches: readonly (Path & { readonly from: SceneVantage })[]
  /** To the addresses that the Service has for outside. */
  readonly exposed: readonly (Path & { readonly from: SceneVantage })[]
}

export function digest(scene: DnsScene): Digest {
  const sound = scene.vantages.filter(({ control }) => control !== 'fails')
  const fromSound = scene.paths.flatMap((path) => {
    const from = sound.find(({ name }) => name === path.vantage)
    return from === undefined || path.reading.udp === 'notAsked' ? [] : [{ ...path, from }]
  })
  const each = scene.pods
    .filter(({ terminating }) => !terminating)
    .map((pod) => ({
      pod,
      seen: fromSound
        .filter(({ target }) => target.kind === 'pod' && target.name === pod.name)
        .map(({ from, reading, target }) => ({ vantage: from, reading, as: targetName(target) })),
      ...loopbackOf(scene, pod),
    }))
  const away = each.filter((readings) => readings.pod.isAway !== undefined && !isWell(readings))
  return {
    scene,
    sound,
    unsound: scene.vantages.filter(({ control }) => control === 'fails'),
    pods: each.filter((readings) => !away.includes(readings)),
    away,
    service: fromSound.filter(({ target }) => target.kind === 'service'),
    caches: fromSound.filter(({ target }) => target.kind === 'cache'),
    exposed: fromSound.filter(({ target }) => target.kind === 'exposed'),
  }
}

function loopbackOf({ vantages, paths }: DnsScene, { name }: ScenePod): Pick<PodReadings, 'loopback'> {
  const ways = new Set(vantages.flatMap((vantage) => (vantage.way === 'portForward' ? vantage.name : [])))
  const path = paths.find(({ vantage, target }) => ways.has(vantage) && target.kind === 'pod' && target.name === name)
  return path === undefined || path.reading.tcp === 'notAsked' ? {} : { loopback: path.reading }
}

const readingsOf = ({ seen, loopback }: PodReadings): readonly PathReading[] => [
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
/** What it answers wrongly, as a sentence; undefined where nothing is wrong. */
export const wrongData = (readings: PodReadings): string | undefined =>
  readingsOf(readings).flatMap((reading) => (isWrong(reading) ? (reading.faults[0] ?? reading.data) : []))[0]

export const isWrong = ({ data }: PathReading): boolean => data !== 'right' && data !== 'unknown'

/** Every vantage that asked it was answered over UDP, and rightly. */
export const isWell = (readings: PodReadings): boolean =>
  isAsked(readings) &&
  readings.seen.every(({ reading }) => reading.udp === 'answers') &&
  wrongData(readings) === undefined
