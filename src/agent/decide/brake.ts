import type { CordonGrants } from '../../service/model/cordon-grants.ts'

/**
 * Whether the brake of a fleet lets a cordon of this node count: there is no brake, the brake names the node, the brake does not
 * name it, or the agent does not know.
 */
export type Brake = 'none' | 'granted' | 'withheld' | 'unknown'

/** For a brake that exists; `grants` is undefined if it cannot be parsed. */
export function brakeBy(grants: CordonGrants | undefined, node: string): Brake {
  if (grants === undefined) return 'unknown'
  return grants.granted.includes(node) ? 'granted' : 'withheld'
}
