import type { FollowCache } from '../../ground/loop/follow-cache.ts'
import type { Latest } from '../../ground/loop/owned/latest.ts'
import type { JsonPatch } from '../../ground/model/json-patch.ts'
import type { Node } from '../../ground/model/node.ts'
import { isSameNode } from '../../ground/model/same-node.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { NodeEffect } from '../model/node-effect.ts'
import type { ControllerBudget } from './controller-budget.ts'
import { claimPatch, withdrawPatch } from './node-marks.ts'

interface WritesParts {
  readonly cluster: Pick<Cluster, 'patchNode'>
  readonly latest: Latest
  readonly budget: Pick<ControllerBudget, 'take' | 'release'>
  /** As the watch told them last. */
  readonly nodes: Pick<FollowCache<Node>, 'versionOf'>
}

/**
 * Slots and marks of Nodes. A patch (`node-marks.ts`) tests the UID of the Node that was read: a Node that was registered anew under its
 * name is another one.
 */
export class NodeWrites {
  readonly #parts: WritesParts

  constructor(parts: WritesParts) {
    this.#parts = parts
  }

  /** Performs one effect for that owner. Rejects with WorldError, and with the signal's reason. */
  perform(
    effect: NodeEffect,
    { owner, node }: { readonly owner: string; readonly node: Node | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const { budget } = this.#parts
    switch (effect.kind) {
      case 'takeSlot':
        return budget.take(owner, effect, signal)
      case 'releaseSlot':
        return budget.release(owner, effect, signal)
      case 'claim':
        return this.patch(node, (found) => claimPatch(found, effect.claim), signal)
      case 'withdrawClaim':
        return this.patch(node, (found) => withdrawPatch(found, effect.owner), signal)
    }
  }

  /** `node`: as it was decided by; nothing is written where there was none. Rejects with WorldError, and with the signal's reason. */
  async patch(node: Node | undefined, patchOf: (node: Node) => JsonPatch, signal: AbortSignal): Promise<void> {
    if (node === undefined) return
    const { cluster, latest, nodes } = this.#parts
    const resourceVersion = nodes.versionOf(node) ?? node.resourceVersion
    const answer = await cluster.patchNode(node.name, patchOf({ ...node, resourceVersion }), signal)
    // Where nothing changed the cache keeps what was read, so that the answer would stand for ever.
    if (!isSameNode(node, answer)) latest.wrote(node, answer)
  }
}
