import { formatDuration } from '../../../ground/model/duration.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { nodeServers, wasServing } from '../../../service/decide/node-servers.ts'
import { done, hold, RECHECK_MS, type StepAnswer } from '../../../service/decide/step-answer.ts'
import { dnsUnsettled } from '../dns/dns-settled.ts'
import { isLeaving, podsOf } from '../drain/ready-pods.ts'
import { replaced } from '../drain/replaced.ts'
import { type Replacer, replacersOf } from '../drain/replacer-of.ts'
import type { Evidence } from '../evidence.ts'
import { isOfRequests } from '../gates/gates-hold.ts'
import { clusterHeard, trafficMeasured } from '../guards.ts'
import { hooksUnwritten, isHookUnwritten } from '../hooks/hooks-due.ts'
import { hasRebooted, type RecordedSnapshot } from '../node-snapshot.ts'
import { daemonNotBack, expectedDaemons } from '../recorded-daemons.ts'
import { beforeAttach } from '../requests.ts'
import { serviceOf } from '../service-of.ts'
import type { RollSnapshot } from '../snapshot.ts'
import { keptOut, type StepDecision, type StepRule } from '../step-rule.ts'

/**
 * Step 9: no workload worse than recorded, DaemonSets and static pods among them, the data port answers, DNS works,
 * several times in a row.
 */
export const settle: StepRule = {
  step: 'settle',
  next(s) {
    if (s.evidence.attachingSince !== undefined) return done
    const reasons = unsettled(s)
    if (reasons.length > 0) return hold(reasons)
    if (s.evidence.settledInARow >= s.spec.settle.timesInARow) return gated(s)
    return hold(
      [
        {
          code: 'SettledOnce',
          text: `settled ${s.evidence.settledInARow} of ${s.spec.settle.timesInARow} times in a row`,
        },
      ],
      SETTLE_INTERVAL_MS,
    )
  },
  remember: (s, decision) => ({ settlingSince: s.evidence.settlingSince ?? s.now, ...inARow(s, decision) }),
  limit(s) {
    const { settlingSince: since, attachingSince } = s.evidence
    const waitedMs = s.now - (since ?? s.now) - (s.evidence.gateWait?.ms ?? 0)
    if (attachingSince !== undefined || since === undefined || waitedMs < s.spec.settle.limitMs) return undefined
    const { name } = s.current.node
    return keptOut(
      {
        code: 'NotSettled',
        object: name,
        text: `${name} did not settle within the limit (${formatDuration(s.spec.settle.limitMs)})`,
      },
      missing(s),
    )
  },
}

/** A hook that waits for the journal, or could not begin, is named only where nothing else is missing. */
function missing(s: RecordedSnapshot): readonly Reason[] {
  const against = unsettled(s)
  if (against.length > 0 || !hasRebooted(s)) return against
  const unwritten = hooksUnwritten(s, 'beforeAttach')
  const refused = Object.values(s.evidence.retries).map(({ error }): Reason => ({ code: 'Retrying', text: error }))
  return unwritten.length > 0 ? unwritten : refused
}

/** Gates and hooks hold only a node that was rebooted. Any other goes back as it was. */
const gated = (s: RecordedSnapshot): StepAnswer => (hasRebooted(s) ? beforeAttach(s) : undefined) ?? done

function inARow(s: RollSnapshot, decision: StepDecision): Pick<Evidence, 'settledInARow' | 'settledAt'> {
  // A hook is begun only once all is well.
  if (decision.reasons.every(({ code }) => code === 'HookDue')) return s.evidence
  const isGood =
    decision.kind === 'hold' &&
    decision.reasons.every(
      (reason) => reason.code === 'SettledOnce' || isOfRequests(reason.code) || isHookUnwritten(reason),
    )
  if (!isGood) return { settledInARow: 0, settledAt: undefined }
  const last = s.evidence.settledAt
  if (last !== undefined && s.now - last < SETTLE_INTERVAL_MS) return s.evidence
  return { settledInARow: s.evidence.settledInARow + 1, settledAt: s.now }
}

/** Between two readings that count as two in a row. */
const SETTLE_INTERVAL_MS = RECHECK_MS / 2

function unsettled(s: RecordedSnapshot): readonly Reason[] {
  const unmeasured = trafficMeasured(s)
  if (unmeasured.length > 0) return unmeasured
  const stale = clusterHeard(s)
  if (stale.length > 0) return stale
  const alone = withoutLanes(s)
  const worse = replacersOf(new Set(Object.keys(s.record.workloads)), s.cluster.workloads)
    .map((replacer) => replaced(alone, asWanted(s, replacer)))
    .flatMap((answer) => (answer.kind === 'back' ? [] : [answer.reason]))
  return [...worse, ...daemonsAway(s), ...silentDataPorts(s), ...dnsUnsettled(s)]
}

/**
 * A pod that was put back on a node of another lane goes down with that node. A drain does not count on it. This node only waits for what
 * serves now: what the other lane takes down is that lane's to bring back.
 */
const withoutLanes = (s: RecordedSnapshot): RecordedSnapshot => ({ ...s, run: { ...s.run, beside: [] } })

/** What is known by its pods alone may have been told to have fewer since: then as many as there are. */
function asWanted(s: RecordedSnapshot, replacer: Replacer): Replacer {
  if (replacer.desired !== undefined) return replacer
  return { ...replacer, desired: podsOf(s, replacer).filter(({ terminating }) => !terminating).length }
}

/**
 * Also asked where the node was not rebooted: the drain may have evicted a DaemonSet's pod, and nothing serves at its port until
 * another one is Ready. Else the next record would say that the pod was not Ready before, and the next proof would not ask for it.
 */
const daemonsAway = (s: RecordedSnapshot): readonly Reason[] =>
  expectedDaemons(s)
    .filter(({ pods }) => !pods.some((pod) => pod.ready && !pod.terminating && !isLeaving(s, pod)))
    .map(({ daemon }) => daemonNotBack(daemon, 'is not Ready again'))

/** A node that was not in service before is not settled for service, and an unused port need not answer. Port 0 is not known. */
function silentDataPorts(s: RecordedSnapshot): readonly Reason[] {
  if (!s.spec.settle.dataPort || !hasRebooted(s)) return []
  const served = nodeServers(serviceOf(s)).filter(({ recorded }) => wasServing(recorded) && recorded.port !== 0)
  const ports = [...new Set(served.map(({ recorded }) => `${recorded.address}:${recorded.port}`))]
  return ports
    .filter((port) => s.current.dataPorts[port] !== true)
    .map((port) => ({ code: 'DataPortSilent', object: port, text: `nothing answers at ${port} yet` }))
}
