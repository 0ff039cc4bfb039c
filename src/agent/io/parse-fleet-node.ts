import { findCondition } from '../../ground/kube/find-condition.ts'
import { asksToLeave } from '../../ground/model/claims.ts'
import { MalformedReply, type Untrusted } from '../../ground/model/untrusted.ts'
import { RECORD_ANNOTATION } from '../../service/model/node-record.ts'
import type { FleetNode } from '../model/fleet-node.ts'
import { parseNodeReading } from './parse-node-reading.ts'

/** A Node whose name can be read counts, whatever else is wrong: without it the fleet would look smaller. */
export function parseFleetNode(object: Untrusted): FleetNode {
  const metadata = object.at('metadata')
  const [name, uid] = [metadata.at('name').text(), metadata.at('uid').text()]
  try {
    const { unschedulable, deleting, lifecycle, removal, excluded, maintenance } = parseNodeReading(object)
    const leaves = lifecycle.length > 0 || removal.length > 0 || excluded || asksToLeave(maintenance)
    const recorded = RECORD_ANNOTATION in metadata.at('annotations').textMap()
    const ready = findCondition(object, 'Ready')?.status === 'True'
    return { name, uid, unschedulable, deleting, leaves, ready, ...(recorded ? { recorded } : {}) }
  } catch (error) {
    if (!(error instanceof MalformedReply)) throw error
    return { name, uid, unschedulable: false, deleting: false, leaves: false, ready: false, unreadable: true }
  }
}
