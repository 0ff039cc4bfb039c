import { formatDuration } from '../../../ground/model/duration.ts'
import type { PlannedNode, RollPlan } from '../../model/roll-plan.ts'
import type { RollSpec } from '../../model/roll-spec.ts'

/** How long nodes took in earlier rolls on this machine; only those that came back in service. */
export interface PastNodes {
  /** The newest of these runs. */
  readonly run: string
  readonly nodeMs: readonly number[]
}

/** Used where nothing was measured: from the cordon to the proof, on a machine that boots in half a minute. */
const REBOOT_MS = 60_000
/** A replacement that starts in seconds, one pod after the other. */
const POD_MS = 5_000

/** How long a roll takes if nothing holds it: an estimate, and its source. */
export function estimateRoll(
  { nodes }: Pick<RollPlan, 'nodes'>,
  { soakMs, probe, parallel }: RollSpec,
  past: PastNodes | undefined,
): NonNullable<RollPlan['estimate']> {
  const baselineMs = probe?.baselineMs ?? 0
  const rounds = Math.ceil(nodes.length / (parallel?.nodes ?? 1))
  if (past !== undefined && past.nodeMs.length > 0) {
    const middle = median(past.nodeMs)
    const count = past.nodeMs.length === 1 ? 'the one node' : `the middle one of ${past.nodeMs.length} nodes`
    return {
      ms: baselineMs + rounds * middle,
      basis: `${formatDuration(middle)} each, as ${count} of earlier runs here took, the last of them ${past.run}`,
    }
  }
  return {
    ms:
      baselineMs + (rounds / Math.max(1, nodes.length)) * nodes.reduce((sum, node) => sum + guessedMs(node, soakMs), 0),
    basis: `${formatDuration(REBOOT_MS)} for each reboot, ${formatDuration(POD_MS)} for each pod and ${formatDuration(soakMs)} of soak, since no earlier run here has measured a node`,
  }
}

/** How long one node takes, by the same estimate. */
export const estimateNode = (node: PlannedNode, { soakMs }: RollSpec, past: PastNodes | undefined): number =>
  past !== undefined && past.nodeMs.length > 0 ? median(past.nodeMs) : guessedMs(node, soakMs)

const guessedMs = ({ podsToMove }: PlannedNode, soakMs: number): number =>
  REBOOT_MS + soakMs + podsToMove.length * POD_MS

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
