import { isWrong } from '../path-reading.ts'
import type { Digest, PodReadings } from './digest.ts'
import { answersOverUdp, isAsked, isRight, isUnanswered, readingsOf, wrongData } from './digest.ts'
import { pathText, readingsText } from './evidence-text.ts'
import { type DnsFinding, placesOf, type Subject } from './finding.ts'
import { podSubject } from './pod-rows.ts'

/** Findings about wrong data: of one pod compared with the others, or of all pods. */
export function dataFindings({ scene, pods }: Digest): readonly DnsFinding[] {
  const talking = pods.filter((readings) => answersOverUdp(readings) || readings.loopback?.tcp === 'answers')
  const wrong = talking.filter((readings) => wrongData(readings) !== undefined)
  if (wrong.length === 0) return []
  const others = talking.filter((readings) => isRight(readings) && !wrong.includes(readings))
  const evidence = (many: readonly PodReadings[]): readonly string[] => [...many, ...others].map(readingsText)
  // Without a pod that answers rightly, nothing shows that the fault belongs to this pod.
  if (others.length === 0 && scene.isCorefileUnread && wrong.every(mayBeHidden))
    return [{ code: 'ZoneUnanswered', subjects: wrong.map(podSubject), evidence: evidence(wrong) }]
  if (others.length === 0 || scene.api === 'away') {
    const away = scene.api === 'away' ? ['the API server does not answer'] : []
    return [{ code: 'DataStaleEverywhere', subjects: wrong.map(podSubject), evidence: [...evidence(wrong), ...away] }]
  }
  return wrong.map((readings) => ({
    code: 'DataStale',
    subjects: [podSubject(readings)],
    evidence: evidence([readings]),
  }))
}

/** The names are not there, as where the Corefile leaves their namespaces out. */
const mayBeHidden = (readings: PodReadings): boolean =>
  readingsOf(readings).every((reading) => !isWrong(reading) || reading.data === 'wrongZone' || reading.data === 'stale')

const textOf = ({ vantage, target, reading }: Digest['service'][number]): string =>
  pathText(vantage, target.name, reading)

const serviceSubject = ({ scene: { service } }: Digest): Subject => ({
  kind: 'service',
  name: `${service.namespace}/${service.name}`,
})

/** Pods that live and say nothing of the zone. They may be well: the zone may be another one. */
export function zoneFindings(d: Digest): readonly DnsFinding[] {
  const { pods, service } = d
  // The pods of a DNS that is managed elsewhere are not there to be asked.
  const ofService = pods.some(isAsked) ? [] : service.filter(({ reading }) => reading.data === 'unanswered')
  if (ofService.length > 0)
    return [{ code: 'ZoneUnanswered', subjects: [serviceSubject(d)], evidence: ofService.map(textOf) }]
  const unknown = pods.filter(
    (readings) => isUnanswered(readings) && !isRight(readings) && wrongData(readings) === undefined,
  )
  if (unknown.length === 0) return []
  return [{ code: 'ZoneUnanswered', subjects: unknown.map(podSubject), evidence: unknown.map(readingsText) }]
}

/** Names outside of the cluster never count against a single pod. */
export function upstreamFindings(d: Digest): readonly DnsFinding[] {
  const { pods, service, caches } = d
  const asked = pods.filter((readings) => readingsOf(readings).some(({ upstream }) => upstream !== 'notAsked'))
  const failing = asked.filter((readings) => readingsOf(readings).every(({ upstream }) => upstream !== 'answers'))
  const ofService = service.filter(({ reading }) => reading.upstream !== 'notAsked')
  // The pods of a DNS that is managed elsewhere are not there to be asked.
  if (asked.length === 0 && ofService.length > 0 && ofService.every(({ reading }) => reading.upstream === 'fails'))
    return [
      {
        code: 'UpstreamDown',
        subjects: [serviceSubject(d)],
        evidence: ofService.map(textOf),
      },
    ]
  // A pod that fails, or is silent, explains that the Service does. It explains nothing about a cache, which asks other servers itself.
  const isByPods =
    failing.length > 0 ||
    pods.some(({ seen }) => seen.some(({ reading }) => reading.udp !== 'answers' || reading.tcp === 'silent'))
  const places = (isByPods ? caches : [...service, ...caches]).filter(({ reading }) => reading.upstream === 'fails')
  const evidence = failing.map(readingsText)
  if (failing.length > 0 && failing.length === asked.length)
    return [{ code: 'UpstreamDown', subjects: failing.map(podSubject), evidence }]
  const ofPods = failing.map(
    (readings): DnsFinding => ({
      code: 'UpstreamOfOne',
      subjects: [podSubject(readings)],
      evidence: [readingsText(readings)],
    }),
  )
  if (places.length === 0) return ofPods
  const ofPlaces = placesOf(places.map(({ from }) => from))
  return [...ofPods, { code: 'UpstreamOfOne', subjects: ofPlaces, evidence: places.map(textOf) }]
}
