import type { Reason } from '../../../ground/model/reason.ts'
import type { ConnectionsEnd } from '../../decide/evidence.ts'
import type { NodeServer } from '../../decide/node-servers.ts'
import type { ServiceSnapshot } from '../../decide/service-snapshot.ts'
import type { ServerReading } from '../../model/balancer.ts'
import { serverKey } from '../../model/balancer.ts'
import type { BalancerCommands } from '../../model/balancer-commands.ts'
import type { Actuator, OwnReadingWords } from '../actuator.ts'

/**
 * A balancer of any kind that commands of the roll file move and query. The exit of a command proves nothing: a node is out
 * once its status says so. A state that the status does not tell is unknown, and the roll holds.
 */
export const commands = (spec: BalancerCommands): Actuator => ({
  asAsked: (instance) => instance,
  asUsed: (_s, instance) => instance,
  // A server that was out before, and whose state is unknown, is not set.
  before: (_s, { recorded, reading }) =>
    recorded.state !== 'ready' && isUnknown(reading) ? reading.ownState : recorded.state,
  whenOut: () => 'drain',
  through: () => undefined,
  move: (s, { recorded, ref }, to) => ({
    kind: 'setServer',
    node: s.node.name,
    balancer: recorded.balancer,
    ref,
    ...to,
  }),
  isNotSet: (_s, { reading }) => reading?.ownState === 'ready' && !isUnknown(reading),
  isOverwritten: () => false,
  keepsRequest: () => false,
  mayBeUndone: () => undefined,
  unheard: ({ reading, instance }) => (isUnknown(reading) ? unknown(reading, instance.balancer) : undefined),
  untaken: (_s, { reading, recorded }) => {
    if (isUnknown(reading)) return unknown(reading, recorded.balancer)
    return reading?.ownState === 'drain' ? notOut(reading, recorded.balancer) : undefined
  },
  unnoticed: (_s, { reading, recorded }, way) =>
    way === 'in' && isUnknown(reading) ? unknown(reading, recorded.balancer) : undefined,
  heldByOthers: () => undefined,
  holdsDeadConnections: () => false,
  awaitsClosing: () => false,
  isBusy: (s, place) => !s.announced && place.reading?.ownState !== 'ready' && isBusy(s, place, spec),
  left: leftOf,
  canCut: spec.cut !== undefined,
  notice: (_s, _place, before) => before,
  endConnections: (s, place, before) => {
    const now = endOf(s, place, spec)
    return now === undefined && !isUnknown(place.reading) ? undefined : (before ?? now)
  },
})

export const commandAdvice: Readonly<Record<string, string>> = {
  BALANCER_NO_PROGRAM: 'correct the first argument under "commands", or let this user run the program (chmod +x)',
}

/** What the status command printed, as the roll file defines it. */
export const commandWords: OwnReadingWords = {
  areOf: ({ status }) => status !== undefined,
  balancerTells: false,
  // A state that is not known takes no node out.
  checked: () => 'in',
  goesByMarks: () => 'no',
  isNews: ({ status: was }, { status: is }) => stateOrWhy(was) !== stateOrWhy(is),
  findings: (node, { instance, reading }) =>
    isUnknown(reading)
      ? [
          {
            severity: 'error',
            code: 'StatusUnknown',
            node: node.name,
            text: unknown(reading, instance.balancer).text,
            fix: 'run the "status" command of the roll file for that node by hand, and correct it',
          },
        ]
      : [],
}

type Unknown = ServerReading & { readonly status: { readonly heard: false; readonly why: string } }

const isUnknown = (reading: ServerReading | undefined): reading is Unknown => reading?.status?.heard === false

const stateOrWhy = (status: ServerReading['status']): string | undefined =>
  status?.heard === true ? status.state : status?.why

const unknown = ({ ref, status }: Unknown, balancer: string): Reason => ({
  code: 'StatusUnknown',
  object: ref.server,
  text: `the state of ${ref.server} at ${balancer} is not known: ${status.why}`,
})

function notOut({ ref, status }: ServerReading, balancer: string): Reason | undefined {
  if (status?.heard !== true || status.state === 'out') return undefined
  return {
    code: 'StatusNotOut',
    object: ref.server,
    text: `${ref.server} is ${status.state} at ${balancer}, as its status command tells, and not out`,
  }
}

function leftOf({ reading }: NodeServer): number | 'unknown' {
  return reading?.status?.heard === true ? reading.status.sessions : 'unknown'
}

/** Where sessions can be counted and cut, they are waited for and cut at the limit. Otherwise the limit ends the wait. */
const isBusy = (s: ServiceSnapshot, place: NodeServer, spec: BalancerCommands): boolean =>
  endOf(s, place, spec) === undefined

/** Undefined while sessions are waited for. Sessions that are left at the limit end with the pods that serve them. */
function endOf(s: ServiceSnapshot, place: NodeServer, { cut }: BalancerCommands): ConnectionsEnd | undefined {
  const since = s.evidence.detached[serverKey(place.ref)]?.since
  if (since === undefined) return undefined
  const left = leftOf(place)
  const end = { left, since, at: s.now }
  if (left === 0) return { by: 'connections', ...end }
  if (cut !== undefined && left !== 'unknown') return undefined
  return s.now - since >= s.limits.idleLimitMs ? { by: 'limit', ...end } : undefined
}
