import { jsonObject } from '../../ground/model/json-object.ts'

/** The ConfigMap by which the controller informs the agents, in the namespace of both, and the key in its data. */
export const GRANTS_CONFIG_MAP = 'evenkeel-cordon-grants'
export const GRANTS_KEY = 'grants'

/** Which nodes may leave their load balancers for a cordon: the brake for the case that a whole fleet is cordoned at once. */
export interface CordonGrants {
  readonly version: 1
  /** Names of nodes, sorted. */
  readonly granted: readonly string[]
  /** How many nodes may be out by cordon at once, and of how many. */
  readonly max: number
  readonly of: number
}

export const formatGrants = (grants: CordonGrants): string => JSON.stringify(grants)

/** Undefined where the text is invalid: then the grants are not known, and a cordon alone takes no node out. */
export function parseGrants(text: string): CordonGrants | undefined {
  const raw = jsonObject(text)
  if (raw?.version !== 1) return undefined
  const { granted, max, of } = raw
  if (!Array.isArray(granted) || !granted.every((name) => typeof name === 'string')) return undefined
  return isCount(max) && isCount(of) ? { version: 1, granted, max, of } : undefined
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
