import type { OwnedEffects } from '../../ground/loop/owned/owned-effects.ts'
import { GATES } from '../../ground/loop/owned/owned-kinds.ts'
import { gatePatch } from '../../ground/model/owned/difference.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import { wantedGate } from '../decide/drain-gate.ts'
import { ingressKind } from '../decide/ingress-kind.ts'
import type { IngressLook } from '../decide/look.ts'
import { identityOf } from '../decide/names.ts'
import type { IngressMemory } from './ingress-memory.ts'

interface WritesParts {
  readonly objects: Pick<Objects, 'get'>
  readonly owned: OwnedEffects
  readonly unshown: Pick<IngressMemory, 'gates'>
}

/** One write to the PodDisruptionBudget of a node, under the version that it was decided by. */
export class GateWrites {
  readonly #parts: WritesParts

  constructor(parts: WritesParts) {
    this.#parts = parts
  }

  /** Rejects with WorldError, and with the signal's reason. */
  async set(
    { node, isOpen }: { readonly node: string; readonly isOpen: boolean },
    look: IngressLook,
    signal: AbortSignal,
  ): Promise<void> {
    const deployment = look.deployments.ours.get(node)
    if (deployment === undefined) return
    const { object } = look.snapshot
    const wanted = wantedGate(object, identityOf(deployment, node), isOpen ? 'open' : 'closed')
    const found = look.gates.get(deployment.name)
    if (found !== undefined) return this.#parts.owned.patch(GATES, { found, patch: gatePatch(found, wanted) }, signal)
    const orphan = look.otherGates.get(deployment.name)
    return orphan === undefined ? this.#create(look, wanted, signal) : this.#adopt(orphan, { look, wanted }, signal)
  }

  async #create({ snapshot: { object } }: IngressLook, wanted: WantedObject, signal: AbortSignal): Promise<void> {
    const found = await this.#parts.owned.create({ kind: GATES, namespace: object.namespace }, wanted, signal)
    if (found !== undefined) this.#parts.unshown.gates.note(found)
  }

  /**
   * The owner is read once more: a successor of the same name owns nothing. The write names the version of the gate, makes it ours and
   * lets it select the pods of its Deployment, which may be another one by now.
   */
  async #adopt(
    orphan: OwnedObject,
    { look, wanted }: { readonly look: IngressLook; readonly wanted: WantedObject },
    signal: AbortSignal,
  ): Promise<void> {
    const { group, namespace, name, uid } = look.snapshot.object
    const owner = await this.#parts.objects.get({ kind: ingressKind(group), namespace, name }, signal)
    if (owner?.uid !== uid || owner.deleting) return
    await this.#parts.owned.patch(GATES, { found: orphan, patch: gatePatch(orphan, wanted) }, signal)
  }
}
