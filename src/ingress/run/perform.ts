import type { Latest } from '../../ground/loop/owned/latest.ts'
import { OwnedEffects } from '../../ground/loop/owned/owned-effects.ts'
import { DEPLOYMENTS, GATES } from '../../ground/loop/owned/owned-kinds.ts'
import { unlessThere } from '../../ground/loop/owned/unless-there.ts'
import { INGRESS_FINALIZER } from '../../ground/model/ingress-keys.ts'
import type { Node } from '../../ground/model/node.ts'
import { revisionPatch } from '../../ground/model/owned/difference.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { NodeIdentity } from '../../ground/model/owned/node-names.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import { holdPatch, releasePatch } from '../../service/run/node-marks.ts'
import type { NodeWrites } from '../../service/run/node-writes.ts'
import type { IngressAction, NodeAction } from '../decide/action.ts'
import type { HouseholdAction, ObjectAction } from '../decide/household.ts'
import { ingressKind } from '../decide/ingress-kind.ts'
import type { IngressLook } from '../decide/look.ts'
import { ingressOwner } from '../decide/marks.ts'
import { identityFor, identityOf } from '../decide/names.ts'
import { wantedRevision } from '../decide/revision.ts'
import { rollbackPatch } from '../decide/rollback.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { annotationsOf, newDeployment, templatePatch, withAnnotations } from './deployment-writes.ts'
import { GateWrites } from './gate-writes.ts'
import { HealthCheckerWrites, isOfHealthChecker } from './health-checker-writes.ts'
import { REVISIONS } from './ingress-kinds.ts'
import type { IngressMemory } from './ingress-memory.ts'

interface PerformParts {
  readonly objects: Objects
  readonly cluster: Pick<Cluster, 'readNode'>
  readonly latest: Latest
  readonly nodeWrites: NodeWrites
  readonly unshown: Pick<IngressMemory, 'deployments' | 'daemonSets' | 'gates'>
}

/** One effect, under the versions of the objects that it was decided by. */
export class IngressEffects {
  readonly #parts: PerformParts
  readonly #owned: OwnedEffects
  readonly #checkers: HealthCheckerWrites
  readonly #gates: GateWrites

  constructor(parts: PerformParts) {
    this.#parts = parts
    const owned = new OwnedEffects(parts)
    this.#owned = owned
    this.#checkers = new HealthCheckerWrites({ ...parts, owned })
    this.#gates = new GateWrites({ ...parts, owned })
  }

  /** Rejects with WorldError, and with the signal's reason. */
  perform(action: ObjectAction, look: IngressLook, signal: AbortSignal): Promise<void> {
    if (isOfHealthChecker(action)) return this.#checkers.perform(action, look.snapshot.object, signal)
    if (isOfHousehold(action)) return this.#household(action, look, signal)
    return 'node' in action ? this.#toNode(action, look, signal) : this.#toObject(action, look, signal)
  }

  async #toObject(
    action: Exclude<IngressAction, NodeAction>,
    { snapshot: { object } }: IngressLook,
    signal: AbortSignal,
  ): Promise<void> {
    const at = placeOf(object)
    const { resourceVersion } = object
    if (action.kind === 'removeFinalizer') {
      const finalizers = object.finalizers.filter((finalizer) => finalizer !== INGRESS_FINALIZER)
      await this.#parts.objects.patch({ ...at, patch: { metadata: { resourceVersion, finalizers } } }, signal)
      return
    }
    const status = { rejectedRevision: action.revision, rejectedAt: action.at, rejectionLifted: null }
    await this.#parts.objects.patchStatus({ ...at, patch: { metadata: { resourceVersion }, status } }, signal)
  }

  async #household(action: HouseholdAction, look: IngressLook, signal: AbortSignal): Promise<void> {
    const { objects } = this.#parts
    const { object } = look.snapshot
    const { namespace, resourceVersion } = object
    switch (action.kind) {
      case 'addFinalizer': {
        const finalizers = [...object.finalizers, INGRESS_FINALIZER]
        await objects.patch({ ...placeOf(object), patch: { metadata: { resourceVersion, finalizers } } }, signal)
        return
      }
      case 'createRevision':
        await unlessThere(
          objects.create({ kind: REVISIONS, namespace, object: wantedRevision(object, action) }, signal),
        )
        return
      case 'renumberRevision': {
        const { revision, number } = action
        const patch = revisionPatch(revision, wantedRevision(object, { number, collisionCount: 0 }))
        if (patch !== undefined) await objects.patch({ kind: REVISIONS, namespace, name: revision.name, patch }, signal)
        return
      }
      case 'rollBack':
        await objects.patch({ ...placeOf(object), patch: rollbackPatch(object, action) }, signal)
        return
      case 'deleteRevision':
        return this.#owned.delete(REVISIONS, action.revision, signal)
      case 'deleteGate':
        return this.#owned.delete(GATES, action.gate, signal)
      case 'deleteSurplus':
        return this.#owned.delete(DEPLOYMENTS, action.deployment, signal)
      case 'adopt':
        return this.#adopt(object, action.deployment, signal)
      case 'align':
        return this.#owned.patch(DEPLOYMENTS, { found: action.deployment, patch: action.patch }, signal)
    }
  }

  /** Both are read once more: a successor of the same name owns nothing, and what others took meanwhile is theirs. */
  async #adopt(object: IngressDaemonSet, { name, uid }: FoundDeployment, signal: AbortSignal): Promise<void> {
    const { objects } = this.#parts
    const { namespace } = object
    const [owner, found] = await Promise.all([
      objects.get(placeOf(object), signal),
      objects.get({ kind: DEPLOYMENTS, namespace, name }, signal),
    ])
    if (owner?.uid !== object.uid || owner.deleting || found?.uid !== uid || found.controller !== undefined) return
    const { ownerReferences } = wantedRevision(object, { number: 0, collisionCount: 0 }).metadata
    const patch = {
      metadata: { resourceVersion: found.resourceVersion, ownerReferences: [...found.owners, ...ownerReferences] },
    }
    await objects.patch({ kind: DEPLOYMENTS, namespace, name, patch }, signal)
  }

  async #toNode(action: NodeAction, look: IngressLook, signal: AbortSignal): Promise<void> {
    const { nodeWrites } = this.#parts
    switch (action.kind) {
      case 'takeSlot':
      case 'releaseSlot':
      case 'claim':
      case 'withdrawClaim': {
        const on = { owner: ingressOwner(look.snapshot.object), node: nodeOf(look, action.node) }
        return nodeWrites.perform(action, on, signal)
      }
      case 'markNode':
        return nodeWrites.patch(nodeOf(look, action.node), (node) => holdPatch(node, action), signal)
      case 'unmarkNode':
        return nodeWrites.patch(nodeOf(look, action.node), (node) => releasePatch(node, action), signal)
      case 'createDeployment':
        return this.#create(action, look, signal)
      case 'deleteDeployment':
        return this.#remove(action, look, signal)
      case 'setGate':
        return this.#gates.set(action, look, signal)
      default:
        return this.#change(action, look, signal)
    }
  }

  async #create(
    action: Extract<NodeAction, { kind: 'createDeployment' }>,
    look: IngressLook,
    signal: AbortSignal,
  ): Promise<void> {
    const node = nodeOf(look, action.node)
    if (node === undefined) return
    const { object } = look.snapshot
    const { namespace } = object
    const identity = identityFor(object, node)
    const wanted = newDeployment(look, action, { identity, node })
    const found = await this.#owned.create({ kind: DEPLOYMENTS, namespace }, wanted, signal)
    if (found !== undefined) this.#parts.unshown.deployments.note(found)
  }

  /** A Node that is gone is asked for by its name first: the cache of the Nodes may be behind that of the Deployments. */
  async #remove({ node: name }: NodeAction, look: IngressLook, signal: AbortSignal): Promise<void> {
    const found = look.deployments.ours.get(name)
    if (found === undefined) return
    if (nodeOf(look, name) === undefined && (await this.#parts.cluster.readNode(name, signal)) !== undefined)
      throw new WorldError(`${name} is there, and the watch has not shown it yet`, {
        code: 'NODES_BEHIND',
        retry: 'backoff',
      })
    await this.#owned.delete(DEPLOYMENTS, found, signal)
  }

  async #change(action: NodeAction, look: IngressLook, signal: AbortSignal): Promise<void> {
    const found = look.deployments.ours.get(action.node)
    if (found === undefined) return
    const patch = changeOf(action, look, { found, identity: identityOf(found, action.node) })
    await this.#owned.patch(DEPLOYMENTS, { found, patch }, signal)
  }
}

function changeOf(
  action: NodeAction,
  look: IngressLook,
  on: { readonly found: FoundDeployment; readonly identity: NodeIdentity },
): Readonly<Record<string, unknown>> | undefined {
  if (action.kind === 'applyTemplate') return templatePatch(look, action, on)
  const annotations = annotationsOf(action, look.snapshot.object.spec, on.found)
  const spec = action.kind === 'scale' ? { spec: { replicas: action.replicas } } : {}
  return withAnnotations(spec, { found: on.found, annotations })
}

const HOUSEHOLD: ReadonlySet<string> = new Set<HouseholdAction['kind']>([
  'addFinalizer',
  'createRevision',
  'renumberRevision',
  'rollBack',
  'deleteRevision',
  'adopt',
  'deleteSurplus',
  'deleteGate',
  'align',
])

const isOfHousehold = (action: ObjectAction): action is HouseholdAction => HOUSEHOLD.has(action.kind)

const placeOf = ({ group, namespace, name }: IngressDaemonSet) => ({ kind: ingressKind(group), namespace, name })

const nodeOf = ({ snapshot }: IngressLook, name: string): Node | undefined =>
  snapshot.nodes.find((n) => n.name === name)?.node
