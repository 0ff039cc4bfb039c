import { GUARD_FINALIZER, GUARD_LABEL, GUARD_UID_LABEL } from '../../ground/model/guard-keys.ts'
import { INGRESS_NODE_LABEL as NODE_LABEL, TEMPLATE_HASH_ANNOTATION } from '../../ground/model/ingress-keys.ts'
import { isJsonObject } from '../../ground/model/json-object.ts'
import { canonicalJson } from '../../ground/model/owned/canonical-json.ts'
import { nodeLabel, shortHash } from '../../ground/model/owned/node-names.ts'
import { ownedMetadata, type WantedObject } from '../../ground/model/owned/wanted-object.ts'
import { present } from '../../ground/model/present.ts'
import { NODE_ANNOTATION } from '../../ground/model/slot.ts'
import type { NodeGuard } from '../model/node-guard.ts'
import type { Followed } from './followed.ts'

type Json = Readonly<Record<string, unknown>>

/** The wanted objects of one node, or in mode Budget of all nodes. */
export interface WantedGuard {
  /** The name of the Deployment and of the PodDisruptionBudget. */
  readonly name: string
  /** In mode PerNode. */
  readonly node?: string
  /** Labels by which both select the pods. */
  readonly selector: Readonly<Record<string, string>>
  /** Of the pod template. */
  readonly hash: string
  readonly template: Json
}

/** In mode Budget the pods have this label, so that no budget of mode PerNode selects them. */
const ALL_NODES = 'all'
const SCOPE_LABEL = 'evenkeel.dev/guard-scope'

/** By `Followed`, which is the same object until it changes; then by node. */
const KNOWN = new WeakMap<Followed, Map<string, WantedGuard>>()

/** The wanted objects of one node. */
export function guardOfNode(guard: NodeGuard, followed: Followed, node: string): WantedGuard {
  const known = KNOWN.get(followed) ?? new Map<string, WantedGuard>()
  KNOWN.set(followed, known)
  const wanted = known.get(node) ?? newGuardOf(guard, followed, node)
  known.set(node, wanted)
  return wanted
}

function newGuardOf(guard: NodeGuard, followed: Followed, node: string): WantedGuard {
  const name = `${guard.name}-ng-${shortHash(node)}`
  const selector = { [GUARD_UID_LABEL]: guard.uid, [NODE_LABEL]: nodeLabel(node) }
  const here = { key: 'metadata.name', operator: 'In', values: [node] }
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [here] }] },
    },
  }
  // The node is chosen already. A selector would keep the pod from a node whose labels changed meanwhile.
  return {
    ...templateOf(guard, { selector, spec: { affinity, tolerations: followed.placement.tolerations } }),
    name,
    node,
    selector,
  }
}

/** The wanted objects of all nodes, in mode Budget. */
export function guardOfAll(guard: NodeGuard, { placement }: Followed): WantedGuard {
  const selector = { [GUARD_UID_LABEL]: guard.uid, [SCOPE_LABEL]: ALL_NODES }
  const apart = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: selector } }]
  const affinity = {
    ...placement.affinity,
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart },
  }
  const { nodeSelector, tolerations } = placement
  return {
    ...templateOf(guard, { selector, spec: { nodeSelector, affinity, tolerations } }),
    name: `${guard.name}-ng`,
    selector,
  }
}

/** The template and its hash. The hash is compared, since the API server adds defaults to the template. */
function templateOf(
  guard: NodeGuard,
  { selector, spec }: { readonly selector: Readonly<Record<string, string>>; readonly spec: Json },
): Pick<WantedGuard, 'template' | 'hash'> {
  const { template: own = {}, priorityClassName, resistsDeletion } = guard.spec
  const metadata = objectOr(own.metadata)
  const podSpec = own.spec === undefined ? defaultPod(guard) : objectOr(own.spec)
  const labels = { ...objectOr(metadata.labels), [GUARD_LABEL]: guard.name, ...selector }
  const finalizers = [...(Array.isArray(metadata.finalizers) ? metadata.finalizers : []), GUARD_FINALIZER]
  const template = {
    ...own,
    metadata: { ...metadata, labels, ...(resistsDeletion ? { finalizers } : {}) },
    spec: {
      ...podSpec,
      ...spec,
      ...present({ priorityClassName }),
    },
  }
  return { template, hash: shortHash(canonicalJson(template)) }
}

const defaultPod = ({ spec: { image } }: NodeGuard): Json => ({
  automountServiceAccountToken: false,
  // The container does nothing, so it can end at once.
  terminationGracePeriodSeconds: 5,
  containers: [
    {
      name: 'guard',
      image,
      resources: { requests: { cpu: '1m', memory: '8Mi' }, limits: { memory: '32Mi' } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        runAsUser: 65_534,
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' },
      },
    },
  ],
})

/**
 * In mode PerNode the new guard starts before the old one ends, so the node is never without one. In mode Budget two guards cannot be on
 * one node, so with the defaults of a Deployment no new guard could start.
 */
const strategyOf = (node: string | undefined, unplaceable: number) =>
  node === undefined ? { maxSurge: 0, maxUnavailable: 1 + unplaceable } : { maxSurge: 1, maxUnavailable: 0 }

export const wantedDeployment = (
  guard: NodeGuard,
  { name, node, selector, hash, template }: WantedGuard,
  {
    replicas,
    isPaused,
    unplaceable = 0,
  }: { readonly replicas: number; readonly isPaused: boolean; readonly unplaceable?: number },
): WantedObject => ({
  metadata: ownedMetadata(ownerOf(guard), {
    name,
    labels: { [GUARD_LABEL]: guard.name, ...selector },
    annotations: { [TEMPLATE_HASH_ANNOTATION]: hash, ...present({ [NODE_ANNOTATION]: node }) },
  }),
  spec: {
    replicas,
    selector: { matchLabels: selector },
    minReadySeconds: guard.spec.minReadySeconds,
    revisionHistoryLimit: 0,
    paused: isPaused,
    strategy: { type: 'RollingUpdate', rollingUpdate: strategyOf(node, unplaceable) },
    template,
  },
})

/**
 * The budget over the pods. A closed one refuses every eviction. An open one lets the pod of its node go, also if it is not ready. The
 * budget of mode Budget is never open.
 */
export const wantedGate = (guard: NodeGuard, { name, node, selector }: WantedGuard, isOpen: boolean): WantedObject => ({
  metadata: ownedMetadata(ownerOf(guard), {
    name,
    labels: { [GUARD_LABEL]: guard.name, ...selector },
    annotations: { ...present({ [NODE_ANNOTATION]: node }) },
  }),
  spec: {
    selector: { matchLabels: selector },
    ...(node === undefined ? { maxUnavailable: 0 } : { minAvailable: isOpen ? 0 : 1 }),
    unhealthyPodEvictionPolicy: isOpen ? 'AlwaysAllow' : 'IfHealthyBudget',
  },
})

const ownerOf = ({ name, uid }: NodeGuard) => ({ apiVersion: 'evenkeel.dev/v1alpha1', kind: 'NodeGuard', name, uid })

const objectOr = (value: unknown): Json => (isJsonObject(value) ? value : {})
