/** One thing that was measured, in its own unit, with what it is to be read against. */
export interface Figure {
  readonly part: 'probe' | 'help' | 'roll' | 'virtual' | 'controller' | 'dns' | 'agent' | 'ingress' | 'guard' | 'poll'
  readonly name: string
  readonly value: number
  /** Empty for a count. */
  readonly unit: 'ms' | 's' | 'MB' | '%' | ''
  /** The same measure of something that does less, from the same run. */
  readonly beside?: { readonly name: string; readonly value: number }
  /** Not above this. */
  readonly goal?: number
}

/** Absent where there is nothing to divide by. */
export function ratioOf({ value, beside }: Figure): number | undefined {
  return beside === undefined || beside.value === 0 ? undefined : Math.round((100 * value) / beside.value) / 100
}

export const isMissed = ({ value, goal }: Figure): boolean => goal !== undefined && value > goal
