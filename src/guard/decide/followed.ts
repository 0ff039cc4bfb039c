import { isJsonObject } from '../../ground/model/json-object.ts'
import type { Node, Taint } from '../../ground/model/node.ts'
import { CANDIDATE_TAINT, takenBy, workMarksOf } from '../../ground/model/node-reading.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { present } from '../../ground/model/present.ts'
import { TO_COME_KEY } from '../../ground/model/to-come.ts'
import { Untrusted } from '../../ground/model/untrusted.ts'
import { eligibilityIn } from '../../service/decide/eligibility.ts'
import type { GuardSpec, NodeGuard } from '../model/node-guard.ts'
import { asIfItStayed } from './asks.ts'

type Json = Readonly<Record<string, unknown>>

/** What the guards of a NodeGuard follow. */
export interface Followed {
  /** The DaemonSet is gone: nothing is known of which nodes are to have guards. */
  readonly isGone: boolean
  /** Whether a node is to have a guard. `Keep`: an existing guard stays. */
  readonly judge: (node: Node) => 'Run' | 'Keep' | 'Leave'
  /** Where a guard pod may be placed. */
  readonly placement: { readonly nodeSelector: Json; readonly affinity: Json; readonly tolerations: readonly Json[] }
}

/**
 * Taints that announce that a node leaves or is worked on, or that Kubernetes sets and removes by itself. A guard that tolerated one of
 * the former would come back to a node that is being drained, and the next node could be taken.
 */
const isOfLifecycle = (key: string): boolean =>
  key === TO_COME_KEY ||
  key.startsWith('node.kubernetes.io/') ||
  key.startsWith('karpenter.sh/') ||
  key.startsWith('node.cloudprovider.kubernetes.io/') ||
  takenBy(key) !== undefined ||
  key === CANDIDATE_TAINT ||
  workMarksOf({ annotations: {}, taints: [{ key }] }).length > 0

/** A guard stays on a node that is in trouble: a node that flaps does not lose it. */
const ALWAYS_TOLERATED: readonly Json[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
]

/**
 * A kubelet that is short of disk or process ids takes no pod but critical ones, whatever they tolerate (pkg/kubelet/eviction, Admit). A guard
 * that tolerated these taints would be placed there and rejected, and its Deployment would make the next one at once, without a pause.
 */
const CRITICAL_TOLERATES: readonly Json[] = [
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
]
const CRITICAL: readonly unknown[] = ['system-node-critical', 'system-cluster-critical']

interface Around {
  /** The DaemonSet that the guard follows; undefined if there is none of that name. */
  readonly daemonSet: OwnedObject | undefined
  readonly nodes: readonly Node[]
  /** Those of the guard. */
  readonly deployments?: readonly OwnedObject[]
}

/** The last result, by the spec. While it is the same, nothing that is derived from it is made anew for thousands of nodes. */
const LAST = new WeakMap<GuardSpec, { readonly by: string; readonly followed: Followed }>()

export function followedBy({ spec }: NodeGuard, { daemonSet, nodes, deployments = [] }: Around): Followed {
  const { follow } = spec
  const isGone = follow.kind === 'daemonSet' && (daemonSet === undefined || daemonSet.deleting)
  const template =
    follow.kind === 'daemonSet' ? objectOr(objectOr(daemonSet?.content.spec).template) : (spec.template ?? {})
  const podSpec = objectOr(template.spec)
  const nodeSelector = follow.kind === 'nodes' ? follow.nodeSelector : {}
  const judgeOf = eligibilityIn({
    nodeSelector,
    template: { object: template, hostNetwork: podSpec.hostNetwork === true },
  })
  const judge = isGone ? () => GONE[spec.onTargetGone] : (node: Node) => staying(judgeOf, node)
  const tolerations = [
    ...tolerationsFor(podSpec, () => [
      ...nodes.filter((node) => judge(node) !== 'Leave').flatMap(({ taints }) => taints),
      ...toleratedBy(deployments),
    ]),
    ...(isCritical(spec) ? CRITICAL_TOLERATES : []),
    ...ALWAYS_TOLERATED,
  ]
  const by = JSON.stringify([isGone, template, tolerations])
  const last = LAST.get(spec)
  if (last?.by === by) return last.followed
  const followed = {
    ...{ isGone, judge },
    placement: {
      nodeSelector: { ...objectOr(podSpec.nodeSelector), ...nodeSelector },
      affinity: present({ nodeAffinity: objectOr(podSpec.affinity).nodeAffinity }),
      tolerations,
    },
  }
  LAST.set(spec, { by, followed })
  return followed
}

/** On a node that is about to be removed, no guard is made. */
function staying(judge: ReturnType<typeof eligibilityIn>, found: Node): 'Run' | 'Keep' | 'Leave' {
  const { node, isGoing } = asIfItStayed(found)
  const { kind } = judge(node)
  return isGoing && kind === 'Run' ? 'Keep' : kind
}

/** Existing guards are kept or removed, and no new ones are made. */
const GONE = { Keep: 'Keep', Remove: 'Leave' } as const

type Tolerated = Pick<Taint, 'key' | 'effect'>

/**
 * A toleration of every taint would tolerate a cordon. In its place stands one for each taint that the nodes have and that is of no
 * lifecycle, or had: a taint that comes and goes with each new node would replace the guards of all nodes each time.
 */
function tolerationsFor(podSpec: Json, seen: () => readonly Tolerated[]): readonly Json[] {
  const own = new Untrusted(podSpec, 'spec')
    .at('tolerations')
    .each()
    .map((toleration) => objectOr(toleration.raw))
  const keyed = own.filter(({ key }) => typeof key === 'string' && key !== '' && !isOfLifecycle(key))
  const blanket = own.filter(({ key, operator }) => (key === undefined || key === '') && operator === 'Exists')
  const effects = new Set(blanket.map(({ effect }) => (typeof effect === 'string' ? effect : '')))
  const isNamed = ({ key, effect }: Tolerated): boolean =>
    keyed.some((one) => one.key === key && one.operator === 'Exists' && one.effect === effect)
  const union = (blanket.length === 0 ? [] : inOrder(seen())).filter(
    (taint) => (effects.has('') || effects.has(taint.effect)) && !isNamed(taint),
  )
  return [...keyed, ...union.map(({ key, effect }) => ({ key, operator: 'Exists', effect }))]
}

/** Each once. One that only prefers other nodes keeps no guard away. */
function inOrder(seen: readonly Tolerated[]): readonly Tolerated[] {
  const each = new Map<string, Tolerated>()
  for (const { key, effect } of seen)
    if (effect !== 'PreferNoSchedule' && !isOfLifecycle(key)) each.set(`${key}:${effect}`, { key, effect })
  return [...each].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, taint]) => taint)
}

/** A list of a cache never changes. */
const TOLERATED = new WeakMap<readonly OwnedObject[], readonly Tolerated[]>()

/** The taints that the guards of Deployments tolerate whatever their value is. */
function toleratedBy(deployments: readonly OwnedObject[]): readonly Tolerated[] {
  const known = TOLERATED.get(deployments) ?? inOrder(deployments.flatMap(toleratedByOne))
  TOLERATED.set(deployments, known)
  return known
}

function toleratedByOne({ content: { spec } }: OwnedObject): readonly Tolerated[] {
  const { tolerations } = objectOr(objectOr(objectOr(spec).template).spec)
  return (Array.isArray(tolerations) ? tolerations : []).map(objectOr).flatMap(({ key, operator, effect }) => {
    const isWhole = typeof key === 'string' && key !== '' && operator === 'Exists' && typeof effect === 'string'
    return isWhole && effect !== '' ? [{ key, effect }] : []
  })
}

const isCritical = ({ priorityClassName, template }: GuardSpec): boolean =>
  CRITICAL.includes(priorityClassName ?? objectOr(template?.spec).priorityClassName)

const objectOr = (value: unknown): Json => (isJsonObject(value) ? value : {})
