import type { DnsScene } from '../scene.ts'
import { dataFindings, upstreamFindings, zoneFindings } from './data-rows.ts'
import { type Digest, digest, isAsked, isWell, type PodReadings } from './digest.ts'
import { pathText } from './evidence-text.ts'
import { exposedFindings, isReachedFromOutside, unsureFromOutside } from './exposed-rows.ts'
import { type DnsFinding, placesOf } from './finding.ts'
import { lossFindings, missedLoss } from './loss-rows.ts'
import {
  ailingPod,
  awayPod,
  crossNode,
  downPod,
  isObserved,
  latePod,
  loopbackFindings,
  miswiredPod,
  podSubject,
  sharedSilence,
  silentPod,
  slowPod,
  translatedPod,
  unmatchedPod,
} from './pod-rows.ts'
import { cacheFindings, serviceByApi, servicePath, wrongPort } from './service-rows.ts'

/**
 * The decision table: the findings, and the readings that support each. A cause that several pods share is one finding, and blames
 * no single pod. Never empty.
 */
export function diagnose(scene: DnsScene): readonly DnsFinding[] {
  const d = digest(scene)
  const cutOff = cutOffVantages(d)
  if (!d.pods.some(isKnown) && d.service.length === 0 && d.exposed.length === 0) {
    const byApi = serviceByApi(d)
    if (byApi !== undefined) return [byApi, ...cutOff]
    return cutOff.length > 0
      ? cutOff
      : [{ code: 'NotAsked', subjects: [{ kind: 'cluster', name: 'dns' }], evidence: [] }]
  }
  const byApi = serviceByApi(d)
  const found = [
    ...podFindings(d),
    ...d.away.map(awayPod),
    ...(byApi === undefined ? servicePath(d) : [byApi]),
    ...exposedFindings(d),
    ...cacheFindings(d),
    ...upstreamFindings(d),
    ...notAsked(d),
    ...misledPlaces(d),
    ...cutOff,
  ]
  if (found.length > 0) return found
  const isAnswered = d.pods.some(isWell) || d.service.some(({ reading }) => reading.udp === 'answers')
  const subjects = [{ kind: 'cluster', name: 'dns' }] as const
  return [
    isAnswered
      ? { code: 'Healthy', subjects, evidence: missedLoss(scene) }
      : { code: 'NotAsked', subjects, evidence: [] },
  ]
}

const isKnown = (readings: PodReadings): boolean => isAsked(readings) || readings.loopback !== undefined

/** What explains a pod by itself is no part of what the others share. */
function podFindings(d: Digest): readonly DnsFinding[] {
  const byItself = (readings: PodReadings): DnsFinding | undefined =>
    translatedPod(readings) ?? unmatchedPod(readings) ?? latePod(readings)
  const wrong = wrongPort(d) ?? []
  const listening = d.pods.filter(({ pod }) => pod.answersAt === undefined)
  const explained = [...listening.flatMap((readings) => byItself(readings) ?? []), ...[wrong].flat()]
  const others = listening.filter((readings) => byItself(readings) === undefined)
  const up = others.filter((readings) => downPod(d, readings) === undefined)
  // Where the nodes of all of them are down, that is what they share.
  const rest = up.length > 0 ? up : others
  const down = others.flatMap((readings) => (rest.includes(readings) ? [] : (downPod(d, readings) ?? [])))
  const shared = sharedSilence(d, rest) ?? crossNode(rest)
  if (shared !== undefined) return [...explained, ...down, shared]
  const each = rest.flatMap(
    (readings) =>
      downPod(d, readings) ??
      silentPod(readings) ??
      ailingPod(readings) ??
      miswiredPod(readings) ??
      slowPod(readings) ??
      [],
  )
  return [
    ...explained,
    ...down,
    ...each,
    ...lossFindings(rest),
    ...loopbackFindings(d),
    ...dataFindings(d),
    ...zoneFindings(d),
  ]
}

/** Targets that no place could query. Their state is unknown, so the verdict is not `ok`. */
function notAsked(d: Digest): readonly DnsFinding[] {
  const { pods, service, scene } = d
  const { namespace, name, addresses } = scene.service
  // If the API shows a fault of the Service, querying its address adds nothing.
  const isServiceAsked = service.length > 0 || addresses.length === 0 || serviceByApi(d) !== undefined
  if (isReachedFromOutside(d)) return []
  // Queries of other clients reach every pod, so the Service leads to them. `UdpObserved` names what was not queried.
  const isServiceUsed = pods.length > 0 && pods.every((readings) => !isAsked(readings) && isObserved(readings))
  const subjects = [
    ...pods.filter((readings) => !isKnown(readings)).map(podSubject),
    ...(isServiceAsked || isServiceUsed ? [] : [{ kind: 'service', name: `${namespace}/${name}` } as const]),
  ]
  return subjects.length === 0
    ? []
    : [{ code: 'NotAsked', subjects, evidence: ['no place could ask it', ...unsureFromOutside(d)] }]
}

function cutOffVantages({ unsound, scene }: Digest): readonly DnsFinding[] {
  return unsound.map(({ name, node }) => ({
    code: 'VantageCutOff',
    subjects: [{ kind: 'vantage', name }, ...(node === undefined ? [] : [{ kind: 'node', name: node } as const])],
    evidence: [
      `${name} does not reach its control`,
      ...scene.paths
        .filter(({ vantage }) => vantage === name)
        .map(({ target, reading }) => pathText(name, target.name, reading)),
    ],
  }))
}

/** Pods of the cluster on a node may be answered as the place is there. A place outside may be left out on purpose. */
function misledPlaces({ misled }: Digest): readonly DnsFinding[] {
  return [...misled.values()].map(({ paths, isContradicted }) => {
    const from = paths.map((path) => path.from)
    const isOfCluster = isContradicted && from.some(({ node }) => node !== undefined)
    return {
      code: isOfCluster ? 'SeenFromSomePlaces' : 'PlaceRefused',
      subjects: placesOf(from),
      evidence: paths.map(({ vantage, target, reading }) => pathText(vantage, target.name, reading)),
    }
  })
}
