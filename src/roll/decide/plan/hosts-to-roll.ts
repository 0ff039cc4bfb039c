import { asksMachine } from '../../../ground/model/reboot-need.ts'
import type { NodeWhy, PlannedHost } from '../../model/roll-plan.ts'
import type { nodesToRoll } from './nodes-to-roll.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'

interface HostsToRoll {
  /** Absent: the file has no machines. */
  readonly hosts?: readonly PlannedHost[]
  readonly skipped: readonly NodeWhy[]
}

/**
 * The machines of the load balancers, without those that need no reboot. A machine that no check asks is rolled together with
 * nodes, and not alone: otherwise a roll that runs again and again, on nodes that need no reboot, would reboot it each time.
 */
export function hostsToRoll(
  { spec, hosts, hostsSkipped = [] }: PlanSnapshot,
  { nodes, skipped }: Pick<ReturnType<typeof nodesToRoll>, 'nodes' | 'skipped'>,
): HostsToRoll {
  if (hosts === undefined) return { skipped: [] }
  const { onlyIfNeeded } = spec.reboot
  const isAsked = onlyIfNeeded === undefined || asksMachine(onlyIfNeeded)
  if (isAsked || nodes.length > 0 || skipped.length === 0) return { hosts, skipped: hostsSkipped }
  return { hosts: [], skipped: hosts.map(({ host: node }) => ({ node, why: ALONE })) }
}

const ALONE = 'needs no reboot: no node needs one, and no check of onlyIfNeeded asks the machine'
