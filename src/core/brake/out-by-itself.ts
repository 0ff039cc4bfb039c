import type { FleetNode } from '../../model/fleet-node.ts'

/** Out for something that needs no grant. */
export const isOutByItself = ({ deleting, leaves, ready }: FleetNode): boolean => deleting || leaves || !ready
