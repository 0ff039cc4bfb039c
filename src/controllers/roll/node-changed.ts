import type { Node } from '../../model/node.ts'
import { WorldError } from '../../model/world-error.ts'

/** The node is not what it was when that was decided: the next pass decides anew. */
export const nodeChanged = (node: Node, what: string): WorldError =>
  new WorldError(`${node.name} ${what}`, { code: 'NODE_CHANGED', retry: 'now' })
