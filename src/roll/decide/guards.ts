import type { Reason } from '../../ground/model/reason.ts'
import { followersAwaited } from '../../service/decide/followers-back.ts'
import { mayBeTaken, othersChecked } from '../../service/decide/may-be-taken.ts'
import { claimedByOthers } from '../../service/decide/node-claims.ts'
import { isSilent, silentInstance } from '../../service/decide/node-servers.ts'
import { sharedAddresses } from '../../service/decide/shared-addresses.ts'
import { baselineMissing, probeSilent } from './baseline.ts'
import { controlPlaneKept } from './control-plane.ts'
import { countedWindows } from './counted-windows.ts'
import { dnsWell } from './dns/dns-leaving.ts'
import { notSafeToEvict } from './drain/not-safe-to-evict.ts'
import { hasCurrent, type NodeSnapshot } from './node-snapshot.ts'
import { othersWork } from './others-work.ts'
import { serviceOf } from './service-of.ts'
import type { RollSnapshot } from './snapshot.ts'
import { awaitedWindows } from './stop/stop-rules.ts'
import { type AnySnapshot, isAnnounced } from './subject.ts'

/** A guard has the name of what must hold. It returns everything that is wrong, or no reason if it holds. */
type Guard<S> = (s: S) => readonly Reason[]

export const slotLive: Guard<AnySnapshot> = (s) =>
  s.slot.state !== 'mine' || s.slot.mayAct
    ? []
    : [{ code: 'SlotNotRenewed', text: 'the slot has not been renewed for too long, so nothing is sent' }]

export const clusterHeard: Guard<RollSnapshot> = (s) =>
  s.cluster.staleForMs === 0
    ? []
    : [{ code: 'ApiUnreachable', text: 'the API server cannot be followed, so the known state of the cluster is old' }]

export const journalWritable: Guard<AnySnapshot> = (s) =>
  s.journalWritable
    ? []
    : [{ code: 'JournalNotWritable', text: 'the journal cannot be written, so nothing disruptive is done' }]

const instancesAnswer: Guard<RollSnapshot> = (s) => s.instances.filter(isSilent).map(silentInstance)

/**
 * What is read from a balancer while another run still had the slot may be that run's doing: recorded as what was there
 * before, it would be put back in the end.
 */
export const readSinceSlot: Guard<AnySnapshot> = ({ instances, evidence, slot }) =>
  slot.state !== 'mine'
    ? []
    : instances
        .filter((seen) => !isSilent(seen) && (seen.askedAt ?? 0) < (evidence.slotTakenAt ?? Number.POSITIVE_INFINITY))
        .map(({ instance }) => ({
          code: 'ReadBeforeSlot',
          object: instance,
          text: `${instance} was read before the slot was taken`,
        }))

/** While the API server was away, its clients heard of no change. */
export const followersBack: Guard<RollSnapshot> = ({ cluster, now }) => {
  const awaited = cluster.staleForMs > 0 ? undefined : followersAwaited({ awayAt: cluster.lostAt, now })
  return awaited === undefined ? [] : [awaited]
}

export const probeMeasures: Guard<AnySnapshot> = (s) => {
  if (s.probe === undefined) return []
  const { targets = [] } = s.spec.probe ?? {}
  return probeSilent(s.probe, s.wall, { targets, timeoutMs: Math.max(0, ...targets.map((target) => target.timeoutMs)) })
}

/** Once the roll stops, what still has to be done is done: no failure may hold it up again and again. */
export const controlHeard: Guard<AnySnapshot> = (s) => {
  const [window] = s.run.verdict === undefined ? awaitedWindows(s) : []
  if (window === undefined) return []
  const text = `requests to ${window.target} failed; it is not known yet whether the control failed too`
  return [{ code: 'ControlAwaited', object: window.target, text }]
}

/**
 * A file that allows failed requests lets the roll go on after them, and not while they fail: more would be broken meanwhile, and
 * the roll could not tell what is to blame. What is announced is not held up.
 */
const notFailingNow: Guard<AnySnapshot> = (s) => {
  if (s.spec.stop === undefined || isAnnounced(s)) return []
  const window = countedWindows(s).find(({ firstOkAt }) => firstOkAt === undefined)
  if (window === undefined) return []
  const text = `requests to ${window.target} fail (${window.lane}): ${window.firstError}`
  return [{ code: 'RequestsFailing', object: window.target, text }]
}

const heartbeatsFlow: Guard<NodeSnapshot> = (s) =>
  s.current.node.ready === 'True'
    ? []
    : [
        {
          code: 'NodeNotReady',
          object: s.current.node.name,
          text: `${s.current.node.name} is not Ready before anything was done to it (Ready is ${s.current.node.ready})`,
        },
      ]

const allOf =
  <S>(...guards: readonly Guard<S>[]): Guard<S> =>
  (s) =>
    guards.flatMap((guard) => guard(s))

const othersProven: Guard<NodeSnapshot> = (s) => othersChecked(serviceOf(s))

/** Before a node goes that serves: its balancers have nothing against it, and pods that move find what they ask for. */
const mayGo: Guard<NodeSnapshot> = allOf((s) => mayBeTaken(serviceOf(s)), othersProven, dnsWell)

/** The owner of a claim may be at work on the machine itself, so this run begins nothing there. */
const unclaimed: Guard<NodeSnapshot> = (s) => claimedByOthers(serviceOf(s))

/** Traffic is measured and green before anything is begun, and again by each process that resumes a roll. */
export const baselineGreen: Guard<AnySnapshot> = (s) => {
  if (s.probe === undefined || s.spec.probe === undefined || s.run.measuredSince !== undefined) return []
  return baselineMissing(s.probe, s.wall, s.spec)
}

/** While there is no verdict, nothing goes on before traffic is measured: failures before that are not counted. */
export const trafficMeasured: Guard<AnySnapshot> = (s) => (s.run.verdict === undefined ? baselineGreen(s) : [])

/** What this run lacks itself. */
export const runAble: Guard<AnySnapshot> = allOf(slotLive, journalWritable)

/** Before anything disruptive: traffic is measured, and no failure speaks against it. */
export const trafficWell: Guard<AnySnapshot> = allOf(probeMeasures, controlHeard, notFailingNow)

const worldKnown: Guard<RollSnapshot> = allOf<RollSnapshot>(clusterHeard, trafficWell)

const balancersKnown: Guard<RollSnapshot> = allOf(instancesAnswer, readSinceSlot)

/** Of the node under way: no other Node of the cluster has its address. */
export const addressOwn: Guard<RollSnapshot> = (s) =>
  hasCurrent(s) ? sharedAddresses(s.current.node, s.cluster.nodes) : []

/**
 * Before each further disruptive effect. What the run itself lacks is the only reason where there is any: the wait for it has a limit,
 * which a second reason, an API server that is away, would suspend.
 */
export const mayDisrupt: Guard<RollSnapshot> = (s) => {
  const lacking = runAble(s)
  return lacking.length > 0 ? lacking : [...worldKnown(s), ...addressOwn(s)]
}

/**
 * Before the first change to a node: long, since saying no costs nothing yet. What is wrong with the node is said once the
 * cluster and every balancer are known: before that it would be said of old facts.
 */
export const mayStart: Guard<NodeSnapshot> = (s) => {
  const unknown = [...mayDisrupt(s), ...balancersKnown(s)]
  if (unknown.length > 0) return unknown
  const ofNode = [...heartbeatsFlow(s), ...unclaimed(s), ...othersWork(s), ...notSafeToEvict(s)]
  return [...ofNode, ...controlPlaneKept(s), ...mayGo(s)]
}

/** Before a pod is evicted. */
export const mayEvict: Guard<NodeSnapshot> = allOf<NodeSnapshot>(mayDisrupt, followersBack, othersProven)
