import { type Claim, parseClaim, rollOwner } from '../../ground/model/claims.ts'
import { isJsonObject, jsonObject } from '../../ground/model/json-object.ts'

/** A claim, and the uid of the Node object that had it. A successor of the Node without the claim has not withdrawn it. */
export interface KeptClaim extends Claim {
  readonly uid: string
}

/** The claims on a node that its agent keeps on the node's disk, where they survive a reboot. */
export interface KeptClaims {
  readonly version: 2
  /** The uid of the Node object on which the claims were last seen. */
  readonly uid: string
  /** The version of that object at that time; empty if unknown. */
  readonly resourceVersion: string
  /** Empty if the disk has claims that cannot be read. */
  readonly claims: readonly KeptClaim[]
}

/** The disk has something that cannot be read, and nothing has shown that it is over. */
export const UNREADABLE_CLAIMS: KeptClaims = { version: 2, uid: '', resourceVersion: '', claims: [] }

/** Longer than the claims of two Nodes, one registered in the place of the other. */
const LENGTH_MAX = 32_768

/** Undefined if it cannot be parsed. Version 1, of an earlier agent, had the request of one run. */
export function parseKeptClaims(text: string): KeptClaims | undefined {
  const raw = text.length > LENGTH_MAX ? undefined : jsonObject(text)
  if (raw === undefined) return undefined
  const { version, uid } = raw
  if (typeof uid !== 'string') return undefined
  const claims = version === 2 ? keptIn(raw.claims) : version === 1 ? requestOf(raw, uid) : undefined
  if (claims === undefined) return undefined
  const resourceVersion = typeof raw.resourceVersion === 'string' ? raw.resourceVersion : ''
  return { version: 2, uid, resourceVersion, claims }
}

function keptIn(list: unknown): readonly KeptClaim[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined
  const claims = list.map(keptClaim).filter((claim) => claim !== undefined)
  const owners = new Set(claims.map(({ owner }) => owner))
  return claims.length === list.length && owners.size === list.length ? claims : undefined
}

function keptClaim(raw: unknown): KeptClaim | undefined {
  const claim = parseClaim(raw)
  if (typeof claim === 'string' || !isJsonObject(raw) || typeof raw.uid !== 'string') return undefined
  return { ...claim, uid: raw.uid }
}

function requestOf({ id, run }: Readonly<Record<string, unknown>>, uid: string): readonly KeptClaim[] | undefined {
  if (typeof id !== 'string' || typeof run !== 'string') return undefined
  const claim = parseClaim({ owner: rollOwner(run), id })
  return typeof claim === 'string' ? undefined : [{ ...claim, uid }]
}
