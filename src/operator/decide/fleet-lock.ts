import { isJsonObject } from '../../ground/model/json-object.ts'
import { shortHash } from '../../ground/model/owned/node-names.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import type { FleetLockReply, FleetLockVerb } from '../model/fleet-lock-call.ts'
import type { FleetLockNode } from '../model/fleet-lock-node.ts'
import type { RollObject } from '../model/roll-object.ts'
import { FLEET_LOCK_LABEL, type RollSchedule, SCHEDULE_UID_LABEL } from '../model/roll-schedule.ts'
import { hasTaken, keepsOut } from '../model/run-state.ts'
import { hasEnded, wantedRoll } from './schedule.ts'

/** The RollSchedule that a group is named after. */
export interface FleetLockGroup {
  readonly schedule: RollSchedule
  /** What is wrong with it; empty: nothing. */
  readonly faults: readonly string[]
  /** Its template chooses the node. */
  readonly chooses: (node: Pick<FleetLockNode, 'name' | 'labels'>) => boolean
}

export interface FleetLockSnapshot {
  readonly verb: FleetLockVerb
  readonly groupName: string
  /** False while a watch is late or broken. */
  readonly isFresh: boolean
  /** Those whose machine has the id that was sent. */
  readonly nodes: readonly FleetLockNode[]
  readonly group?: FleetLockGroup
  /** Those that were made for clients. */
  readonly rolls: readonly RollObject[]
}

interface MakeRoll {
  readonly kind: 'makeRoll'
  readonly name: string
  readonly node: string
  readonly schedule: RollSchedule
}

/** A Roll that is deleted puts its node back first. */
export type FleetLockAction = MakeRoll | { readonly kind: 'removeRoll'; readonly roll: RollObject }

export interface FleetLockAnswer extends FleetLockReply {
  readonly action?: FleetLockAction
}

/**
 * What a client is answered, of what the cluster shows now. All of it is in objects, so that each replica answers alike, and a client that
 * asks again hears the same.
 *
 * Law: a client hears that its machine may reboot only while its Node is cordoned, and bears the record, the announced reboot and the leave of one run for this very boot.
 */
export function fleetLockAnswer(s: FleetLockSnapshot): FleetLockAnswer {
  const [node, ...others] = s.nodes
  if (!s.isFresh) return reply(503, 'unknown', 'the current state of the cluster is not known; ask again')
  if (node === undefined) return reply(404, 'unknown_id', 'no Node has a machine with this id')
  if (others.length > 0) {
    const names = s.nodes.map(({ name }) => name).join(', ')
    return reply(409, 'ambiguous_id', `machines of several Nodes have this id (${names}); give each its own machine id`)
  }
  return s.verb === 'pre-reboot' ? preReboot(s, node) : steadyState(s, node)
}

/** From the announced reboot on, nobody puts a node back before it has been rebooted: so a yes may be late, and never wrong. */
const mayReboot = ({ deleting, isCordoned, bootId, record, intent, request }: FleetLockNode): boolean =>
  !deleting &&
  isCordoned &&
  request?.by === 'fleetLock' &&
  [record, intent, request].every((one) => one?.bootId === bootId && one.run === request.run)

function preReboot(s: FleetLockSnapshot, node: FleetLockNode): FleetLockAnswer {
  const { name } = node
  if (mayReboot(node)) return reply(200, 'may_reboot', `${name} is out of service: it may reboot`)
  const own = s.rolls.filter((roll) => isFor(roll, node))
  const active = own.find(isActive)
  if (active !== undefined) return reply(409, 'in_work', `${rollWords(active)}; ask again`)
  if (node.isInWork) return reply(409, 'in_work', `${name} is out for run ${node.record?.run ?? '?'}`)
  return fromGroup(s, { node, own })
}

interface Asking {
  readonly node: FleetLockNode
  readonly own: readonly RollObject[]
}

function fromGroup({ group, groupName, rolls }: FleetLockSnapshot, { node, own }: Asking): FleetLockAnswer {
  const { name } = node
  if (group === undefined || group.schedule.when !== 'FleetLock' || group.schedule.deleting)
    return reply(404, 'unknown_group', `there is no RollSchedule ${groupName} with when: FleetLock`)
  const { schedule, faults } = group
  if (faults.length > 0) return reply(409, 'group_refused', `RollSchedule ${groupName}: ${faults.join('. ')}`)
  const rollName = nameOf(schedule, node)
  const ended = own.find((roll) => roll.name === rollName)
  if (ended !== undefined)
    return reply(409, 'stopped', `${rollWords(ended)}; to let ${name} ask again in this boot, delete the Roll`)
  if (schedule.suspend) return reply(409, 'suspended', `RollSchedule ${groupName} is suspended`)
  if (!group.chooses(node)) return reply(409, 'not_chosen', `RollSchedule ${groupName} does not choose ${name}`)
  const before = rolls.find((roll) => isOf(schedule, roll) && (isActive(roll) || keepsOut(roll.status.fields)))
  if (before !== undefined) return reply(409, 'busy', `another node goes first: ${rollWords(before)}`)
  const action = { kind: 'makeRoll', name: rollName, node: name, schedule } as const
  return { ...reply(409, 'in_work', `Roll ${rollName} takes ${name} out of service; ask again`), action }
}

function steadyState(s: FleetLockSnapshot, node: FleetLockNode): FleetLockAnswer {
  const { name, bootId, record, intent } = node
  const own = s.rolls.filter((roll) => isFor(roll, node))
  const active = own.find(isActive)
  const wasRebooted = record !== undefined && record.bootId !== bootId
  if (intent?.bootId === bootId)
    return reply(409, 'announced', `the reboot of ${name} is announced: it stays out until it has been rebooted`)
  if (active !== undefined && !wasRebooted && !isDone(active, node)) return withdrawn(active)
  if (active !== undefined) return reply(409, 'returning', `${rollWords(active)}; ask again`)
  const late = own.find(({ status, deleting }) => !deleting && keepsOut(status.fields) && isLate(status))
  if (late !== undefined && wasRebooted)
    return { ...reply(409, 'returning', `${name} is put back; ask again`), action: { kind: 'removeRoll', roll: late } }
  if (node.isInWork) return reply(409, 'out', `${name} is out for run ${record?.run ?? '?'}`)
  return reply(200, 'in_service', `no roll keeps ${name} out`)
}

/** The client does not want to reboot any more: it has been started anew, or its machine was rebooted by others before its turn. */
function withdrawn(roll: RollObject): FleetLockAnswer {
  const said = reply(409, 'withdrawn', `Roll ${roll.name} is ended, and its node is put back; ask again`)
  return roll.deleting ? said : { ...said, action: { kind: 'removeRoll', roll } }
}

/**
 * Its run has put the node back, and has not said so yet: the record goes first. Where the machine was rebooted by others before its turn,
 * the run has never had the node.
 */
const isDone = ({ name, status, deleting }: RollObject, { uid, bootId, record }: FleetLockNode): boolean =>
  !deleting && record === undefined && !name.endsWith(`-${hashOf({ uid, bootId })}`) && hasTaken(status.fields)

/** The machine did not reboot within the limit, and nothing else was wrong. */
const isLate = ({ conditions }: RollObject['status']): boolean =>
  conditions.some(
    ({ type, status, reason }) => type === 'Stopped' && status === 'True' && reason === 'NodeDidNotReturn',
  )

/** Whatever its group. */
function isFor({ file: { nodes } }: RollObject, { name }: FleetLockNode): boolean {
  const names = isJsonObject(nodes) && Array.isArray(nodes.names) ? nodes.names : []
  return names.length === 1 && names[0] === name
}

const isOf = ({ uid }: RollSchedule, { labels }: RollObject): boolean => labels[SCHEDULE_UID_LABEL] === uid

/** One that is being deleted puts its node back first. */
const isActive = (roll: RollObject): boolean => roll.deleting || !hasEnded(roll)

const rollWords = ({ name, status: { fields } }: RollObject): string => {
  const { state = 'Waiting', message = '' } = fields
  return `Roll ${name} is ${String(state)}${message === '' ? '' : `: ${String(message)}`}`
}

/** The same for a boot: two replicas make one Roll, and one that has ended is not begun again. */
const nameOf = ({ name }: RollSchedule, node: FleetLockNode): string => `${name}-${hashOf(node)}`

const hashOf = ({ uid, bootId }: Pick<FleetLockNode, 'uid' | 'bootId'>): string => shortHash(`${uid}/${bootId}`)

/** The template of the group, for this node alone. */
export function wantedFleetLockRoll({ name, node, schedule }: MakeRoll): WantedObject {
  const { metadata } = wantedRoll(schedule, name)
  const { selector: _, all: __, ...nodes } = isJsonObject(schedule.template.nodes) ? schedule.template.nodes : {}
  return {
    metadata: { ...metadata, labels: { ...metadata.labels, [FLEET_LOCK_LABEL]: 'true' } },
    spec: { ...schedule.template, nodes: { ...nodes, names: [node] } },
  }
}

const reply = (status: FleetLockReply['status'], kind: string, value: string): FleetLockReply => ({
  status,
  kind,
  value,
})
