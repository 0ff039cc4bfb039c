import type { Node } from '../../ground/model/node.ts'
import type { PlanFinding } from '../../ground/model/plan-finding.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { ConnectionsEnd, Noticing } from '../decide/evidence.ts'
import type { InstanceSnapshot } from '../decide/instance-snapshot.ts'
import type { MatchedServer } from '../decide/match-node-servers.ts'
import type { NodeServer } from '../decide/node-servers.ts'
import type { ServiceSnapshot } from '../decide/service-snapshot.ts'
import type { TrafficAction } from '../model/action.ts'
import type { AdminState, ServerReading } from '../model/balancer.ts'

/**
 * One way to move a node's traffic. A place is one server line of one balancer instance. All that differs from one way to
 * another is behind this interface; no other code asks which way it is.
 */
export interface Actuator {
  /** The instance, with what the Nodes say about what was requested of it. */
  asAsked(instance: InstanceSnapshot, nodeOf: (name: string) => Node | undefined): InstanceSnapshot
  /** The instance as its clients see it: an instance may tell of a change before its clients notice it. */
  asUsed(s: ServiceSnapshot, instance: InstanceSnapshot): InstanceSnapshot

  /** The state that the place is put back to. */
  before(s: ServiceSnapshot, place: NodeServer): AdminState
  /** The state that keeps traffic from the place. */
  whenOut(s: ServiceSnapshot, place: NodeServer): AdminState
  /** The state that the place has to pass through on its way back; undefined where it is set at once. */
  through(place: NodeServer): AdminState | undefined
  /** The action that moves the place to this state. */
  move(s: ServiceSnapshot, place: NodeServer, to: Pick<TrafficAction, 'state' | 'restores'>): TrafficAction

  /** The state that keeps traffic from the place is not set: it was never requested, or another program has changed it. */
  isNotSet(s: ServiceSnapshot, place: NodeServer): boolean
  /** The request of this owner is lost, but the place is out for another owner: a new request takes nothing from service. */
  isOverwritten(s: ServiceSnapshot, place: NodeServer): boolean
  /** What moves the place still has the request of this owner, although nothing asks for it any more. */
  keepsRequest(s: ServiceSnapshot, place: NodeServer): boolean

  /** Why another program may undo what is set; asked before a node is touched. */
  mayBeUndone(matched: MatchedServer): Reason | undefined
  /** Why the place takes no command now; asked before a node is touched. */
  unheard(matched: MatchedServer): Reason | undefined

  /** Why the request is not confirmed: not everything that has to pass it on has it yet. */
  untaken(s: ServiceSnapshot, place: NodeServer): Reason | undefined
  /** Why those who send traffic may not have noticed yet that the place is out, or back in. */
  unnoticed(s: ServiceSnapshot, place: NodeServer, way: Noticing['way']): Reason | undefined
  /** Another client keeps the place out by the same means, beside the claims on the node. */
  heldByOthers(s: ServiceSnapshot): Reason | undefined
  /** The balancer keeps connections open that would be dead after a reboot. */
  holdsDeadConnections(place: NodeServer): boolean
  /** The same, but the state of the place is not ours to change: the connections are waited for. */
  awaitsClosing(place: NodeServer): boolean
  /** Traffic to the place has not stopped yet. */
  isBusy(s: ServiceSnapshot, place: NodeServer): boolean
  /** How many sessions or connections are left. */
  left(place: NodeServer): number | 'unknown'
  /** The sessions that are left at the limit can be cut. */
  readonly canCut: boolean

  /** Adds this reading to what those who send traffic have noticed. */
  notice(s: ServiceSnapshot, place: NodeServer, before: Noticing | undefined): Noticing | undefined
  /** Adds this reading to how the wait for connections ended. */
  endConnections(s: ServiceSnapshot, place: NodeServer, before: ConnectionsEnd | undefined): ConnectionsEnd | undefined
}

/** What a reading says by itself, without the roll file. */
export interface ReadingWords {
  /** The balancer itself gave this reading, with its own checks and agent-checks. */
  readonly balancerTells: boolean
  /**
   * What its checks and its weight make of a place that is `ready`: `in`: it is sent traffic; `down` by its checks, or `detached` by
   * its weight: it is not; `never`: it never was, since its node need not serve there.
   */
  checked(reading: ServerReading): 'in' | 'down' | 'detached' | 'never'
  /** Something on the node goes by marks of the Node: a cordon, a label. `unknown`: it has never answered. */
  goesByMarks(reading: ServerReading): 'yes' | 'no' | 'unknown'
  /** Whether the fields beside states and counters differ so that a decision may differ. */
  isNews(was: ServerReading, is: ServerReading): boolean
  /** What a person has to do, before a roll, about a place that takes no command. */
  findings(node: Node, matched: MatchedServer): readonly PlanFinding[]
  /** The same about an instance to which all these servers belong. Absent: there is nothing to say. */
  readonly ofInstance?: (instance: string, servers: readonly ServerReading[]) => readonly PlanFinding[]
}

/** The words for a kind of balancer whose readings have a field of their own. */
export interface OwnReadingWords extends ReadingWords {
  /** The reading has this field. */
  areOf(reading: ServerReading): boolean
}
