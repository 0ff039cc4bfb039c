import type { Node } from '../../../ground/model/node.ts'
import { nodeMarkOf, takesOutAlike } from '../../../service/actuators/actuator-of.ts'
import type { BalancerSpec } from '../../../service/model/balancer-spec.ts'
import type { SpecFinding } from '../../model/file-finding.ts'
import { hostNames } from '../../model/host-pair.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import { selectNodes } from '../plan/select-nodes.ts'
import { hookFindings } from './hooks-left.ts'
import { type NodeOut, nodesOut } from './nodes-out.ts'
import type { RunSoFar } from './run-so-far.ts'

export type Mended =
  | {
      readonly ok: true
      readonly order: readonly string[]
      /** Nodes that the file chooses and that are no nodes of this run. */
      readonly strangers: readonly string[]
    }
  | { readonly ok: false; readonly findings: readonly SpecFinding[] }

/**
 * Whether a run may go on with another file, and with which nodes. The slot may not change, since other runs go by it; nor what
 * a node that is out was taken out of, nor the name of a hook that is to be undone. Nodes that are not begun may be left out. None may be added, since the run has no plan
 * for it. `nodes`: all of the cluster.
 */
export function mendRun(run: RunSoFar, wanted: RollSpec, nodes: readonly Node[]): Mended {
  const abort = `or put back what is out and begin a new roll: evenkeel roll abort ${run.id}`
  const chosen = chosenBy(run, wanted, nodes)
  const underWay = underWayOf(run, nodes).filter(({ node }) => !chosen.includes(node.name))
  const findings = [
    ...slotFindings(run.spec, wanted),
    ...balancerFindings(run.spec.balancers, wanted.balancers, abort),
    ...hostFindings(run.spec.hosts, wanted.hosts, abort),
    ...hookFindings(run, wanted, abort),
    ...underWay.map(({ node }) => ({
      path: ['spec', 'nodes'],
      text: `${node.name} is kept out by this run, and the file does not choose it`,
      fix: `choose ${node.name} as well, ${abort}`,
    })),
  ]
  if (findings.length > 0) return { ok: false, findings }
  return {
    ok: true,
    order: run.order.filter((name) => run.done.includes(name) || chosen.includes(name)),
    strangers: chosen.filter((name) => !run.order.includes(name)),
  }
}

/** Nodes of the run that bear its record: begun, and not back yet. */
export const underWayOf = ({ id, done }: Pick<RunSoFar, 'id' | 'done'>, nodes: readonly Node[]): readonly NodeOut[] =>
  nodesOut(nodes).recorded.filter(({ node, record }) => record.run === id && !done.includes(node.name))

/** A file that chooses no nodes does not change the choice: it may have been made on the command line. */
function chosenBy(run: RunSoFar, { nodes: wanted }: RollSpec, nodes: readonly Node[]): readonly string[] {
  if (wanted.names.length > 0) return wanted.names
  if (wanted.selector === undefined && !wanted.all) return run.order
  return selectNodes(wanted, nodes).nodes.map(({ name }) => name)
}

function slotFindings({ slots }: RollSpec, wanted: RollSpec): readonly SpecFinding[] {
  if (slots.namespace === wanted.slots.namespace) return []
  return [
    {
      path: ['spec', 'slots', 'namespace'],
      text: `the slot of this run is in namespace "${slots.namespace}"`,
      hint: 'another Lease would let a second node out',
      fix: `namespace: ${slots.namespace}`,
    },
  ]
}

function balancerFindings(
  had: readonly BalancerSpec[],
  wanted: readonly BalancerSpec[],
  abort: string,
): readonly SpecFinding[] {
  const own = { path: ['spec', 'balancers'], had: had.map(({ name }) => name), wanted: wanted.map(({ name }) => name) }
  const inner = wanted.flatMap((balancer, index) => {
    const before = had.find(({ name }) => name === balancer.name)
    if (before === undefined) return []
    const path = [...own.path, index]
    return [
      ...wayFindings({ path, had: before, wanted: balancer }, abort),
      ...changed(
        { what: 'instance', path: [...path, 'instances'], had: before.instances, wanted: balancer.instances },
        abort,
      ),
      ...changed(
        { what: 'backend', path: [...path, 'backends'], had: before.backends, wanted: balancer.backends },
        abort,
      ),
    ]
  })
  return [...changed({ what: 'balancer', ...own }, abort), ...inner]
}

interface WayChange {
  readonly path: readonly (string | number)[]
  readonly had: BalancerSpec
  readonly wanted: BalancerSpec
}

/** What is set on a Node is taken off by its name: another one would leave it there, and the node out. */
function wayFindings({ path, had, wanted }: WayChange, abort: string): readonly SpecFinding[] {
  if (takesOutAlike(had, wanted)) return []
  const mark = nodeMarkOf(had)
  const text =
    mark === undefined
      ? `balancer "${had.name}" of this run takes nodes out in another way than that of the file`
      : `balancer "${had.name}" of this run takes nodes out by ${mark} on the Node, which the file does not have`
  return [{ path, text, fix: `take nodes out of "${had.name}" as before, ${abort}` }]
}

/** A machine that is away is brought back by the commands of its pair. These may change; the list of machines may not. */
const hostFindings = (had: RollSpec['hosts'], wanted: RollSpec['hosts'], abort: string): readonly SpecFinding[] =>
  changed(
    { what: 'machine', path: ['spec', 'hosts', 'pairs'], had: hostNames(had), wanted: hostNames(wanted) },
    abort,
  ).map((finding) => ({ ...finding, path: ['spec', ...(wanted === undefined ? [] : ['hosts', 'pairs'])] }))

interface NameChange {
  readonly what: 'balancer' | 'instance' | 'backend' | 'machine'
  readonly path: readonly (string | number)[]
  readonly had: readonly string[] | undefined
  readonly wanted: readonly string[] | undefined
}

/**
 * A node that is out has to be put back into what it was taken out of: with another set, only a part of it would be detached or
 * put back.
 */
function changed({ what, path, had = [], wanted = [] }: NameChange, abort: string): readonly SpecFinding[] {
  const gone = had.filter((name) => !wanted.includes(name))
  return [
    ...gone.map((name) => ({
      path,
      text: `${what} "${name}" of this run is not in the file`,
      hint: `this run has: ${had.join(', ')}`,
      fix: `name "${name}" as before, ${abort}`,
    })),
    ...wanted.flatMap((name, index) =>
      had.includes(name)
        ? []
        : [
            {
              path: [...path, index],
              text: `${what} "${name}" is not part of this run`,
              hint: `this run has: ${had.join(', ')}`,
              fix: `take it out, ${abort}`,
            },
          ],
    ),
  ]
}
