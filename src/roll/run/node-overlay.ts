import type { Node } from '../../ground/model/node.ts'
import { sameList } from '../../ground/model/same-list.ts'

/**
 * Our own writes, until the watch has shown them: the pass after a write must not decide on the old node. Each node has its own last
 * write: lanes write to several nodes, and a write to one of them says nothing of another. Resource versions are comparable numbers
 * (KEP-5504).
 */
export class NodeOverlay {
  /** By uid: a node that was registered anew is another object. */
  readonly #written = new Map<string, Node>()
  /** What `over` came to for a list, until something is written. Each pass asks, and few of them find another list. */
  #over: { readonly nodes: readonly Node[]; readonly newest: readonly Node[] } | undefined

  wrote(node: Node): void {
    this.#written.set(node.uid, node)
    this.#over = undefined
  }

  newest(watched: Node): Node
  newest(watched: Node | undefined): Node | undefined
  newest(watched: Node | undefined): Node | undefined {
    const written = watched && this.#written.get(watched.uid)
    if (written === undefined || watched === undefined) return watched
    return isOlder(watched.resourceVersion, written.resourceVersion) ? written : watched
  }

  /** The list itself unless a node that was written is newer: indexes are kept by it. */
  over(nodes: readonly Node[]): readonly Node[] {
    if (this.#over?.nodes === nodes) return this.#over.newest
    const newest = sameList(
      nodes,
      nodes.map((node) => this.newest(node)),
    )
    this.#over = { nodes, newest }
    return newest
  }
}

/** Each node that was written is compared with each new list, so no number is made of a version: of two the shorter one is less. */
function isOlder(left: string, right: string): boolean {
  if (left === right || !NUMBER.test(left) || !NUMBER.test(right)) return false
  return left.length === right.length ? left < right : left.length < right.length
}

const NUMBER = /^[1-9]\d*$/
