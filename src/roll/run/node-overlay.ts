import type { Node } from '../../ground/model/node.ts'

/**
 * Our own writes, until the watch has shown them: the pass after a write must not decide on the old node. Resource versions are
 * comparable numbers (KEP-5504).
 */
export class NodeOverlay {
  #written: Node | undefined

  wrote(node: Node): void {
    this.#written = node
  }

  newest(watched: Node | undefined): Node | undefined {
    const written = this.#written
    if (written === undefined || watched === undefined || written.uid !== watched.uid) return watched
    return isOlder(watched.resourceVersion, written.resourceVersion) ? written : watched
  }

  /** The list itself unless the node that was written is newer: indexes are kept by it. */
  over(nodes: readonly Node[]): readonly Node[] {
    const at = nodes.findIndex(({ name }) => name === this.#written?.name)
    const watched = nodes[at]
    const newest = this.newest(watched)
    return newest === undefined || newest === watched ? nodes : nodes.with(at, newest)
  }
}

function isOlder(left: string, right: string): boolean {
  if (left === right) return false
  const numeric = /^\d+$/
  return numeric.test(left) && numeric.test(right) && BigInt(left) < BigInt(right)
}
