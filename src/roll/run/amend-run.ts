import type { Node } from '../../ground/model/node.ts'
import { present } from '../../ground/model/present.ts'
import type { UserError } from '../../ground/model/user-error.ts'
import { type Mended, mendRun, underWayOf } from '../decide/resume/mend-run.ts'
import type { NodeOut } from '../decide/resume/nodes-out.ts'
import { hostsLeft, hostsUnderWay, type UnderWay } from '../decide/resume/rest-of-plan.ts'
import type { SpecFinding } from '../model/file-finding.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import type { Journal } from '../ports/journal.ts'
import type { RunState } from './run-state.ts'

/** What is left of a run, for a plan as of a roll that begins. */
export interface RestOfRun {
  readonly spec: RollSpec
  /** Machines of the load balancers that the run has yet to bring through. Absent: the file has none. */
  readonly hostsLeft?: readonly string[]
}

export interface Amendment {
  readonly run: RunState
  /** What the run is to go on by. */
  readonly wanted: RollSpec
  /** Of the cluster, now. */
  readonly nodes: readonly Node[]
  readonly journal: Journal
  readonly at: string
  readonly refusal: (findings: readonly SpecFinding[]) => UserError
  /**
   * Plans for what is left, as for a roll that begins; rejects where that stands against it. `underWay`: what is out, and may be
   * down. Absent where the run is only ended: nothing is begun any more, and it does not matter what the file chooses.
   */
  readonly plan?: (rest: RestOfRun, underWay: readonly UnderWay[]) => Promise<void>
}

interface AmendedRun {
  readonly run: RunState
  /** Nodes that the file chooses and the run does not have. */
  readonly strangers: readonly string[]
}

/**
 * A run by another file from now on, in its journal before anything is done by it; rejects where that may not be. Which nodes need
 * a reboot was asked when it began: nodes are not asked again.
 */
export async function amendRun(amendment: Amendment): Promise<AmendedRun> {
  const { run, wanted, nodes, journal, at, refusal, plan } = amendment
  const chosen = plan === undefined ? { ...wanted, nodes: CHOOSES_NONE } : wanted
  const mended: Mended = mendRun(run, chosen, nodes)
  if (!mended.ok) throw refusal(mended.findings)
  const { order, strangers } = mended
  const underWay = underWayOf(run, nodes)
  const names = toReboot(order, run.done, underWay)
  const { onlyIfNeeded: _, ...reboot } = wanted.reboot
  const spec = { ...wanted, reboot, nodes: { names, all: false, allowUnbalanced: wanted.nodes.allowUnbalanced } }
  const left = hostsLeft(run)
  await plan?.({ spec, ...present({ hostsLeft: left }) }, [
    ...underWay.map(({ node }) => ({ name: node.name, kind: 'node', hasRebooted: false }) as const),
    ...hostsUnderWay(run),
  ])
  await journal.append({ at, type: 'amended', spec: wanted, order })
  return { run: { ...run, spec: wanted, order }, strangers }
}

/** The way to the machine of a node is not needed once the node has rebooted. */
function toReboot(order: readonly string[], done: readonly string[], underWay: readonly NodeOut[]): readonly string[] {
  const rebooted = underWay.filter(({ node, record }) => node.bootId !== record.bootId).map(({ node }) => node.name)
  return order.filter((name) => !done.includes(name) && !rebooted.includes(name))
}

const CHOOSES_NONE = { names: [], all: false, allowUnbalanced: false } as const
