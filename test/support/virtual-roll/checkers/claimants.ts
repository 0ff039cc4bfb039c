import type { NodeObject } from '../../../../src/sim/actors/node-object.ts'

export const MAINTENANCE = 'evenkeel.dev/maintenance'
/** People write it in the place of claims, to withdraw those that an agent keeps. */
export const WITHDRAWN = 'withdrawn'
/** Stands for the owner of an annotation that makes no sense. */
const NOT_KNOWN = '?'

interface Written {
  readonly version?: unknown
  readonly run?: unknown
  readonly claims?: readonly { readonly owner?: unknown }[]
}

/** The owners that keep a node out by its annotation, read apart from the code that is looked at. */
export function claimants(node: NodeObject | undefined): readonly string[] {
  const text = node?.metadata.annotations?.[MAINTENANCE]
  if (text === undefined || text === WITHDRAWN) return []
  try {
    const { version, run, claims } = JSON.parse(text) as Written
    if (version === 1) return [`roll/${run}`]
    return version === 2 && Array.isArray(claims) ? claims.map(({ owner }) => String(owner)) : [NOT_KNOWN]
  } catch {
    return [NOT_KNOWN]
  }
}
