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
 * One way to have a node's traffic moved. A place is one server line of one instance, in whatever way that is told. All
 * that differs from one way to another is behind this; no other code asks which one it is.
 */
export interface Actuator {
  /** An instance, with what the nodes themselves say of what was asked for. */
  asAsked(instance: InstanceSnapshot, nodeOf: (name: string) => Node | undefined): InstanceSnapshot
  /** An instance as its clients use it, which may be later than it tells. */
  asUsed(s: ServiceSnapshot, instance: InstanceSnapshot): InstanceSnapshot

  /** What the place is put back to. */
  before(s: ServiceSnapshot, place: NodeServer): AdminState
  /** What keeps traffic from it. */
  whenOut(place: NodeServer): AdminState
  /** Its own state has to lead through this one on the way back; undefined where it is set at once. */
  through(place: NodeServer): AdminState | undefined
  /** The effect that moves it. */
  move(s: ServiceSnapshot, place: NodeServer, to: Pick<TrafficAction, 'state' | 'restores'>): TrafficAction

  /** What keeps traffic from it does not stand as it was asked for, or was never asked for. */
  isNotSet(s: ServiceSnapshot, place: NodeServer): boolean
  /** The same of a place that is out all the same, for another owner: to ask again takes nothing from service. */
  isOverwritten(s: ServiceSnapshot, place: NodeServer): boolean

  /** Another program may undo what is set; asked before a node is touched. */
  mayBeUndone(matched: MatchedServer): Reason | undefined
  /** Nothing can be told to it now; asked before a node is touched. */
  unheard(matched: MatchedServer): Reason | undefined

  /** Not every one of those who pass the word on has it: why it is not confirmed. */
  untaken(s: ServiceSnapshot, place: NodeServer): Reason | undefined
  /** Those who send traffic may not have noticed yet that it is out, or back in. */
  unnoticed(s: ServiceSnapshot, place: NodeServer, way: Noticing['way']): Reason | undefined
  /** Beside the claims on its node: someone else asks by the same means that it stays out. */
  heldByOthers(s: ServiceSnapshot): Reason | undefined
  /** Connections are kept open that would be dead after a reboot. */
  holdsDeadConnections(place: NodeServer): boolean
  /** The same of a place whose state is not ours to change: they are waited for. */
  awaitsClosing(place: NodeServer): boolean
  /** Traffic has not stopped yet. */
  isBusy(s: ServiceSnapshot, place: NodeServer): boolean
  /** So many sessions or connections are left. */
  left(place: NodeServer): number | 'unknown'
  /** What is left at the limit can be cut. */
  readonly canCut: boolean

  /** Folds this reading into what those who send traffic have noticed. */
  notice(s: ServiceSnapshot, place: NodeServer, before: Noticing | undefined): Noticing | undefined
  /** Folds it into how the wait for connections ended. */
  endConnections(s: ServiceSnapshot, place: NodeServer, before: ConnectionsEnd | undefined): ConnectionsEnd | undefined
}

/** What is made of a reading by itself, before or without the file that says how it was come by. */
export interface ReadingWords {
  /** A balancer told this itself, its own checks and agent-checks among it. */
  readonly balancerTells: boolean
  /**
   * Of a place that is `ready`, what its checks make of it: it is sent traffic, it is not, or it never was, since its node
   * need not serve there.
   */
  checked(reading: ServerReading): 'in' | 'down' | 'never'
  /** Something that serves there goes by marks of the node: a cordon, a label. */
  goesByMarks(reading: ServerReading): boolean
  /** Whether what is told beside states and counters can change a decision. */
  isNews(was: ServerReading, is: ServerReading): boolean
  /** What a person is to do about a place that cannot be told anything, before a roll. */
  findings(node: Node, matched: MatchedServer): readonly PlanFinding[]
  /** The same of a whole instance, which all of these servers are of. Absent: there is nothing to say. */
  readonly ofInstance?: (instance: string, servers: readonly ServerReading[]) => readonly PlanFinding[]
}

/** The words of a way whose readings have a field of their own. */
export interface OwnReadingWords extends ReadingWords {
  /** The reading has this field. */
  areOf(reading: ServerReading): boolean
}
