import { losesMore } from '../loss.ts'
import { isWrong, type PathReading } from '../path-reading.ts'
import type { PathFrom, SceneVantage } from '../scene.ts'
import { type Digest, isAsked, isFromElsewhere, isSilentOverTcp, isWell, type PodReadings } from './digest.ts'
import { pathText } from './evidence-text.ts'
import { type DnsFinding, placesOf, type Subject } from './finding.ts'
import { countOf } from './loss-rows.ts'

/** Faults of the Service that the API alone shows. */
export function serviceByApi(d: Digest): DnsFinding | undefined {
  const { service } = d.scene
  const name = `${service.namespace}/${service.name}`
  const subjects: readonly Subject[] = [{ kind: 'service', name }]
  if (service.udpPort === undefined)
    return { code: 'ServiceWrong', subjects, evidence: [`Service ${name} has no UDP port for DNS`] }
  if (service.selected === 0 && !isAnsweredWithoutPods(d))
    return { code: 'NoPods', subjects, evidence: [`the selector of Service ${name} picks no pod`] }
  return undefined
}

/** Some clusters run DNS as a process of each node, and leave a Service whose selector picks nothing. */
const isAnsweredWithoutPods = ({ scene, service }: Digest): boolean =>
  !scene.nodeLocal &&
  service.length > 0 &&
  service.every(({ reading: { udp, data } }) => udp === 'answers' && data === 'right')

/** Pods that answer, and not at the port to which the Service leads. */
export function wrongPort({ scene: { service }, pods }: Digest): DnsFinding | undefined {
  const elsewhere = pods.flatMap(({ pod: { name, port, answersAt } }) =>
    answersAt === undefined ? [] : [`${name} answers at port ${answersAt}, and the Service leads to port ${port}`],
  )
  const subjects: readonly Subject[] = [{ kind: 'service', name: `${service.namespace}/${service.name}` }]
  return elsewhere.length === 0 ? undefined : { code: 'ServiceWrong', subjects, evidence: elsewhere }
}

/** What the pods do not explain about the address of the Service: the fault lies between. Behind it may be caches that answer in its place. */
export function servicePath(d: Digest): readonly DnsFinding[] {
  const { scene, pods, service } = d
  const asked = pods.filter(isAsked)
  if (service.length === 0) return []
  const name = `${scene.service.namespace}/${scene.service.name}`
  const ill = service
    .filter(({ reading, canary }) => reading.udp !== 'answers' || canary === 'silent')
    .filter((path) => !isExplainedByPods(d, path))
  if (ill.length === 0) return servedWrongly(d)
  const bad = ill.filter(({ from }) => !isWithoutLocal(d, from))
  if (bad.length === 0) return [noLocalEndpoint(d, ill)]
  const evidence = service.map(({ vantage, target, reading, canary }) => {
    const port = canary === undefined ? '' : `; from one port ${canary === 'answers' ? 'answered' : 'no answer'}`
    return `${pathText(vantage, target.name, reading)}${port}`
  })
  const whole: readonly Subject[] = [{ kind: 'service', name }]
  if (asked.length === 0 && bad.some(({ reading }) => reading.udp !== 'answers'))
    return [{ code: 'ServiceIll', subjects: whole, evidence: [...evidence, podsText(d)] }]
  const there = placesOf(bad.map(({ from }) => from))
  if (bad.some(({ reading }) => isFromElsewhere(reading)))
    return [{ code: 'ReplyFromElsewhere', subjects: there, evidence }]
  if (bad.every(({ reading }) => reading.how.includes('refused'))) {
    const endpoints = `${scene.service.serving} endpoints of the Service serve`
    return [
      {
        code: 'NoEndpointsProgrammed',
        subjects: scene.service.serving === 0 ? whole : there,
        evidence: [...evidence, endpoints],
      },
    ]
  }
  if (bad.every(({ reading }) => reading.udp === 'loses')) {
    const ofService = bad.filter((path) => losesMoreThanPods(d, path))
    return ofService.length === 0
      ? [{ code: 'LosesOnTheWay', subjects: there, evidence }]
      : [{ code: 'DeadEndpointKept', subjects: placesOf(ofService.map(({ from }) => from)), evidence }]
  }
  // With one place, nobody knows whether other nodes reach the Service, however many addresses it has. To blame only that node is the smaller
  // claim.
  const places = new Set(service.map(({ from }) => from.name)).size
  const isEverywhere =
    places > 1 && bad.length === service.length && bad.every(({ reading }) => reading.udp === 'silent')
  return isEverywhere
    ? [{ code: 'ServiceWrong', subjects: whole, evidence }]
    : [{ code: 'ProxyStale', subjects: there, evidence }]
}

/** By chance all queries to the Service lead to pods that are dead: no rarer than that, they explain it. */
const ALL_LED_ASTRAY = 1e-4

/**
 * Pods that are silent explain that a share of the queries to the Service is lost. They do not explain that all are, where the Service also
 * leads to a pod that answers this place, or where the address refuses and no pod does.
 */
function isExplainedByPods(d: Digest, { from, reading }: Digest['service'][number]): boolean {
  const ofPods = d.pods.flatMap(({ seen }) => seen.map((one) => one.reading))
  if (ofPods.every(({ udp }) => udp === 'answers')) return false
  if (reading.udp !== 'silent' || reading.lost < reading.asked) return !isWithoutLocal(d, from)
  if (reading.how.includes('refused') && !ofPods.some(({ how }) => how.includes('refused'))) return false
  const { isLocal, isUneven, tcpPort } = d.scene.service
  const behind = d.pods.filter(
    ({ pod }) => pod.endpoint === 'serving' && (!isLocal || from.node === undefined || pod.node === from.node),
  )
  const isSeenThere = ({ seen }: PodReadings, isSo: (reading: PathReading) => boolean): boolean =>
    seen.some(({ vantage, reading: one }) => vantage.name === from.name && isSo(one))
  const answersThere = (pod: PodReadings): boolean => isSeenThere(pod, ({ udp }) => udp === 'answers')
  // Pods that are dead over UDP alone do not keep the address from answering over TCP.
  const isTcpDead = tcpPort !== undefined && reading.tcp === 'silent' && behind.length > 0
  if (isTcpDead && behind.every((pod) => isSeenThere(pod, ({ tcp }) => tcp === 'answers'))) return false
  // Where the Service is uneven, all queries of a place may go to one of them.
  if (isUneven) return !behind.every(answersThere)
  const dead = behind.filter((pod) => !answersThere(pod)).length
  return (dead / Math.max(1, behind.length)) ** reading.asked > ALL_LED_ASTRAY
}

/** A place that loses a little to each pod loses as much to the Service. */
function losesMoreThanPods({ pods }: Digest, { from, reading }: Digest['service'][number]): boolean {
  const ofPods = countOf(pods.flatMap(({ seen }) => seen.filter(({ vantage }) => vantage.name === from.name)))
  return ofPods.asked === 0 || losesMore(reading, ofPods)
}

/** By its traffic policy the Service leads to pods of the same node alone, and none serves there. */
const isWithoutLocal = ({ scene: { service, pods } }: Digest, { node }: SceneVantage): boolean =>
  service.isLocal === true && node !== undefined && !pods.some((pod) => pod.node === node && pod.endpoint === 'serving')

function noLocalEndpoint({ scene: { service } }: Digest, paths: Digest['service']): DnsFinding {
  const nodes = [...new Set(paths.flatMap(({ from }) => from.node ?? []))]
  return {
    code: 'NoLocalEndpoint',
    subjects: nodes.map((name) => ({ kind: 'node', name })),
    evidence: [
      `internalTrafficPolicy of Service ${service.namespace}/${service.name} is Local`,
      ...paths.map(({ vantage, target, reading }) => pathText(vantage, target.name, reading)),
    ],
  }
}

const podsText = ({ scene: { pods, service }, away }: Digest): string =>
  `of ${service.selected ?? 0} pods that its selector picks ${pods.length} run, and ${away.length} of those are not Ready`

/**
 * A server that knows nothing of the zone answers there: this place gets answers about it elsewhere. Where pods do not answer well, the few
 * queries about the zone may all have led to those.
 */
const isForeign = ({ pods, service }: Digest, { from, reading }: PathFrom): boolean => {
  const isRightHere = (place: SceneVantage, { data }: PathFrom['reading']): boolean =>
    place.name === from.name && data === 'right'
  const here = pods.flatMap(({ seen }) => seen.filter(({ vantage }) => vantage.name === from.name))
  return (
    reading.data === 'unanswered' &&
    here.every((one) => one.reading.udp === 'answers') &&
    (pods.some(({ seen }) => seen.some((one) => isRightHere(one.vantage, one.reading))) ||
      service.some((one) => isRightHere(one.from, one.reading)))
  )
}

/** The Service answers, but not with the pods' answers. */
function servedWrongly(d: Digest): readonly DnsFinding[] {
  const { scene, pods, service } = d
  const subjects: readonly Subject[] = [{ kind: 'service', name: `${scene.service.namespace}/${scene.service.name}` }]
  const text = ({ vantage, target, reading }: Digest['service'][number]): string =>
    pathText(vantage, target.name, reading)
  const ofPods = pods.flatMap(({ seen }) => seen.map(({ reading }) => reading))
  // What a pod says whose replies come from elsewhere is heard through the Service alone.
  const isOfPods = ofPods.some((reading) => isWrong(reading) || isFromElsewhere(reading))
  const wrong = isOfPods ? [] : service.filter((path) => isWrong(path.reading) || isForeign(d, path))
  if (wrong.length > 0) return [{ code: 'ServiceAnswersWrong', subjects, evidence: wrong.map(text) }]
  // Where packets are lost, TCP is silent at times as well.
  const isLossy = ofPods.some(({ udp }) => udp === 'loses')
  const isTcpOwn = scene.service.tcpPort !== undefined && !isLossy && !pods.some(isSilentOverTcp)
  const noTcp = isTcpOwn ? service.filter((path) => path.reading.tcp === 'silent' && !isOfSilentPods(d, path)) : []
  return noTcp.length > 0 ? [{ code: 'ServiceTcpDead', subjects, evidence: noTcp.map(text) }] : []
}

/** The few connections to the Service may all have led to pods that this place does not reach. */
const isOfSilentPods = ({ pods }: Digest, { from }: PathFrom): boolean =>
  pods.some(({ seen }) =>
    seen.some(
      ({ vantage, reading: { udp, tcp } }) => vantage.name === from.name && udp === 'silent' && tcp === 'silent',
    ),
  )

/** For nodes where a cache answers in the place of the Service. */
export function cacheFindings(d: Digest): readonly DnsFinding[] {
  const { scene, pods, caches } = d
  const dead = caches.filter(({ reading }) => reading.udp === 'silent')
  const findings: DnsFinding[] = dead.map(({ from, vantage, target, reading }) => ({
    code: 'CacheDead',
    subjects: placesOf([from]),
    evidence: [pathText(vantage, target.name, reading)],
  }))
  // Where pods are ill, caches that forward to them, over TCP, are as well.
  const areWell = pods.every((pod) => isWell(pod) && pod.seen.every(({ reading }) => reading.tcp !== 'silent'))
  const ill = areWell
    ? caches.filter((path) => {
        const { udp, tcp } = path.reading
        return udp === 'loses' || isWrong(path.reading) || tcp === 'silent' || isForeign(d, path)
      })
    : []
  for (const { from, vantage, target, reading } of ill.filter(({ reading: { udp } }) => udp !== 'silent'))
    findings.push({
      code: 'CacheIll',
      subjects: placesOf([from]),
      evidence: [pathText(vantage, target.name, reading)],
    })
  const isMasked =
    scene.nodeLocal &&
    pods.some((readings) => readings.seen.length > 0 && !isWell(readings)) &&
    caches.some(({ reading }) => reading.udp === 'answers')
  if (isMasked)
    findings.push({
      code: 'CacheMasks',
      subjects: [{ kind: 'service', name: `${scene.service.namespace}/${scene.service.name}` }],
      evidence: caches.map(({ vantage, target, reading }) => pathText(vantage, target.name, reading)),
    })
  return findings
}
