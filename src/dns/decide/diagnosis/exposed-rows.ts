import { isWrong, type PathReading } from '../path-reading.ts'
import { showsAllAnswer } from '../sampling.ts'
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
  if (!isReachedFromOutside(d)) return []
  const noTcp = scene.service.tcpPort === undefined ? [] : exposed.filter(({ reading }) => isUdpAlone(reading))
  if (noTcp.length > 0) return [{ code: 'ServiceTcpDead', subjects, evidence: noTcp.map(textOf) }]
  return [{ code: 'HealthyFromOutside', subjects, evidence: exposed.map(textOf) }]
}

/** No pod and no cluster IP was queried, but queries through the Service were answered by each pod. */
export function isReachedFromOutside(d: Digest): boolean {
  const { exposed, pods, service, scene } = d
  if (pods.some(isAsked) || service.length > 0 || scene.service.isUneven || scene.service.isLocalOutside) return false
  if (exposed.some((path) => faultOf(path) !== undefined)) return false
  return showsAllAnswer({ ...sampleOf(d), endpoints: scene.service.serving }) || isNamedEach(d)
}

/** The queries to all addresses outside of the cluster that answer rightly: each leads to all pods. */
function sampleOf({ exposed }: Digest): { readonly asked: number; readonly lost: number } {
  const right = exposed.filter(({ reading }) => reading.udp === 'answers' && reading.data === 'right')
  const sum = (of: 'asked' | 'lost'): number => right.reduce((all, { reading }) => all + reading[of], 0)
  return { asked: sum('asked'), lost: sum('lost') }
}

/** Each pod that serves has said its name (NSID). */
function isNamedEach({ exposed, pods, scene }: Digest): boolean {
  const serving = pods.filter(({ pod }) => pod.endpoint === 'serving')
  const named = new Set(exposed.flatMap(({ reading }) => reading.servedBy))
  return (
    serving.length > 0 && serving.length === scene.service.serving && serving.every(({ pod }) => named.has(pod.name))
  )
}

/** Why the answers from outside do not show that each pod answers; nothing where none came. */
export function unsureFromOutside(d: Digest): readonly string[] {
  const { asked, lost } = sampleOf(d)
  if (asked === 0) return []
  return [
    `where the Service is exposed, ${asked - lost} of ${asked} queries were answered: that does not show that each of its ${d.scene.service.serving} endpoints answers`,
  ]
}

const isUdpAlone = ({ udp, tcp }: PathReading): boolean => udp === 'answers' && tcp === 'silent'

function faultOf({ reading, canary }: Path): 'ExposedUdpDead' | 'ExposedLoses' | 'ExposedWrong' | undefined {
  const { udp, tcp } = reading
  // If TCP gets no answer either, the way may be closed: the address of a balancer cannot be reached from everywhere.
  if (udp === 'silent') return tcp === 'answers' ? 'ExposedUdpDead' : undefined
  if (udp === 'loses' || canary === 'silent') return 'ExposedLoses'
  return isWrong(reading) ? 'ExposedWrong' : undefined
}

/** Pods that serve but answered no query, if servers name themselves (NSID). */
function unmet({ pods }: Digest, { reading: { servedBy } }: Path): readonly Subject[] {
  if (!pods.some(({ pod }) => servedBy.includes(pod.name))) return []
  const silent = pods.filter(({ pod }) => pod.endpoint === 'serving' && !servedBy.includes(pod.name))
  return silent.map(({ pod }) => ({ kind: 'pod', name: pod.name }))
}

const textOf = ({ vantage, target, reading, canary }: Path): string => {
  const by = reading.servedBy.length === 0 ? '' : `; answered by ${reading.servedBy.join(', ')}`
  const port = canary === 'silent' ? '; from one port no answer' : ''
  return `${pathText(vantage, target.name, reading)}${port}${by}`
}
