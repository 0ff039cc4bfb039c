import {
  type Claim,
  claimsOf,
  formatClaims,
  formatWithClaim,
  MAINTENANCE_ANNOTATION,
  parseClaims,
  withoutClaim,
} from '../../ground/model/claims.ts'
import { type JsonPatch, pointerToken } from '../../ground/model/json-patch.ts'
import type { Node } from '../../ground/model/node.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import {
  type AskedDetacher,
  formatHolders,
  HOLDERS_ANNOTATION,
  parseHolders,
  withHolder,
  withoutHolder,
} from '../decide/detach-holders.ts'

/** By key; undefined: the annotation goes. */
type Annotations = Readonly<Record<string, string | undefined>>

/**
 * Of the very Node that was read. What is replaced is word for word as it was read; where a key is new, nothing at all was
 * written to the Node since.
 */
function annotationPatch({ uid, resourceVersion, annotations }: Node, changes: Annotations): JsonPatch {
  const changed = Object.entries(changes).filter(([key, value]) => annotations[key] !== value)
  const isNew = changed.some(([key]) => annotations[key] === undefined)
  const tests = changed.flatMap(
    ([key]): JsonPatch =>
      annotations[key] === undefined ? [] : [{ op: 'test', path: pathOf(key), value: annotations[key] }],
  )
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    ...(isNew ? [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion } as const] : []),
    ...tests,
    ...(Object.keys(annotations).length === 0
      ? [{ op: 'add', path: '/metadata/annotations', value: {} } as const]
      : []),
    ...changed.map(([key, value]): JsonPatch[number] =>
      value === undefined ? { op: 'remove', path: pathOf(key) } : { op: 'add', path: pathOf(key), value },
    ),
  ]
}

const pathOf = (key: string): string => `/metadata/annotations/${pointerToken(key)}`

/** Adds the claim, in the place of an earlier one of its owner. CLAIMS_FULL or CLAIM_UNREADABLE where it cannot be written. */
export function claimPatch(node: Node, claim: Claim): JsonPatch {
  return annotationPatch(node, { [MAINTENANCE_ANNOTATION]: formatWithClaim(node.name, readClaims(node), claim) })
}

/** Withdraws the claim of that owner and no other; the last one takes the annotation away. */
export function withdrawPatch(node: Node, owner: string): JsonPatch {
  const left = withoutClaim(readClaims(node), owner)
  return annotationPatch(node, { [MAINTENANCE_ANNOTATION]: left.length === 0 ? undefined : formatClaims(left) })
}

/** NODE_CHANGED where they cannot be read: what others wrote is never overwritten. */
function readClaims(node: Node): readonly Claim[] {
  const text = node.annotations[MAINTENANCE_ANNOTATION]
  const word = parseClaims(text)
  if (word.kind !== 'unreadable') return claimsOf(text)
  throw new WorldError(`${node.name} has claims that cannot be read: ${word.why}`, {
    code: 'NODE_CHANGED',
    retry: 'backoff',
  })
}

interface Held {
  readonly key: string
  readonly owner: string
}

/** `asked`: the mark itself is set as well. */
export function holdPatch(
  node: Node,
  mark: Held & { readonly value: string; readonly asked?: AskedDetacher },
): JsonPatch {
  const holders = formatHolders(withHolder(parseHolders(node.annotations[HOLDERS_ANNOTATION]), mark))
  return annotationPatch(node, {
    ...(mark.asked === undefined ? {} : { [mark.key]: mark.value }),
    [HOLDERS_ANNOTATION]: holders,
  })
}

export function releasePatch(node: Node, mark: Held & { readonly removesKey: boolean }): JsonPatch {
  const holders = formatHolders(withoutHolder(parseHolders(node.annotations[HOLDERS_ANNOTATION]), mark))
  return annotationPatch(node, { ...(mark.removesKey ? { [mark.key]: undefined } : {}), [HOLDERS_ANNOTATION]: holders })
}
