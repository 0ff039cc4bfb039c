import type { Latest } from '../../ground/loop/owned/latest.ts'
import { GATES } from '../../ground/loop/owned/owned-kinds.ts'
import { unlessThere } from '../../ground/loop/owned/unless-there.ts'
import { gatePatch } from '../../ground/model/owned/difference.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import { wantedGate } from '../decide/drain-gate.ts'
import { ingressKind } from '../decide/ingress-kind.ts'
import type { IngressLook } from '../decide/look.ts'
import { identityOf } from '../decide/names.ts'

interface WritesParts {
  readonly objects: Objects
  readonly latest: Latest
  /** A gate that the cache does not show: it was just made, or it is of others and has our name. */
  metGate(gate: OwnedObject): void
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
    if (found !== undefined) return this.#patch(found, wanted, signal)
    const orphan = look.otherGates.get(deployment.name)
    return orphan === undefined ? this.#create(look, wanted, signal) : this.#adopt(orphan, { look, wanted }, signal)
  }

  async #create({ snapshot: { object } }: IngressLook, wanted: WantedObject, signal: AbortSignal): Promise<void> {
    const { objects } = this.#parts
    const { namespace } = object
    const made = await unlessThere(objects.create({ kind: GATES, namespace, object: wanted }, signal))
    const found = made ?? (await objects.get({ kind: GATES, namespace, name: wanted.metadata.name }, signal))
    if (found !== undefined) this.#parts.metGate(found)
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
    if (owner?.uid === uid && !owner.deleting) await this.#patch(orphan, wanted, signal)
  }

  async #patch(found: OwnedObject, wanted: WantedObject, signal: AbortSignal): Promise<void> {
    const patch = gatePatch(found, wanted)
    if (patch === undefined) return
    const { objects, latest } = this.#parts
    const { namespace, name } = found
    latest.wrote(found, await objects.patch({ kind: GATES, namespace, name, patch }, signal))
  }
}
