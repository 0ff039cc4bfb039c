import type { Latest } from '../../ground/loop/owned/latest.ts'
import { OwnedEffects } from '../../ground/loop/owned/owned-effects.ts'
import { DEPLOYMENTS, GATES } from '../../ground/loop/owned/owned-kinds.ts'
import type { Unshown } from '../../ground/loop/owned/unshown.ts'
import { GRANT_ANNOTATION, GUARD_LABEL } from '../../ground/model/guard-keys.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { deploymentPatch, gatePatch } from '../../ground/model/owned/difference.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { NodeWrites } from '../../service/run/node-writes.ts'
import type { GuardAction, GuardObjectAction } from '../decide/action.ts'
import type { GuardPod } from '../decide/found.ts'
import { formatGrant } from '../decide/grant.ts'
import { NODE_GUARDS } from '../decide/guard-kind.ts'
import { guardOwner } from '../decide/pass.ts'
import type { GuardSnapshot } from '../decide/snapshot.ts'
import { wantedDeployment, wantedGate } from '../decide/wanted-guard.ts'
import type { NodeGuard } from '../model/node-guard.ts'
import type { GuardMemory } from './guard-memory.ts'
import { GUARD_PODS } from './guard-pods.ts'

interface EffectsParts {
  readonly objects: Objects
  readonly clock: Clock
  readonly latest: Latest
  readonly nodeWrites: NodeWrites
  readonly unshown: Pick<GuardMemory, 'deployments' | 'gates'>
}

/** Performs one action. The write names the version of the object that the action was decided by. */
export class GuardEffects {
  readonly #parts: EffectsParts
  readonly #owned: OwnedEffects

  constructor(parts: EffectsParts) {
    this.#parts = parts
    this.#owned = new OwnedEffects(parts)
  }

  /** Rejects with WorldError, and with the signal's reason. */
  perform(action: GuardAction, snapshot: GuardSnapshot, signal: AbortSignal): Promise<void> {
    if (action.kind === 'unlockStray') return this.#unlockStray(action.pod, signal)
    if ('view' in action) return this.#toObject(action, signal)
    const { nodes, group } = snapshot
    const on = { owner: guardOwner(group), node: nodes.get(action.node) }
    return this.#parts.nodeWrites.perform(action, on, signal)
  }

  async #toObject(action: GuardObjectAction, signal: AbortSignal): Promise<void> {
    const { guard } = action.view
    const { unshown } = this.#parts
    switch (action.kind) {
      case 'createGate':
        return this.#create(
          { kind: GATES, unshown: unshown.gates, guard },
          wantedGate(guard, action.wanted, false),
          signal,
        )
      case 'createDeployment': {
        const wanted = wantedDeployment(guard, action.wanted, { replicas: action.replicas, isPaused: false })
        return this.#create({ kind: DEPLOYMENTS, unshown: unshown.deployments, guard }, wanted, signal)
      }
      case 'closeGate':
      case 'openGate':
        return this.#setGate(action, signal)
      case 'alignDeployment': {
        const { deployment, wanted, pods, ...size } = action
        const patch = deploymentPatch(deployment, wantedDeployment(guard, wanted, size), pods)
        return this.#owned.patch(DEPLOYMENTS, { found: deployment, patch }, signal)
      }
      case 'deleteDeployment':
        return this.#owned.delete(DEPLOYMENTS, action.deployment, signal)
      case 'deleteGate':
        return this.#owned.delete(GATES, action.gate, signal)
      case 'deletePod':
      case 'letGo':
        return this.#owned.delete(GUARD_PODS, action.pod, signal)
      case 'unlockPod':
        return this.#unlock(action.pod, signal)
    }
  }

  async #unlock({ namespace, name, resourceVersion, finalizers }: GuardPod, signal: AbortSignal): Promise<void> {
    const patch = { metadata: { resourceVersion, finalizers } }
    await this.#parts.objects.patch({ kind: GUARD_PODS, namespace, name, patch }, signal)
  }

  /** Reads the NodeGuard of the pod before, since the watch may be late. */
  async #unlockStray(pod: GuardPod, signal: AbortSignal): Promise<void> {
    const { namespace, guardUid, labels } = pod
    const at = { kind: NODE_GUARDS, namespace, name: labels[GUARD_LABEL] ?? '' }
    const guard = await this.#parts.objects.get(at, signal)
    if (guard === undefined || guard.uid !== guardUid || guard.deleting) await this.#unlock(pod, signal)
  }

  /** The write that opens a budget also names the node that it is open for. */
  async #setGate(
    action: Extract<GuardObjectAction, { kind: 'openGate' | 'closeGate' }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { view, wanted, gate, node } = action
    const isOpen = action.kind === 'openGate'
    const grant = isOpen ? formatGrant({ node, at: this.#parts.clock.wallMs() }) : null
    const found = gate.object
    const patch = gatePatch(found, wantedGate(view.guard, wanted, isOpen)) ?? {}
    const metadata = 'metadata' in patch ? (patch.metadata as Readonly<Record<string, unknown>>) : {}
    const annotations = { ...(metadata.annotations as object | undefined), [GRANT_ANNOTATION]: grant }
    const whole = { ...patch, metadata: { ...metadata, resourceVersion: found.resourceVersion, annotations } }
    await this.#owned.patch(GATES, { found, patch: whole }, signal)
  }

  async #create<T extends OwnedObject>(
    { kind, unshown, guard }: { readonly kind: ObjectKind<T>; readonly unshown: Unshown<T>; readonly guard: NodeGuard },
    wanted: WantedObject,
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace, uid } = guard
    const { name } = wanted.metadata
    const found = await this.#owned.create({ kind, namespace }, wanted, signal)
    if (found === undefined) return
    if (found.controller?.uid !== uid)
      throw new WorldError(`${kind.kind} ${name} is there and does not belong to this guard: remove or rename it`, {
        code: 'NAME_TAKEN',
        retry: 'backoff',
      })
    unshown.note(found)
  }
}
