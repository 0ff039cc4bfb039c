import { isDeepStrictEqual } from 'node:util'
import type { NodeObject } from '../actors/node-object.ts'
import {
  affinityOf,
  antiAffinityOf,
  claimNames,
  type PodAffinityTerm,
  type PodObject,
  tolerates,
} from '../actors/pod-object.ts'
import type { ApiObject } from '../world/api-object.ts'
import { NODES, PODS, VOLUME_CLAIMS } from '../world/api-resource.ts'
import { labelTest } from '../world/label-selector.ts'
import type { Change } from '../world/store.ts'
import { selectorOf } from './label-keys.ts'
import { isRepelled, isWanted, UNSCHEDULABLE } from './node-rules.ts'
import { takesRoom } from './node-usage.ts'
import type { Plugin } from './refusal.ts'
import { collide, hasGrown, hostPortsOf, wouldFit } from './room-rule.ts'
import { hardConstraints, hasEveryKey } from './spread-rule.ts'

/** undefined: it was not there before, or is not there now. */
interface Changed<T> {
  readonly now: T | undefined
  readonly before: T | undefined
}

type Hint<T> = (change: Changed<T>, pod: PodObject) => boolean
type Hints<T> = Partial<Record<Plugin, Hint<T>>>

/**
 * A plugin that asks for new nodes and not for other taints is given both, and is not asked what it makes of them
 * (scheduler.go, buildQueueingHintMap): whenever a node is cordoned, uncordoned or tainted, such a pod is tried again.
 */
function orTaints(hint: Hint<NodeObject>): Hint<NodeObject> {
  return (change, pod) => hint(change, pod) || hasOtherTaints(change)
}

function hasOtherTaints({ now, before }: Changed<NodeObject>): boolean {
  if (now === undefined || before === undefined) return false
  return differs(now.spec?.taints, before.spec?.taints) || (isOpen(now) && !isOpen(before))
}

/** A node was added or changed. */
const AFTER_NODE: Hints<NodeObject> = {
  NodeUnschedulable: ({ now, before }) => isOpen(now) && (before === undefined || !isOpen(before)),
  TaintToleration: ({ now, before }, { spec }) =>
    now !== undefined && !isRepelled(now, spec) && (before === undefined || isRepelled(before, spec)),
  NodeAffinity: orTaints(
    ({ now, before }, { spec }) =>
      now !== undefined && isWanted(now, spec) && (before === undefined || !isWanted(before, spec)),
  ),
  NodePorts: orTaints(({ before }) => before === undefined),
  VolumeRestrictions: orTaints(({ before }) => before === undefined),
  NodeResourcesFit: orTaints(
    ({ now, before }, { spec }) =>
      now !== undefined && wouldFit(now, spec) && (before === undefined || hasGrown(now, before, spec)),
  ),
  VolumeBinding: orTaints(
    ({ now, before }) => now !== undefined && differs(now.metadata.labels, before?.metadata.labels),
  ),
  PodTopologySpread: ({ now, before }, pod) => {
    const constraints = hardConstraints(pod)
    const [isDomain, wasDomain] = [now, before].map((node) => node !== undefined && hasEveryKey(node, constraints))
    if (isDomain !== wasDomain) return true
    const domains = (node: NodeObject | undefined) => constraints.map(({ topologyKey }) => labelOf(node, topologyKey))
    return (
      isDomain === true && (differs(domains(now), domains(before)) || differs(now?.spec?.taints, before?.spec?.taints))
    )
  },
  InterPodAffinity: orTaints(
    ({ now, before }, pod) =>
      now !== undefined &&
      (affinityOf(pod).some(({ topologyKey: key }) => isNew(labelOf(now, key), labelOf(before, key))) ||
        antiAffinityOf(pod).some(
          ({ topologyKey: key }) => before === undefined || isNew(labelOf(before, key), labelOf(now, key)),
        )),
  ),
}

/** A pod came to a node, left it or finished, or has other labels. */
const AFTER_POD: Hints<PodObject> = {
  NodePorts: ({ now, before }, { spec }) =>
    now === undefined && before !== undefined && collide(hostPortsOf(spec), hostPortsOf(before.spec)),
  NodeResourcesFit: ({ now }) => now === undefined,
  VolumeRestrictions: ({ now, before }, pod) =>
    now === undefined && before !== undefined && claimNames(before).some((name) => claimNames(pod).includes(name)),
  PodTopologySpread: ({ now, before }, pod) => {
    if ((now ?? before)?.metadata.namespace !== pod.metadata.namespace) return false
    const counts = (other: PodObject | undefined) =>
      hardConstraints(pod).map(
        (constraint) => other !== undefined && labelTest(selectorOf(constraint, pod))(other.metadata.labels),
      )
    return differs(counts(now), counts(before))
  },
  InterPodAffinity: ({ now, before }, pod) => {
    const isNear = (target: PodObject) => isMeantByAll(pod, affinityOf(pod), target)
    const isApart = (target: PodObject) => isMeantByAll(pod, antiAffinityOf(pod), target)
    if (before === undefined) return now !== undefined && isNear(now)
    // The terms of the pod that is gone are not asked, although they may have kept this one away (mended in 1.36).
    if (now === undefined) return isApart(before)
    return (!isNear(before) && isNear(now)) || (isApart(before) && !isApart(now))
  },
}

/**
 * All of the terms mean the pod. Namespaces that a term selects by a label are not known here, so that such a term means a pod
 * of the namespaces that it names, or of any (framework/types.go, AffinityTerm.Matches without labels).
 */
function isMeantByAll(owner: PodObject, terms: readonly PodAffinityTerm[], { metadata }: PodObject): boolean {
  const { namespace = '', labels } = metadata
  return (
    terms.length > 0 &&
    terms.every((term) => {
      const { namespaces = [], namespaceSelector } = term
      const isOwn = namespaces.length === 0 && namespaceSelector === undefined
      const isThere = isOwn ? namespace === owner.metadata.namespace : namespaces.includes(namespace)
      return (isThere || labelTest(namespaceSelector)({})) && labelTest(selectorOf(term, owner))(labels)
    })
  )
}

const isOpen = (node: NodeObject | undefined): boolean => node !== undefined && node.spec?.unschedulable !== true

const labelOf = (node: NodeObject | undefined, key: string): string | undefined => node?.metadata.labels?.[key]

const isNew = (label: string | undefined, other: string | undefined): boolean => label !== undefined && label !== other

/** A field that a write has not changed is usually the same object. */
const differs = (a: unknown, b: unknown): boolean => a !== b && !isDeepStrictEqual(a, b)

/**
 * Whether a change of a waiting pod itself has it tried again. Its labels are asked by the plugin of the spread alone, its
 * tolerations by that and by those of taints; any other change brings back what a taint has kept away (Pod/Update of each plugin).
 */
export function requeuesItself(now: PodObject, before: PodObject, by: ReadonlySet<Plugin>): boolean {
  const hasOtherLabels = differs(now.metadata.labels, before.metadata.labels)
  const hasOtherTolerations = differs(now.spec.tolerations, before.spec.tolerations)
  const isOther = differs(now.spec, before.spec) || differs(now.metadata.annotations, before.metadata.annotations)
  const isSpread = (pod: PodObject): readonly boolean[] =>
    hardConstraints(now).map((constraint) => labelTest(selectorOf(constraint, now))(pod.metadata.labels))
  const honours = hardConstraints(now).some(({ nodeTaintsPolicy }) => nodeTaintsPolicy === 'Honor')
  return (
    (by.has('TaintToleration') && isOther) ||
    (by.has('NodeUnschedulable') && isOther && tolerates(now.spec.tolerations ?? [], UNSCHEDULABLE)) ||
    (by.has('PodTopologySpread') && hasOtherTolerations && honours) ||
    (by.has('PodTopologySpread') && hasOtherLabels && differs(isSpread(now), isSpread(before)))
  )
}

type Refused = (pod: PodObject, by: ReadonlySet<Plugin>) => boolean

const NONE: Refused = () => false

/**
 * Whether a change has a waiting pod tried again: some plugin that has refused it has to name the change (KEP-4247; the
 * functions EventsToRegister and isSchedulableAfter… of each plugin of 1.35.4). A change that none names is seen minutes later.
 */
export function requeues({ resource, type, object, previous }: Change): Refused {
  const isGone = type === 'DELETED'
  switch (resource) {
    case NODES: {
      const change = { now: isGone ? undefined : (object as NodeObject), before: previous as NodeObject | undefined }
      return isOther(change) ? asked(AFTER_NODE, change) : NONE
    }
    case PODS: {
      const change = { now: isGone ? undefined : placed(object), before: placed(previous, isGone) }
      const isMoved = (change.now === undefined) !== (change.before === undefined)
      return isMoved || differs(change.now?.metadata.labels, change.before?.metadata.labels)
        ? asked(AFTER_POD, change)
        : NONE
    }
    case VOLUME_CLAIMS:
      return (pod, by) =>
        (type === 'ADDED' ? by.has('VolumeRestrictions') || by.has('VolumeBinding') : by.has('VolumeBinding')) &&
        !isGone &&
        object.metadata.namespace === pod.metadata.namespace &&
        claimNames(pod).includes(object.metadata.name)
    default:
      return (_, by) => by.has('VolumeBinding') && !isGone
  }
}

const asked =
  <T>(hints: Hints<T>, change: Changed<T>): Refused =>
  (pod, by) =>
    [...by].some((plugin) => hints[plugin]?.(change, pod) === true)

/** A heartbeat, which is most of a node's changes, changes none of this. */
function isOther({ now, before }: Changed<NodeObject>): boolean {
  if (now === undefined || before === undefined) return true
  return (
    differs(now.metadata.labels, before.metadata.labels) ||
    differs(now.spec, before.spec) ||
    differs(now.status?.allocatable, before.status?.allocatable)
  )
}

/** A pod that is gone also counts where room was kept for it. */
function placed(object: ApiObject | undefined, isGone = false): PodObject | undefined {
  const pod = object as PodObject | undefined
  if (pod === undefined) return undefined
  const isKept = isGone && (pod.status?.nominatedNodeName ?? '') !== ''
  return takesRoom(pod) || isKept ? pod : undefined
}
