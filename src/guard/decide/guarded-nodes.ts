import type { Node } from '../../ground/model/node.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { present } from '../../ground/model/present.ts'
import { NODE_ANNOTATION } from '../../ground/model/slot.ts'
import type { GuardSpec, NodeGuard } from '../model/node-guard.ts'
import type { Followed } from './followed.ts'
import type { GuardPod } from './found.ts'
import { foundGate } from './grant.ts'
import { claimOn } from './pass.ts'
import type { GuardedNode, HoldVerdict } from './snapshot.ts'
import { guardOfNode } from './wanted-guard.ts'

/** The inputs for the nodes of a guard. The same list object means that nothing in it has changed. */
interface Around {
  readonly guard: NodeGuard
  readonly followed: Followed
  /** The names of those whose holds were read. */
  readonly asking: ReadonlySet<string>
  readonly nodes: readonly Node[]
  readonly pods: readonly GuardPod[]
  readonly deployments: readonly FoundDeployment[]
  readonly gates: readonly OwnedObject[]
  verdictsOf(node: string): readonly HoldVerdict[] | undefined
}

interface Known {
  readonly around: Around
  /** By name, with its place in the list. */
  readonly places: ReadonlyMap<string, number>
  readonly guarded: readonly GuardedNode[]
}

/** The last result, by the spec. Only nodes for which something changed are computed again. */
const KNOWN = new WeakMap<GuardSpec, Known>()

/** The nodes that are to have a guard, or for which objects exist. */
export function guardedNodes(around: Around): readonly GuardedNode[] {
  const { spec } = around.guard
  const last = KNOWN.get(spec)
  const known = (last === undefined ? undefined : patched(last, around)) ?? whole(around)
  KNOWN.set(spec, known)
  return known.guarded
}

function whole(around: Around): Known {
  const { nodes, pods, deployments, gates } = around
  const names = new Set<string>()
  for (const index of [BY_NAME.of(nodes), DEPLOYMENTS.of(deployments), GATES.of(gates), PODS.of(pods)])
    for (const name of index.keys()) names.add(name)
  const guarded = [...names].flatMap((name) => guardedNode(around, name) ?? [])
  return { around, guarded, places: new Map(guarded.map(({ name }, at) => [name, at])) }
}

/** The last result with the changed nodes replaced. Undefined: a node came or went, so the list is made anew. */
function patched(last: Known, around: Around): Known | undefined {
  const names = changedNames(last.around, around)
  if (names === undefined) return undefined
  if (names.size === 0) return { ...last, around }
  const guarded = [...last.guarded]
  for (const name of names) {
    const at = last.places.get(name)
    const now = guardedNode(around, name)
    if (at === undefined && now === undefined) continue
    if (at === undefined || now === undefined) return undefined
    guarded[at] = now
  }
  return { around, guarded, places: last.places }
}

function changedNames(last: Around, now: Around): ReadonlySet<string> | undefined {
  if (last.followed !== now.followed || last.guard.uid !== now.guard.uid) return undefined
  const names = new Set([...last.asking, ...now.asking])
  const hasAllNames =
    addChanged(names, [last.nodes, now.nodes], ({ name }) => name) &&
    addChanged(names, [last.pods, now.pods], ({ nodeName }) => nodeName) &&
    addChanged(names, [last.deployments, now.deployments], nodeOf) &&
    addChanged(names, [last.gates, now.gates], nodeOf)
  return hasAllNames ? names : undefined
}

/** False: the lists differ in length and cannot be compared place by place. */
function addChanged<T>(
  names: Set<string>,
  [last, now]: readonly [readonly T[], readonly T[]],
  nameOf: (one: T) => string | undefined,
): boolean {
  if (last === now) return true
  if (last.length !== now.length) return false
  for (const [at, one] of now.entries()) {
    const before = last[at]
    if (one === before || before === undefined) continue
    for (const name of [nameOf(before), nameOf(one)]) if (name !== undefined) names.add(name)
  }
  return true
}

function guardedNode(around: Around, name: string): GuardedNode | undefined {
  const { guard, followed } = around
  const isPerNode = guard.spec.mode === 'PerNode'
  const node = BY_NAME.of(around.nodes).get(name)?.[0]
  const pods = PODS.of(around.pods).get(name) ?? NO_PODS
  const deployment = isPerNode ? DEPLOYMENTS.of(around.deployments).get(name)?.at(-1) : undefined
  const gate = isPerNode ? GATES.of(around.gates).get(name)?.at(-1) : undefined
  const isThere = pods.length > 0 || deployment !== undefined || gate !== undefined
  // A node with a claim was granted. Its guard may have been evicted, and the node is not back yet.
  const isWanted =
    node !== undefined && isToHave(followed, node, isThere || claimOn(node, guard.spec.group) !== undefined)
  if (!isWanted && !isThere) return undefined
  const verdicts = around.asking.has(name) ? around.verdictsOf(name) : undefined
  const own = {
    wanted: guardOfNode(guard, followed, name),
    ...present({ deployment }),
    ...(gate === undefined ? {} : { gate: foundGate(gate) }),
  }
  return {
    ...{ name, isWanted, pods },
    ...present({ node }),
    ...(isPerNode ? { own } : {}),
    ...present({ verdicts }),
  }
}

/** An existing guard stays on a node that takes no new one. */
function isToHave({ judge }: Followed, node: Node, isThere: boolean): boolean {
  const verdict = judge(node)
  return verdict === 'Run' || (verdict === 'Keep' && isThere)
}

const nodeOf = ({ annotations }: OwnedObject): string | undefined => annotations[NODE_ANNOTATION]

/** The objects of a list by the node that each names, indexed once for each list. */
class ByNode<T extends object> {
  readonly #nodeOf: (one: T) => string | undefined
  readonly #made = new WeakMap<readonly T[], ReadonlyMap<string, readonly T[]>>()

  constructor(of: (one: T) => string | undefined) {
    this.#nodeOf = of
  }

  of(list: readonly T[]): ReadonlyMap<string, readonly T[]> {
    const made = this.#made.get(list) ?? this.#index(list)
    this.#made.set(list, made)
    return made
  }

  #index(list: readonly T[]): ReadonlyMap<string, readonly T[]> {
    const index = new Map<string, T[]>()
    for (const one of list) {
      const name = this.#nodeOf(one)
      if (name === undefined) continue
      const same = index.get(name)
      if (same === undefined) index.set(name, [one])
      else same.push(one)
    }
    return index
  }
}

const BY_NAME = new ByNode<Node>(({ name }) => name)
const DEPLOYMENTS = new ByNode<FoundDeployment>(nodeOf)
const GATES = new ByNode<OwnedObject>(nodeOf)
const PODS = new ByNode<GuardPod>(({ isFinished, nodeName }) => (isFinished ? undefined : nodeName))
const NO_PODS: readonly GuardPod[] = []
