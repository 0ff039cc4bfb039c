import { kubectl, type Sentence, say } from '../../../ground/model/sentence.ts'
import type { RolledWorkload } from '../../model/repair-reading.ts'
import { CAUSES, type CauseCode } from '../causes.ts'
import type { DnsFinding } from '../diagnosis/finding.ts'
import { isWrong, type PathReading } from '../path-reading.ts'
import { countedPaths, type DnsScene, type PathFrom, type ScenePod } from '../scene.ts'
import type { PastRepair, RepairSnapshot, SickPod } from './repair-snapshot.ts'

/**
 * What must hold before a pod of DNS is touched; `text` says what was found, whether it holds or not.
 *
 * Law: no pod of DNS is repaired while a guard is against it.
 */
export interface Guard {
  readonly guard:
    | 'evidence'
    | 'ownCause'
    | 'othersAnswer'
    | 'apiServer'
    | 'nothingElseMoves'
    | 'budget'
    | 'quarantine'
    | 'pace'
  readonly holds: boolean
  readonly text: Sentence
}

/** Two places on one node share the way to the pod. With two nodes, one is not the pod's own. */
const NODES_THAT_SEE = 2
/**
 * For five minutes, connection tracking of IPVS leads to a pod that is gone (kubernetes/kubernetes#71514), and that of iptables
 * for two. Until then, failed queries say nothing about the pods of now.
 */
export const COOL_DOWN_MS = 310_000
const HOUR_MS = 3_600_000
const REPAIRS_AN_HOUR = 3
/** After this many repairs in a row that cured nothing, the pods are not the cause. */
const BREAKER = 2
/** An older repair says nothing about what is wrong now. */
const BREAKER_SPAN_MS = 24 * HOUR_MS

/** Findings that the sick pod causes, or that say nothing about DNS. */
const BESIDE: ReadonlySet<CauseCode> = new Set(['CacheMasks', 'VantageCutOff', 'UdpObserved'])

/**
 * Names of the cluster do not go that way. A network without a way outside has this finding for as long as it exists, so it
 * neither holds a repair nor speaks against a cure.
 */
export const isOfUpstreamAlone = ({ code }: DnsFinding): boolean => code === 'UpstreamDown'

export const guardsOf = (sick: SickPod, sickPods: number, snapshot: RepairSnapshot): readonly Guard[] => [
  evidence(sick, snapshot),
  ownCause(sickPods, snapshot),
  othersAnswer(sick, snapshot),
  apiServer(snapshot),
  nothingElseMoves(sick, snapshot),
  budget(sick, snapshot),
  quarantine(snapshot),
  pace(snapshot),
]

const yes = (guard: Guard['guard'], text: Sentence): Guard => ({ guard, holds: true, text })
const no = (guard: Guard['guard'], text: Sentence): Guard => ({ guard, holds: false, text })

/** What was read of a pod from all places that count. */
const allReadingsOf = (scene: DnsScene, { name }: ScenePod): readonly PathFrom[] =>
  countedPaths(scene).filter(({ target }) => target.kind === 'pod' && target.name === name)

/** What was read of a pod from places that reach their control. */
const readingsOf = (scene: DnsScene, pod: ScenePod): readonly PathFrom[] =>
  allReadingsOf(scene, pod).filter(({ from }) => from.control === 'answers')

function isIllBy(code: CauseCode, { udp, tcp, data }: PathReading): boolean {
  if (code === 'DataStale') return isWrong({ data })
  return code === 'TcpDead' ? tcp === 'silent' : udp === 'silent'
}

function isWellBy(code: CauseCode, { udp, tcp, data }: PathReading): boolean {
  if (code === 'DataStale') return data === 'right'
  return code === 'TcpDead' ? tcp === 'answers' : udp === 'answers'
}

function evidence({ pod, code }: SickPod, { scene, rounds }: RepairSnapshot): Guard {
  const ill = readingsOf(scene, pod).filter(({ reading }) => isIllBy(code, reading))
  const nodes = [...new Set(ill.flatMap(({ from }) => from.node ?? []))]
  if (rounds < 2) return no('evidence', 'only one round saw it')
  if (nodes.length < NODES_THAT_SEE)
    return no(
      'evidence',
      `it is seen from ${nodes.length === 0 ? 'no node' : nodes.join(', ')}: two nodes are needed (--relay)`,
    )
  const well = allReadingsOf(scene, pod).filter(({ reading }) => isWellBy(code, reading))
  if (well.length > 0)
    return no('evidence', `${[...new Set(well.map(({ vantage }) => vantage))].join(' and ')} finds it well`)
  return yes('evidence', `${code} is seen from ${nodes.join(' and ')}, in two rounds`)
}

function ownCause(sickPods: number, { findings, scene }: RepairSnapshot): Guard {
  if (sickPods > 1)
    return no(
      'ownCause',
      `${sickPods} of ${scene.pods.length} pods are unhealthy: something that they share is at fault`,
    )
  const others = findings
    .filter((finding) => !isOfUpstreamAlone(finding))
    .map(({ code }) => code)
    .filter((code) => CAUSES[code].repair === 'none' && !BESIDE.has(code))
  return others.length > 0
    ? no('ownCause', `there is also ${others.join(', ')}, which a new pod does not cure`)
    : yes('ownCause', 'it is the only unhealthy pod, and nothing else is unhealthy')
}

/** Pods that answered well to every place: the pods that stay must be known to answer. */
function othersAnswer({ pod }: SickPod, { scene }: RepairSnapshot): Guard {
  const others = scene.pods.filter((other) => {
    const seen = readingsOf(scene, other)
    const isWell = seen.every(({ reading: { udp, data } }) => udp === 'answers' && data === 'right')
    return other.uid !== pod.uid && !other.terminating && other.endpoint === 'serving' && seen.length > 0 && isWell
  })
  return others.length === 0
    ? no('othersAnswer', 'no other pod answers over UDP: scale up to two first, and check that the new one answers')
    : yes(
        'othersAnswer',
        `${others.map(({ name }) => name).join(', ')} ${others.length === 1 ? 'answers' : 'answer'} over UDP`,
      )
}

function apiServer({ apiNotReady }: RepairSnapshot): Guard {
  return apiNotReady === undefined
    ? yes('apiServer', 'the API server is ready')
    : no('apiServer', `${apiNotReady}: a new pod could not list Services, but the old one still knows them`)
}

function nothingElseMoves({ pod }: SickPod, { workload, proxies, scene, ...reading }: RepairSnapshot): Guard {
  const down = new Set(reading.downNodes)
  const cordoned = reading.cordoned.filter((name) => !down.has(name))
  const moving =
    workload === undefined
      ? 'the pods do not belong to one Deployment or DaemonSet that would replace it'
      : movingOf(workload, 1, down)
  const leaving = scene.pods
    .filter(({ terminating, uid, node }) => terminating && uid !== pod.uid && !down.has(node ?? ''))
    .map(({ name }) => name)
  const why =
    moving ??
    (pod.terminating ? 'it is being deleted already' : undefined) ??
    (pod.justStarted ? 'its container began within the last minute: it may not be done with its start' : undefined) ??
    (leaving.length > 0 ? `${leaving.join(', ')} is being deleted` : undefined) ??
    (cordoned.length > 0
      ? `${cordoned.join(', ')} has a DNS pod and is cordoned: a drain may be under way`
      : undefined) ??
    proxies.flatMap((proxy) => movingOf(proxy, 0, down) ?? [])[0]
  return why === undefined
    ? yes('nothingElseMoves', 'no rollout, no drain and no start is under way')
    : no('nothingElseMoves', why)
}

/** Why the workload counts as moving; `spare` of its pods may be not Ready, and those of a DaemonSet on nodes that are down as well. */
function movingOf(
  { kind, name, desired, total, updated, ready, isObserved }: RolledWorkload,
  spare: number,
  down: ReadonlySet<string>,
): string | undefined {
  const least = desired - spare - (kind === 'DaemonSet' ? down.size : 0)
  const isStill = isObserved && total === desired && updated === desired && ready >= least
  return isStill
    ? undefined
    : `${kind} ${name} is being rolled out or is not complete: of ${desired} pods ${total} exist, ${updated} are updated, ${ready} are Ready`
}

/** A pod that is dead over UDP only is Ready, so its budget counts it as healthy. */
function budget({ pod }: SickPod, { budgets }: RepairSnapshot): Guard {
  const spent = (budgets[pod.uid] ?? []).filter(({ disruptionsAllowed }) => pod.ready && disruptionsAllowed < 1)
  return spent.length === 0
    ? yes('budget', 'its PodDisruptionBudget allows it, or it has none')
    : no(
        'budget',
        `PodDisruptionBudget ${spent.map(({ name }) => name).join(', ')} allows no disruption: scale up by one, or widen the budget`,
      )
}

/** Nothing replaces such a pod, so a drain refuses to evict it. A second one would block a second node. */
function quarantine({ quarantined, scene }: RepairSnapshot): Guard {
  return quarantined.length === 0
    ? yes('quarantine', 'no pod is in quarantine')
    : no(
        'quarantine',
        say`${quarantined.join(', ')} of an earlier repair still exists, and a drain of its node cannot evict it: inspect it, then: ${kubectl`delete pod -n ${scene.service.namespace} ${quarantined}`}`,
      )
}

function pace({ past, memory, wallMs }: RepairSnapshot): Guard {
  const agoMs = ({ at }: PastRepair): number => wallMs - Date.parse(at)
  const newest = past.toSorted((left, right) => agoMs(left) - agoMs(right))
  const [last] = newest
  if (last === undefined) return yes('pace', 'nothing was repaired before')
  if (agoMs(last) < COOL_DOWN_MS)
    return no(
      'pace',
      `${last.pod} was replaced at ${last.at}: connection tracking takes ${COOL_DOWN_MS / 1_000} s to forget it`,
    )
  const within = newest.filter((one) => agoMs(one) < HOUR_MS)
  if (within.length >= REPAIRS_AN_HOUR) return no('pace', `${within.length} pods were replaced within the hour`)
  const lastOnes = newest.slice(0, BREAKER).filter((one) => agoMs(one) < BREAKER_SPAN_MS)
  if (lastOnes.length === BREAKER && lastOnes.every(({ outcome }) => outcome !== 'cured'))
    return no(
      'pace',
      say`the last ${BREAKER} repairs, within 24 h, cured nothing: find out why, then delete the record of repairs: ${kubectl`delete configmap -n ${memory.namespace} ${memory.name}`}`,
    )
  return yes('pace', `the last repair was at ${last.at}`)
}
