import type { Digest, PodView } from './digest.ts'
import { answersOverUdp, isRight, wrongData } from './digest.ts'
import { viewText } from './evidence-text.ts'
import type { Finding } from './finding.ts'
import { podSubject } from './pod-rows.ts'

/** What pods say, where they say anything: one against the others, or all. */
export function dataFindings({ scene, pods }: Digest): readonly Finding[] {
  const talking = pods.filter((view) => answersOverUdp(view) || view.loopback?.tcp === 'answers')
  const wrong = talking.filter((view) => wrongData(view) !== undefined)
  if (wrong.length === 0) return []
  const others = talking.filter((view) => isRight(view) && !wrong.includes(view))
  const evidence = (views: readonly PodView[]): readonly string[] => [...views, ...others].map(viewText)
  // Without one that answers rightly nothing says that it is the pod's own.
  if (others.length === 0 || scene.api === 'away') {
    const away = scene.api === 'away' ? ['the API server does not answer'] : []
    return [{ code: 'DataStaleEverywhere', subjects: wrong.map(podSubject), evidence: [...evidence(wrong), ...away] }]
  }
  return wrong.map((view) => ({ code: 'DataStale', subjects: [podSubject(view)], evidence: evidence([view]) }))
}

/** Names outside of the cluster never speak against a pod. */
export function upstreamFindings({ pods }: Digest): readonly Finding[] {
  const asked = pods.filter(({ seen }) => seen.some(({ reading }) => reading.upstream !== 'notAsked'))
  const failing = asked.filter(({ seen }) => seen.every(({ reading }) => reading.upstream !== 'answers'))
  if (failing.length === 0) return []
  const evidence = failing.map(viewText)
  if (failing.length === asked.length) return [{ code: 'UpstreamDown', subjects: failing.map(podSubject), evidence }]
  return failing.map((view) => ({ code: 'UpstreamOfOne', subjects: [podSubject(view)], evidence: [viewText(view)] }))
}
