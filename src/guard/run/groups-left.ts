import { claimsOf, MAINTENANCE_ANNOTATION } from '../../ground/model/claims.ts'
import type { Node } from '../../ground/model/node.ts'
import { type SeenSlot, slotIdentity } from '../../ground/model/slot.ts'
import { guardOwner } from '../decide/pass.ts'

interface Left {
  readonly nodes: readonly Node[]
  readonly slots: readonly SeenSlot[]
  /** The `slotIdentity` of the slots of a group, up to the name of the group. */
  readonly holder: string
}

/** Groups that have a slot or a claim. */
export function groupsLeft({ nodes, slots, holder }: Left): ReadonlySet<string> {
  const owners = nodes.flatMap(({ annotations: { [MAINTENANCE_ANNOTATION]: text } }) =>
    text === undefined ? [] : claimsOf(text),
  )
  return new Set([
    ...after(holder, slots.map(slotIdentity)),
    ...after(
      guardOwner(''),
      owners.map(({ owner }) => owner),
    ),
  ])
}

const after = (prefix: string, texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => (text.startsWith(prefix) ? [text.slice(prefix.length)] : []))
