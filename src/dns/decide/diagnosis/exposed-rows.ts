import { isWrong } from '../path-reading.ts'
import { queriesToSeeAll } from '../sampling.ts'
import type { Path } from '../scene.ts'
import { type Digest, isAsked, isWell } from './digest.ts'
import { pathText } from './evidence-text.ts'
import type { DnsFinding, Subject } from './finding.ts'

/**
 * The Service at its addresses outside of the cluster. If pods were queried and are ill, faults there follow from that and are
 * left out. If nothing else is reached, these addresses are the only evidence.
 */
export function exposedFindings(d: Digest): readonly DnsFinding[] {
  const { exposed, pods, scene } = d
  if (exposed.length === 0 || pods.some((readings) => isAsked(readings) && !isWell(readings))) return []
  const subjects: readonly Subject[] = [{ kind: 'service', name: `${scene.service.namespace}/${scene.service.name}` }]
  const found = exposed.flatMap((path): readonly DnsFinding[] => {
    const code = faultOf(path)
    if (code === undefined) return []
    return [{ code, subjects: [...subjects, ...unmet(d, path)], evidence: [textOf(path)] }]
  })
  if (found.length > 0) return found
  const outside = exposed.filter(({ reading }) => reading.upstream === 'fails')
  if (outside.length > 0 && !pods.some(isAsked))
    return [{ code: 'UpstreamDown', subjects, evidence: outside.map(textOf) }]
  return isReachedFromOutside(d) ? [{ code: 'HealthyFromOutside', subjects, evidence: exposed.map(textOf) }] : []
}

/** No pod and no cluster IP was queried, but queries through the Service reached each pod. */
export function isReachedFromOutside({ exposed, pods, service, scene }: Digest): boolean {
  if (pods.some(isAsked) || service.length > 0 || scene.service.isUneven) return false
  const enough = queriesToSeeAll(scene.service.serving)
  const isReached = ({ reading: { asked, data } }: Path): boolean => asked >= enough && data === 'right'
  return exposed.some(isReached) && exposed.every((path) => faultOf(path) === undefined)
}

function faultOf({ reading }: Path): 'ExposedUdpDead' | 'ExposedLoses' | 'ExposedWrong' | undefined {
  const { udp, tcp } = reading
  // If TCP gets no answer either, the way may be closed: the address of a balancer cannot be reached from everywhere.
  if (udp === 'silent') return tcp === 'answers' ? 'ExposedUdpDead' : undefined
  if (udp === 'loses') return 'ExposedLoses'
  return isWrong(reading) ? 'ExposedWrong' : undefined
}

/** Pods that serve but answered no query, if servers name themselves (NSID). */
function unmet({ pods }: Digest, { reading: { servedBy } }: Path): readonly Subject[] {
  if (!pods.some(({ pod }) => servedBy.includes(pod.name))) return []
  const silent = pods.filter(({ pod }) => pod.endpoint === 'serving' && !servedBy.includes(pod.name))
  return silent.map(({ pod }) => ({ kind: 'pod', name: pod.name }))
}

const textOf = ({ vantage, target, reading }: Path): string => {
  const by = reading.servedBy.length === 0 ? '' : `; answered by ${reading.servedBy.join(', ')}`
  return `${pathText(vantage, target.name, reading)}${by}`
}
