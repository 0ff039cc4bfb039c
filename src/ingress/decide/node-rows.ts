import type { Node } from '../../ground/model/node.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { NodeIdentity } from '../../ground/model/owned/node-names.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { IngressFound, IngressPod } from './found.ts'
import { identityFor, matchLabelsOf } from './names.ts'
import type { SortedDeployments } from './ownership.ts'

/** A node and its objects. */
export interface NodeRow<N extends Node | undefined = Node | undefined> {
  readonly name: string
  readonly node: N
  readonly deployment: FoundDeployment | undefined
  readonly gate: OwnedObject | undefined
  /** By which its pods are found: an adopted Deployment keeps the one of its first owner. */
  readonly selector: NodeIdentity['selector'] | undefined
  readonly pods: readonly IngressPod[]
}

/** Where the parts of a row are looked up. */
export interface RowSources {
  readonly found: IngressFound
  readonly ours: SortedDeployments<FoundDeployment>['ours']
  readonly gates: ReadonlyMap<string, OwnedObject>
}

interface Rows extends RowSources {
  readonly rows: readonly NodeRow<Node>[]
}

/** The rows of the last pass, by the spec of the object. */
const ROWS = new WeakMap<object, Rows>()

/**
 * One row for each node of the list, in its order. An unchanged row is the same object as in the last pass, which is true of all but a few
 * of thousands.
 */
export function nodeRows(sources: RowSources): readonly NodeRow<Node>[] {
  const { found, ours, gates } = sources
  const { object, nodes } = found
  const last = ROWS.get(object.spec)
  const known = last?.found.object.uid === object.uid ? knownRows(last.rows) : undefined
  const rows = nodes.map((node, at): NodeRow<Node> => {
    const row = known?.(at, node.name)
    if (row === undefined || last === undefined) return rowOf(sources, node.name, node)
    const deployment = last.ours === ours ? row.deployment : ours.get(node.name)
    if (node !== row.node || deployment !== row.deployment) return rowOf(sources, node.name, node)
    const gate = last.gates === gates || deployment === undefined ? row.gate : gates.get(deployment.name)
    const pods = last.found.podsOf === found.podsOf ? row.pods : podsOf(found, row.selector)
    return gate === row.gate && pods === row.pods ? row : { ...row, gate, pods }
  })
  ROWS.set(object.spec, { ...sources, rows })
  return rows
}

/** Finds the old rows by place, and from the first difference on by name. */
function knownRows(rows: readonly NodeRow<Node>[]): (at: number, name: string) => NodeRow<Node> | undefined {
  let byName: ReadonlyMap<string, NodeRow<Node>> | undefined
  return (at, name) => {
    const row = rows[at]
    if (row?.name === name) return row
    byName ??= new Map(rows.map((one) => [one.name, one]))
    return byName.get(name)
  }
}

/** `node`: undefined where none of this name is listed. */
export function rowOf<N extends Node | undefined>(
  { found, ours, gates }: RowSources,
  name: string,
  node: N,
): NodeRow<N> {
  const deployment = ours.get(name)
  const selector = selectorOf(found, deployment, node)
  const gate = deployment === undefined ? undefined : gates.get(deployment.name)
  return { name, node, deployment, gate, selector, pods: podsOf(found, selector) }
}

const NO_PODS: readonly IngressPod[] = []

const podsOf = (found: IngressFound, selector: NodeRow['selector']): readonly IngressPod[] =>
  selector === undefined ? NO_PODS : found.podsOf(selector)

function selectorOf(
  { object }: IngressFound,
  deployment: FoundDeployment | undefined,
  node: Node | undefined,
): NodeRow['selector'] {
  if (deployment !== undefined) return matchLabelsOf(deployment)
  return node === undefined ? undefined : identityFor(object, node).selector
}
