import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import { present } from '../../ground/model/present.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import {
  INTENT_ANNOTATION,
  RECORD_ANNOTATION,
  REQUEST_ANNOTATION,
  type RebootIntent,
  type RebootRequest,
} from '../../service/model/node-record.ts'
import {
  type Parsed,
  parseNodeRecord,
  parseRebootIntent,
  parseRebootRequest,
} from '../../service/model/parse-node-record.ts'
import { idsOfMachine } from './fleet-lock-id.ts'

/** A Node as far as its client is answered by it. */
export interface FleetLockNode {
  readonly name: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
  readonly deleting: boolean
  readonly isCordoned: boolean
  readonly bootId: string
  /** The ids by which its machine may ask. */
  readonly ids: readonly string[]
  /** Something of a roll is on it, although it may not be readable. */
  readonly isInWork: boolean
  readonly record?: { readonly run: string; readonly bootId: string }
  readonly intent?: RebootIntent
  readonly request?: RebootRequest
}

export const FLEET_LOCK_NODES: ObjectKind<FleetLockNode> = {
  group: '',
  version: 'v1',
  resource: 'nodes',
  kind: 'Node',
  namespaced: false,
  parse: parseFleetLockNode,
}

function parseFleetLockNode(object: Untrusted): FleetLockNode {
  const { name, uid, labels, annotations } = parseMetadata(object, 'cluster')
  const info = object.at('status').at('nodeInfo')
  const read = <T>(key: string, parse: (text: string) => Parsed<T>): T | undefined => {
    const text = annotations[key]
    const parsed = text === undefined ? undefined : parse(text)
    return parsed?.ok === true ? parsed.value : undefined
  }
  const record = read(RECORD_ANNOTATION, parseNodeRecord)
  return {
    ...{ name, uid, labels },
    deleting: !object.at('metadata').at('deletionTimestamp').absent,
    isCordoned: object.at('spec').at('unschedulable').flagOr(false),
    bootId: info.at('bootID').textOr(''),
    ids: idsOfMachine(info.at('machineID').textOr('')),
    isInWork: RECORD_ANNOTATION in annotations || INTENT_ANNOTATION in annotations,
    ...(record === undefined ? {} : { record: { run: record.run, bootId: record.bootId } }),
    ...present({
      intent: read(INTENT_ANNOTATION, parseRebootIntent),
      request: read(REQUEST_ANNOTATION, parseRebootRequest),
    }),
  }
}
