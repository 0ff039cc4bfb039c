import type { CordonGrants } from '../../service/model/cordon-grants.ts'

/**
 * Whether the brake of a fleet lets a cordon of this node count: there is no brake, it names the node, it does not, or
 * the agent cannot tell.
 */
export type Brake = 'none' | 'granted' | 'withheld' | 'unknown'

/** Of a brake that there is; `grants` is undefined where it makes no sense. */
export function brakeBy(grants: CordonGrants | undefined, node: string): Brake {
  if (grants === undefined) return 'unknown'
  return grants.granted.includes(node) ? 'granted' : 'withheld'
}
