import { ANNOUNCED_CONDITIONS, runOfMessage } from '../model/announced-conditions.ts'
import type { Node, NodeRoom, Taint } from '../model/node.ts'
import { CLOUD_CONDITIONS, LIFECYCLE_CONDITIONS, SHUTDOWN_CONDITION } from '../model/node-reading.ts'
import { parseMetadata } from '../model/parse-metadata.ts'
import { present } from '../model/present.ts'
import { quantity } from '../model/quantity.ts'
import { REBOOT_CONDITION, type RebootCondition } from '../model/reboot-condition.ts'
import { REBOOTER_CONDITION } from '../model/rebooter-condition.ts'
import type { Untrusted } from '../model/untrusted.ts'
import { findCondition } from './find-condition.ts'
import { amount } from './parse-placed-pod.ts'

export function parseNode(object: Untrusted): Node {
  const { name, uid, resourceVersion, labels, annotations } = parseMetadata(object, 'cluster')
  const spec = object.at('spec')
  const status = object.at('status')
  const ready = findCondition(object, 'Ready')
  const metadata = object.at('metadata')
  const isTrue = (type: string): boolean => findCondition(object, type)?.status === 'True'
  const announced = announcedIn(object)
  const isOfOthers = (type: string): boolean => isTrue(type) && !(type in announced)
  const lifecycle = [...LIFECYCLE_CONDITIONS, ...CLOUD_CONDITIONS].filter(isOfOthers)
  return {
    name,
    uid,
    resourceVersion,
    labels,
    annotations,
    unschedulable: spec.at('unschedulable').flagOr(false),
    taints: spec.at('taints').each().map(parseTaint),
    ready: ready?.status ?? 'Unknown',
    heartbeat: ready?.lastHeartbeatTime ?? '',
    bootId: status.at('nodeInfo').at('bootID').textOr(''),
    internalAddresses: status.at('addresses').each().filter(isInternal).map(addressOf),
    volumesAttached: status
      .at('volumesAttached')
      .each()
      .map((volume) => volume.at('name').text()),
    ...(metadata.at('deletionTimestamp').optionalText() === undefined ? {} : { deleting: true }),
    ...(lifecycle.length === 0 ? {} : { lifecycle }),
    ...(Object.keys(announced).length === 0 ? {} : { announced }),
    ...(isOfOthers('MaintenancePlanned') ? { plannedByOthers: true } : {}),
    ...(isTrue(SHUTDOWN_CONDITION) ? { shuttingDown: true } : {}),
    ...present({
      versions: parseVersions(status.at('nodeInfo')),
      rebootRequired: parseReboot(object, REBOOT_CONDITION),
      rebooter: parseReboot(object, REBOOTER_CONDITION),
      allocatable: parseRoom(status.at('allocatable')),
    }),
  }
}

/** The conditions of Even Keel's own runs are also in the records, and our own parts use these. */
export function announcedIn(object: Untrusted): Readonly<Record<string, string>> {
  const own = ANNOUNCED_CONDITIONS.flatMap((type): readonly (readonly [string, string])[] => {
    const condition = findCondition(object, type)
    const run = condition?.status === 'True' ? runOfMessage(condition.message) : undefined
    return run === undefined ? [] : [[type, run]]
  })
  return Object.fromEntries(own)
}

/** A node without a number of pods has not reported its resources. */
function parseRoom(allocatable: Untrusted): NodeRoom | undefined {
  const pods = quantity(allocatable.at('pods').textOr(''))
  return pods === undefined ? undefined : { ...amount(allocatable.textMap()), pods }
}

function parseVersions(info: Untrusted): Node['versions'] {
  const versions = (['kernelVersion', 'kubeletVersion', 'osImage'] as const).flatMap((name) => {
    const version = info.at(name).textOr('')
    return version === '' ? [] : [[name, version] as const]
  })
  return versions.length === 0 ? undefined : Object.fromEntries(versions)
}

function parseReboot(node: Untrusted, type: string): RebootCondition | undefined {
  const condition = findCondition(node, type)
  if (condition === undefined) return undefined
  const { lastHeartbeatTime: heartbeat, ...same } = condition
  return { ...same, heartbeat }
}

function parseTaint(taint: Untrusted): Taint {
  return {
    key: taint.at('key').text(),
    effect: taint.at('effect').text(),
    ...present({ value: taint.at('value').optionalText() }),
  }
}

const isInternal = (address: Untrusted): boolean => address.at('type').textOr('') === 'InternalIP'
const addressOf = (address: Untrusted): string => address.at('address').text()
