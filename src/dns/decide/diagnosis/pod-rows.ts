import type { CauseCode } from '../causes.ts'
import type { SceneVantage } from '../scene.ts'
import {
  answersOverTcp,
  answersOverUdp,
  type Digest,
  isAsked,
  isFromElsewhere,
  isSilentOverTcp,
  isSilentOverUdp,
  type PodReadings,
  wrongData,
} from './digest.ts'
import { pathText, readingsText } from './evidence-text.ts'
import { type DnsFinding, placesOf, type Subject } from './finding.ts'

export const podSubject = ({ pod }: PodReadings): Subject => ({ kind: 'pod', name: pod.name })

/** The pod is silent, and the API says that its node is down: nothing that other pods share is needed to explain it. */
export function downPod({ scene }: Digest, readings: PodReadings): DnsFinding | undefined {
  const node = scene.nodes.find(({ name }) => name === readings.pod.node)
  if (!isSilentOverUdp(readings) || node?.ready !== false) return undefined
  return {
    code: 'NodeDown',
    subjects: [podSubject(readings), { kind: 'node', name: node.name }],
    evidence: [readingsText(readings), ...aroundText(readings), `node ${node.name} is not Ready`],
  }
}

/**
 * Replies of the pod come from another address than was asked: it answers, and a new pod on its node would be the same. Where other places get its
 * answers as they should be, the places that do not may be at fault as well.
 */
export function translatedPod(readings: PodReadings): DnsFinding | undefined {
  const { pod, seen } = readings
  const translated = seen.filter(({ reading }) => isFromElsewhere(reading))
  if (translated.length === 0) return undefined
  const ends = pod.node === undefined ? [] : [{ kind: 'node', name: pod.node } as const]
  const places = answersOverUdp(readings) ? placesOf(translated.map(({ vantage }) => vantage)) : []
  const from = [...new Set(translated.flatMap(({ reading }) => reading.wrongSource ?? []))]
  return {
    code: 'ReplyFromElsewhere',
    subjects: [podSubject(readings), ...ends, ...places.filter(({ name }) => name !== pod.node)],
    evidence: [readingsText(readings), `replies came from ${from.join(', ')}`],
  }
}

/** Something answers there, and no query of ours: a new pod behind the same way would be the same. */
export function unmatchedPod(readings: PodReadings): DnsFinding | undefined {
  const isUnmatched = readings.seen.some(({ reading: { how } }) => how.includes('mismatch'))
  if (!isSilentOverUdp(readings) || !isUnmatched) return undefined
  return { code: 'ReplyUnmatched', subjects: [podSubject(readings)], evidence: [readingsText(readings)] }
}

/** It was given more time than a query has, and answered. */
export function latePod(readings: PodReadings): DnsFinding | undefined {
  const { answersAfterMs } = readings.pod
  if (answersAfterMs === undefined) return undefined
  const evidence = [readingsText(readings), `an answer that was waited for took ${answersAfterMs} ms`]
  return { code: 'AnswersLate', subjects: [podSubject(readings)], evidence }
}

const SLOW_MS = 500

/** The way from a place may be slow: each place must see it. */
export function slowPod(readings: PodReadings): DnsFinding | undefined {
  const { seen } = readings
  const isSlow = seen.length > 0 && seen.every(({ reading: { medianMs = 0 } }) => medianMs >= SLOW_MS)
  if (!isSlow) return undefined
  const evidence = seen.map(
    ({ vantage, as, reading: { medianMs = 0 } }) =>
      `${vantage.name} → ${as}: half of the answers took ${Math.round(medianMs)} ms or more`,
  )
  return { code: 'Slow', subjects: [podSubject(readings)], evidence }
}

/** A fault of all these pods at once: they share the cause, and no single pod is blamed. */
export function sharedSilence({ pods: all, sound }: Digest, pods: readonly PodReadings[]): DnsFinding | undefined {
  const asked = pods.filter(isAsked)
  if (asked.length === 0 || !asked.every(isSilentOverUdp)) return undefined
  const evidence = asked.map(readingsText)
  const subjects = asked.map(podSubject)
  if (all.length === 1) return { code: 'OnlyPodDead', subjects, evidence }
  // One pod of many says nothing about the others.
  if (asked.length === 1) return undefined
  if (asked.every(answersOverTcp)) return { code: 'UdpDropped', subjects, evidence }
  if (asked.some(answersOverTcp)) return undefined
  return { code: 'AllPodsSilent', subjects: [{ kind: 'cluster', name: 'dns' }, ...sound.map(vantageSubject)], evidence }
}

const vantageSubject = ({ name }: { readonly name: string }): Subject => ({ kind: 'vantage', name })

/**
 * The ways between nodes that must be seen. If only one is silent, the pod at its end may be the cause, from however many places
 * of the node it was queried.
 */
const WAYS_BETWEEN_NODES = 2

/** UDP reaches the pods of the vantage's own node and no pod of another node. TCP reaches both. */
export function crossNode(pods: readonly PodReadings[]): DnsFinding | undefined {
  const ways = pods.flatMap(({ pod, seen }) =>
    seen.flatMap(({ vantage, reading }) =>
      vantage.node === undefined || pod.node === undefined
        ? []
        : [{ isNear: vantage.node === pod.node, pod, vantage, reading }],
    ),
  )
  const [near, far] = [ways.filter(({ isNear }) => isNear), ways.filter(({ isNear }) => !isNear)]
  const isBetweenNodes =
    near.length > 0 &&
    new Set(far.map(({ vantage, pod }) => `${vantage.node} ${pod.name}`)).size >= WAYS_BETWEEN_NODES &&
    near.every(({ reading }) => reading.udp === 'answers') &&
    far.every(({ reading }) => reading.udp === 'silent' && reading.tcp === 'answers')
  if (!isBetweenNodes) return undefined
  const nodes = [...new Set(far.flatMap(({ vantage, pod }) => [vantage.node ?? '', pod.node ?? '']))].toSorted()
  return {
    code: 'CrossNodeUdp',
    subjects: nodes.map((name) => ({ kind: 'node', name })),
    evidence: [...near, ...far].map(({ pod, vantage, reading }) => pathText(vantage.name, pod.name, reading)),
  }
}

/** One silent pod among others that answer. */
export function silentPod(readings: PodReadings): DnsFinding | undefined {
  if (!isSilentOverUdp(readings)) return undefined
  const { pod } = readings
  const evidence = [readingsText(readings), ...aroundText(readings)]
  const subjects = [podSubject(readings)]
  if (answersOverTcp(readings)) return { code: 'UdpDead', subjects, evidence }
  if (pod.process === 'silent') return { code: 'ProcessHung', subjects, evidence }
  if (pod.neighbours === 'notReached' && pod.node !== undefined)
    return { code: 'NodeNetworkDead', subjects: [...subjects, { kind: 'node', name: pod.node }], evidence }
  return { code: 'PodNetworkDead', subjects, evidence }
}

function aroundText({ pod }: PodReadings): readonly string[] {
  return [
    ...(pod.process === undefined
      ? []
      : [`on its own loopback it ${pod.process === 'answers' ? 'answers' : 'is silent'}`]),
    ...(pod.neighbours === undefined
      ? []
      : [`other pods of ${pod.node ?? 'its node'} are ${pod.neighbours === 'reached' ? 'reached' : 'not reached'}`]),
  ]
}

/** A pod that answers, but not well. */
export function ailingPod(readings: PodReadings): DnsFinding | undefined {
  const evidence = [readingsText(readings)]
  const subjects = [podSubject(readings)]
  const states = new Set(readings.seen.map(({ reading }) => reading.udp))
  if (!answersOverUdp(readings) && !states.has('loses')) return undefined
  if (states.has('silent'))
    return { code: hasSilentAddress(readings) ? 'AddressSilent' : 'SeenFromSomePlaces', subjects, evidence }
  // Where packets are lost, TCP is silent at times as well.
  if (states.has('loses')) return undefined
  return isSilentOverTcp(readings) && wrongData(readings) === undefined
    ? { code: 'TcpDead', subjects, evidence }
    : undefined
}

/** Of several addresses of a pod, one is silent from each place that asked it. */
const hasSilentAddress = ({ seen }: PodReadings): boolean =>
  [...Map.groupBy(seen, ({ as }) => as).values()].some((ofOne) => {
    // A place that is answered at another address shows that it is not the way of that place.
    const isHeard = ({ name }: SceneVantage): boolean =>
      seen.some(({ vantage, reading }) => vantage.name === name && reading.udp !== 'silent')
    return ofOne.every(({ reading }) => reading.udp === 'silent') && ofOne.some(({ vantage }) => isHeard(vantage))
  })

/** A pod that kubelet reports as away: no client is sent there. */
export function awayPod(readings: PodReadings): DnsFinding {
  const { isAway, ready, endedBy = [] } = readings.pod
  const ended = endedBy.length === 0 ? '' : `: the last time it ended by ${endedBy.join(', ')}`
  const why =
    isAway === 'down' ? `its container does not run${ended}` : 'its container has been running for less than a minute'
  const evidence = [`${ready ? '' : 'the API says that it is not Ready, and '}${why}`]
  return { code: isAway === 'down' ? 'NotRunning' : 'PodStarting', subjects: [podSubject(readings)], evidence }
}

/** What the API says about a pod that answers. */
export function miswiredPod(readings: PodReadings): DnsFinding | undefined {
  const { pod } = readings
  if (!answersOverUdp(readings) || wrongData(readings) !== undefined) return undefined
  const subjects = [podSubject(readings)]
  if (!pod.ready)
    return { code: 'NotReady', subjects, evidence: [readingsText(readings), 'the API says that it is not Ready'] }
  if (pod.endpoint !== 'absent') return undefined
  return {
    code: 'EndpointMissing',
    subjects,
    evidence: [readingsText(readings), 'no EndpointSlice of the Service lists it'],
  }
}

/**
 * Pods that were queried only on their own loopback. This shows their process and data. For UDP there are only the pods' own
 * counters, which are not our measurement.
 */
export function loopbackFindings({ pods }: Digest): readonly DnsFinding[] {
  const alone = pods.filter((readings) => !isAsked(readings) && readings.loopback !== undefined)
  const silent = alone.filter(({ loopback }) => loopback?.tcp === 'silent')
  const talking = alone.filter((readings) => !silent.includes(readings))
  const right = talking.filter((readings) => wrongData(readings) === undefined && !isSuspect(readings))
  const each = (code: CauseCode, many: readonly PodReadings[]): readonly DnsFinding[] =>
    many.map((readings) => ({ code, subjects: [podSubject(readings)], evidence: [readingsText(readings)] }))
  const together = (code: CauseCode, many: readonly PodReadings[]): readonly DnsFinding[] =>
    many.length === 0 ? [] : [{ code, subjects: many.map(podSubject), evidence: many.map(readingsText) }]
  return [
    // A process that answers other clients over UDP does not hang.
    ...each(
      'ProcessHung',
      silent.filter((readings) => !isObserved(readings)),
    ),
    ...each('TcpDead', silent.filter(isObserved)),
    ...each('UdpSuspect', talking.filter(isSuspect)),
    ...together('UdpObserved', right.filter(isObserved)),
    ...together(
      'UdpUnseen',
      right.filter((readings) => !isObserved(readings)),
    ),
  ]
}

const isSuspect = ({ pod }: PodReadings): boolean => pod.udpSeen?.state === 'suspect'
export const isObserved = ({ pod }: PodReadings): boolean => pod.udpSeen?.state === 'observed'
