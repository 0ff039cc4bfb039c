import type { FollowCache } from '../../ground/loop/follow-cache.ts'
import type { Latest } from '../../ground/loop/owned/latest.ts'
import type { JsonPatch } from '../../ground/model/json-patch.ts'
import type { Node } from '../../ground/model/node.ts'
import { isSameNode } from '../../ground/model/same-node.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'

interface WritesParts {
  readonly cluster: Pick<Cluster, 'patchNode'>
  readonly latest: Latest
  /** As the watch told them last. */
  readonly nodes: Pick<FollowCache<Node>, 'versionOf'>
}

/**
 * Patches of Nodes by `node-marks.ts`, which test the UID of the Node that it was decided by: one that was registered anew by its name is
 * another Node.
 */
export class NodeWrites {
  readonly #parts: WritesParts

  constructor(parts: WritesParts) {
    this.#parts = parts
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
