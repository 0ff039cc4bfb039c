import type { Reason } from '../../../ground/model/reason.ts'
import { agentCheckOf } from '../../decide/agent-check.ts'
import type { MatchedServer } from '../../decide/match-node-servers.ts'
import type { NodeServer } from '../../decide/node-servers.ts'
import type { ServiceSnapshot } from '../../decide/service-snapshot.ts'
import { type AdminState, type ServerReading, type ServerRef, serverKey } from '../../model/balancer.ts'
import type { BalancerVia } from '../../model/balancer-spec.ts'
import type { Actuator, ReadingWords } from '../actuator.ts'

/** Servers of HAProxy, read and set by its runtime API. Each instance confirms for itself, so no time is waited out. */
export const haproxy: Actuator = {
  asAsked: (instance) => instance,
  asUsed: (_s, instance) => instance,
  before: (_s, { recorded }) => recorded.state,
  whenOut: detachedState,
  through: (place) => (mustPassThroughDrain(place) ? 'drain' : undefined),
  move: (s, { recorded, ref }, to) => ({
    kind: 'setServer',
    node: s.node.name,
    balancer: recorded.balancer,
    ref,
    ...to,
  }),
  isNotSet: (s, place) => place.reading?.ownState !== detachedState(s, place),
  isOverwritten: () => false,
  keepsRequest: () => false,
  mayBeUndone: ({ reading, instance }) => (reading.agent ? agentCheck({ reading, instance }) : undefined),
  unheard: () => undefined,
  untaken: (_s, { reading, ref }) =>
    reading?.oldUnknown === undefined ? undefined : masterSilent(ref, reading.oldUnknown),
  unnoticed: () => undefined,
  heldByOthers: () => undefined,
  holdsDeadConnections,
  awaitsClosing,
  isBusy: (_s, place) => sessions(place) > 0,
  left: sessions,
  canCut: true,
  notice: (_s, _place, before) => before,
  endConnections: (_s, _place, before) => before,
}

export const haproxyBySsh = ({ instances }: BalancerVia<'haproxy'>): boolean =>
  instances.some(({ address }) => address.kind === 'ssh')

export const haproxyAdvice: Readonly<Record<string, string>> = {
  BALANCER_UNREACHABLE: 'check its address under "balancers", and that HAProxy runs and serves its runtime API there',
  BALANCER_TIMEOUT: 'check its address under "balancers", and that HAProxy answers there: echo "show info" to it',
  BALANCER_REPLY: 'set its address under "balancers" to the runtime API of HAProxy 2.2 or later',
  BALANCER_PERMISSION: 'let this user open the socket, and give it "level admin"',
}

export const haproxyWords: ReadingWords = {
  balancerTells: true,
  checked,
  // HAProxy's agent-check does not show what the agent goes by.
  goesByMarks: () => 'no',
  isNews: () => false,
  findings: () => [],
}

/**
 * Weight 0 takes a server out as `drain` does. Whether a server that is down or of weight 0 ever served: its sessions tell. HAProxy
 * counts them from the start of its process; what was seen before that counts as well, or a reload would make a node that is out look
 * as if it never served.
 */
function checked({
  operational,
  weight,
  totalSessions,
  servedBefore,
}: ServerReading): ReturnType<ReadingWords['checked']> {
  const isUp = operational === 'up' || operational === 'starting'
  if (isUp && weight > 0) return 'in'
  if ((isUp || operational === 'down') && totalSessions === 0 && servedBefore !== true) return 'never'
  return weight === 0 ? 'detached' : 'down'
}

/**
 * The state that keeps traffic away: `drain`, because checks go on in it; `maint` only where the server is sent clients all the same. Cookies
 * and stick tables send them, also to a server that people drained. So does what chooses a server directly, such as `use-server` or
 * `force-persist`: that shows only once the server is sent one. A server that was in `maint` before stays in it.
 * So does one that is found there: an earlier process may have seen that it is sent clients in `drain`, and its machine may be off by now.
 */
function detachedState(s: ServiceSnapshot, { ref, recorded, reading }: NodeServer): AdminState {
  const { detached, purgedAt } = s.evidence
  const key = serverKey(ref)
  const isSent = reading?.persistent === true || detached[key]?.isSentInDrain === true
  const isFound = reading?.ownState === 'maint' && purgedAt[key] === undefined
  return recorded.state === 'maint' || isSent || isFound ? 'maint' : 'drain'
}

/** `ready` out of `maint` means UP before any check; in `drain` checks run and nothing is sent. */
const mustPassThroughDrain = ({ reading, recorded }: NodeServer): boolean =>
  recorded.state === 'ready' && reading?.ownState === 'maint'

/**
 * HAProxy keeps pooled connections for minutes, and `scur` does not count them. A request that is under way when `maint` begins leaves its
 * connection in the pool.
 */
function holdsDeadConnections({ reading, recorded }: NodeServer): boolean {
  const isOurs = reading?.ownState === 'drain' || (reading?.ownState === 'maint' && recorded.state === 'ready')
  return isOurs && reading.idleConnections > 0
}

/**
 * `maint` closes connections that are idle when it begins. A request under way then leaves its connection in the pool, and
 * HAProxy closes it after a while. A server that was `ready` before passes through `drain` on its way back, where the pool is
 * emptied. A server that people had taken out does not, and they may set `ready` at any time.
 */
function awaitsClosing({ reading, recorded }: NodeServer): boolean {
  return recorded.state !== 'ready' && reading?.ownState === 'maint' && reading.idleConnections > 0
}

function sessions({ reading }: NodeServer): number {
  return reading === undefined ? 0 : reading.currentSessions + reading.queued + (reading.oldSessions ?? 0)
}

const agentCheck = ({ reading, instance }: MatchedServer): Reason => ({
  code: 'AgentCheck',
  object: `${reading.ref.backend}/${reading.ref.server}`,
  text: `an agent-check on ${instance.instance} may undo what is set for ${reading.ref.backend}/${reading.ref.server}`,
  next: agentCheckOf(reading).fix,
  never: true,
})

/** Sessions from before a reload cannot be counted, so nothing shows that the node is idle. */
const masterSilent = ({ instance }: ServerRef, why: string): Reason => ({
  code: 'InstanceSilent',
  object: instance,
  text: `the master process of ${instance} does not say which sessions are from before a reload: ${why}`,
})
