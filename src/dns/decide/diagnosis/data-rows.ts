import type { Digest, PodReadings } from './digest.ts'
import { answersOverUdp, isRight, isUnanswered, readingsOf, wrongData } from './digest.ts'
import { pathText, readingsText } from './evidence-text.ts'
import type { DnsFinding } from './finding.ts'
import { podSubject } from './pod-rows.ts'

/** Findings about wrong data: of one pod compared with the others, or of all pods. */
export function dataFindings({ scene, pods }: Digest): readonly DnsFinding[] {
  const talking = pods.filter((readings) => answersOverUdp(readings) || readings.loopback?.tcp === 'answers')
  const wrong = talking.filter((readings) => wrongData(readings) !== undefined)
  if (wrong.length === 0) return []
  const others = talking.filter((readings) => isRight(readings) && !wrong.includes(readings))
  const evidence = (many: readonly PodReadings[]): readonly string[] => [...many, ...others].map(readingsText)
  // Without a pod that answers rightly, nothing shows that the fault belongs to this pod.
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

/** Pods that live and say nothing of the zone. They may be well: the zone may be another one. */
export function zoneFindings({ pods }: Digest): readonly DnsFinding[] {
  const unknown = pods.filter(
    (readings) => isUnanswered(readings) && !isRight(readings) && wrongData(readings) === undefined,
  )
  if (unknown.length === 0) return []
  return [{ code: 'ZoneUnanswered', subjects: unknown.map(podSubject), evidence: unknown.map(readingsText) }]
}

/** Names outside of the cluster never count against a single pod. */
export function upstreamFindings({ scene, pods, service }: Digest): readonly DnsFinding[] {
  const asked = pods.filter((readings) => readingsOf(readings).some(({ upstream }) => upstream !== 'notAsked'))
  const failing = asked.filter((readings) => readingsOf(readings).every(({ upstream }) => upstream !== 'answers'))
  const ofService = service.filter(({ reading }) => reading.upstream !== 'notAsked')
  // The pods of a DNS that is managed elsewhere are not there to be asked.
  if (asked.length === 0 && ofService.length > 0 && ofService.every(({ reading }) => reading.upstream === 'fails'))
    return [
      {
        code: 'UpstreamDown',
        subjects: [{ kind: 'service', name: `${scene.service.namespace}/${scene.service.name}` }],
        evidence: ofService.map(({ vantage, target, reading }) => pathText(vantage, target.name, reading)),
      },
    ]
  if (failing.length === 0) return []
  const evidence = failing.map(readingsText)
  if (failing.length === asked.length) return [{ code: 'UpstreamDown', subjects: failing.map(podSubject), evidence }]
  return failing.map((readings) => ({
    code: 'UpstreamOfOne',
    subjects: [podSubject(readings)],
    evidence: [readingsText(readings)],
  }))
}
