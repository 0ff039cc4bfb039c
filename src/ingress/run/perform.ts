import type { Latest } from '../../ground/loop/owned/latest.ts'
import { OwnedEffects } from '../../ground/loop/owned/owned-effects.ts'
import { DAEMON_SETS, DEPLOYMENTS, GATES } from '../../ground/loop/owned/owned-kinds.ts'
import { unlessThere } from '../../ground/loop/owned/unless-there.ts'
import { INGRESS_FINALIZER } from '../../ground/model/ingress-keys.ts'
import type { Node } from '../../ground/model/node.ts'
import { gatePatch, revisionPatch } from '../../ground/model/owned/difference.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { NodeIdentity } from '../../ground/model/owned/node-names.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import { holdPatch, releasePatch } from '../../service/run/node-marks.ts'
import type { NodeWrites } from '../../service/run/node-writes.ts'
import type { NodeAction } from '../decide/action.ts'
import { wantedGate } from '../decide/drain-gate.ts'
import type { HealthCheckerAction } from '../decide/health-checker.ts'
import type { ObjectAction } from '../decide/housekeeping.ts'
import { ingressKind } from '../decide/ingress-kind.ts'
import { ingressOwner } from '../decide/marks.ts'
import { identityFor, identityOf } from '../decide/names.ts'
import type { IngressReading } from '../decide/reading.ts'
import { wantedRevision } from '../decide/revision.ts'
import { rollbackPatch } from '../decide/rollback.ts'
import { wantedMetadata } from '../decide/wanted-metadata.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { annotationsOf, newDeployment, templatePatch, withAnnotations } from './deployment-writes.ts'
import { REVISIONS } from './ingress-kinds.ts'
import type { IngressMemory } from './ingress-memory.ts'

interface PerformParts {
  readonly objects: Objects
  readonly cluster: Pick<Cluster, 'readNode'>
  readonly latest: Latest
  readonly nodeWrites: NodeWrites
  readonly unshown: Pick<IngressMemory, 'deployments' | 'daemonSets' | 'gates'>
}

/** Performs one action. The write names the version of the object that the action was decided by. */
export class IngressEffects {
  readonly #parts: PerformParts
  readonly #owned: OwnedEffects

  constructor(parts: PerformParts) {
    this.#parts = parts
    this.#owned = new OwnedEffects(parts)
  }

  /** Rejects with WorldError, and with the signal's reason. */
  perform(action: ObjectAction, reading: IngressReading, signal: AbortSignal): Promise<void> {
    if ('node' in action) return this.#toNode(action, reading, signal)
    const { object } = reading.snapshot
    return 'daemonSet' in action || action.kind === 'createHealthChecker'
      ? this.#toChecker(action, object, signal)
      : this.#toObject(action, object, signal)
  }

  async #toObject(
    action: Exclude<ObjectAction, NodeAction | HealthCheckerAction>,
    object: IngressDaemonSet,
    signal: AbortSignal,
  ): Promise<void> {
    const { objects } = this.#parts
    const { namespace, resourceVersion } = object
    const at = placeOf(object)
    switch (action.kind) {
      case 'addFinalizer':
      case 'removeFinalizer': {
        const others = object.finalizers.filter((finalizer) => finalizer !== INGRESS_FINALIZER)
        const finalizers = action.kind === 'addFinalizer' ? [...others, INGRESS_FINALIZER] : others
        await objects.patch({ ...at, patch: { metadata: { resourceVersion, finalizers } } }, signal)
        return
      }
      case 'rejectRevision': {
        const status = { rejectedRevision: action.revision, rejectedAt: action.at, rejectionLifted: null }
        await objects.patchStatus({ ...at, patch: { metadata: { resourceVersion }, status } }, signal)
        return
      }
      case 'createRevision': {
        const wanted = wantedRevision(object, action)
        await unlessThere(objects.create({ kind: REVISIONS, namespace, object: wanted }, signal))
        return
      }
      case 'renumberRevision': {
        const { revision, number } = action
        const patch = revisionPatch(revision, wantedRevision(object, { number, collisionCount: 0 }))
        if (patch !== undefined) await objects.patch({ kind: REVISIONS, namespace, name: revision.name, patch }, signal)
        return
      }
      case 'rollBack':
        await objects.patch({ ...at, patch: rollbackPatch(object, action) }, signal)
        return
      case 'deleteRevision':
        return this.#owned.delete(REVISIONS, action.revision, signal)
      case 'deleteGate':
        return this.#owned.delete(GATES, action.gate, signal)
      case 'deleteSurplus':
        return this.#owned.delete(DEPLOYMENTS, action.deployment, signal)
      case 'adopt':
        return this.#owned.adopt(DEPLOYMENTS, adopted(object, action.deployment), signal)
      case 'align':
        return this.#owned.patch(DEPLOYMENTS, { found: action.deployment, patch: action.patch }, signal)
    }
  }

  async #toChecker(action: HealthCheckerAction, object: IngressDaemonSet, signal: AbortSignal): Promise<void> {
    const { namespace } = object
    switch (action.kind) {
      case 'createHealthChecker': {
        const found = await this.#owned.create({ kind: DAEMON_SETS, namespace }, action.wanted, signal)
        if (found !== undefined) this.#parts.unshown.daemonSets.note(found)
        return
      }
      case 'alignHealthChecker':
        return this.#owned.patch(DAEMON_SETS, { found: action.daemonSet, patch: action.patch }, signal)
      case 'adoptHealthChecker':
        return this.#owned.adopt(DAEMON_SETS, adopted(object, action.daemonSet), signal)
      case 'deleteHealthChecker':
        return this.#owned.delete(DAEMON_SETS, action.daemonSet, signal)
    }
  }

  async #toNode(action: NodeAction, reading: IngressReading, signal: AbortSignal): Promise<void> {
    const { nodeWrites } = this.#parts
    switch (action.kind) {
      case 'takeSlot':
      case 'releaseSlot':
      case 'claim':
      case 'withdrawClaim': {
        const on = { owner: ingressOwner(reading.snapshot.object), node: nodeOf(reading, action.node) }
        return nodeWrites.perform(action, on, signal)
      }
      case 'markNode':
        return nodeWrites.patch(nodeOf(reading, action.node), (node) => holdPatch(node, action), signal)
      case 'unmarkNode':
        return nodeWrites.patch(nodeOf(reading, action.node), (node) => releasePatch(node, action), signal)
      case 'createDeployment':
        return this.#create(action, reading, signal)
      case 'deleteDeployment':
        return this.#remove(action, reading, signal)
      case 'setGate':
        return this.#setGate(action, reading, signal)
      default:
        return this.#change(action, reading, signal)
    }
  }

  async #create(
    action: Extract<NodeAction, { kind: 'createDeployment' }>,
    reading: IngressReading,
    signal: AbortSignal,
  ): Promise<void> {
    const node = nodeOf(reading, action.node)
    if (node === undefined) return
    const { object } = reading.snapshot
    const { namespace } = object
    const identity = identityFor(object, node)
    const wanted = newDeployment(reading, action, { identity, node })
    const found = await this.#owned.create({ kind: DEPLOYMENTS, namespace }, wanted, signal)
    if (found !== undefined) this.#parts.unshown.deployments.note(found)
  }

  /** Opens or closes the gate of a node. A gate without an owner is adopted, with the selector of our Deployment. */
  async #setGate(
    { node, isOpen }: Extract<NodeAction, { kind: 'setGate' }>,
    reading: IngressReading,
    signal: AbortSignal,
  ): Promise<void> {
    const deployment = reading.deployments.ours.get(node)
    if (deployment === undefined) return
    const { object } = reading.snapshot
    const wanted = wantedGate(object, identityOf(deployment, node), isOpen ? 'open' : 'closed')
    const found = reading.gates.get(deployment.name)
    if (found !== undefined) return this.#owned.patch(GATES, { found, patch: gatePatch(found, wanted) }, signal)
    const orphan = reading.otherGates.get(deployment.name)
    if (orphan !== undefined) {
      const taken = { found: orphan, patch: gatePatch(orphan, wanted), owner: { ...placeOf(object), uid: object.uid } }
      return this.#owned.adopt(GATES, taken, signal)
    }
    const made = await this.#owned.create({ kind: GATES, namespace: object.namespace }, wanted, signal)
    if (made !== undefined) this.#parts.unshown.gates.note(made)
  }

  /** Deletes the Deployment of a node. A Node that seems gone is read by name before, since its cache may be late. */
  async #remove({ node: name }: NodeAction, reading: IngressReading, signal: AbortSignal): Promise<void> {
    const found = reading.deployments.ours.get(name)
    if (found === undefined) return
    if (nodeOf(reading, name) === undefined && (await this.#parts.cluster.readNode(name, signal)) !== undefined)
      throw new WorldError(`${name} is there, and the watch has not shown it yet`, {
        code: 'NODES_BEHIND',
        retry: 'backoff',
      })
    await this.#owned.delete(DEPLOYMENTS, found, signal)
  }

  async #change(action: NodeAction, reading: IngressReading, signal: AbortSignal): Promise<void> {
    const found = reading.deployments.ours.get(action.node)
    if (found === undefined) return
    const patch = changeOf(action, reading, { found, identity: identityOf(found, action.node) })
    await this.#owned.patch(DEPLOYMENTS, { found, patch }, signal)
  }
}

function changeOf(
  action: NodeAction,
  reading: IngressReading,
  on: { readonly found: FoundDeployment; readonly identity: NodeIdentity },
): Readonly<Record<string, unknown>> | undefined {
  if (action.kind === 'applyTemplate') return templatePatch(reading, action, on)
  const annotations = annotationsOf(action, reading.snapshot, on.found)
  const spec = action.kind === 'scale' ? { spec: { replicas: action.replicas } } : {}
  return withAnnotations(spec, { found: on.found, annotations })
}

/** The patch that adds our owner reference to the existing ones. */
function adopted<T extends OwnedObject>(object: IngressDaemonSet, found: T) {
  const { ownerReferences } = wantedMetadata(object, { name: found.name })
  const { resourceVersion, owners } = found
  const patch = { metadata: { resourceVersion, ownerReferences: [...owners, ...ownerReferences] } }
  return { found, patch, owner: { ...placeOf(object), uid: object.uid } }
}

const placeOf = ({ group, namespace, name }: IngressDaemonSet) => ({ kind: ingressKind(group), namespace, name })

const nodeOf = ({ snapshot }: IngressReading, name: string): Node | undefined =>
  snapshot.nodes.find((n) => n.name === name)?.node
