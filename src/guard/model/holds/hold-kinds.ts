import type { Schema } from '../../../ground/model/schema/open-api.ts'
import type { Untrusted } from '../../../ground/model/untrusted.ts'
import { annotation } from './annotation.ts'
import type { HoldKind } from './hold-kind.ts'
import { http } from './http.ts'
import { objectHold } from './object.ts'
import { pods } from './pods.ts'
import { volumes } from './volumes.ts'

/** All kinds of holds, by the field of a NodeGuard. What reads them is in `run/read-hold.ts`. */
const KINDS = { volumes, pods, http, object: objectHold, annotation }

export type HoldKindName = keyof typeof KINDS
type Written<Kind extends HoldKindName> = ReturnType<(typeof KINDS)[Kind]['parse']>

/** Why a node may not be drained yet, and where that is read. All holds of a node have to be clear before it is granted. */
export type Hold<Kind extends HoldKindName = HoldKindName> = {
  [Each in Kind]: { readonly name: string; readonly kind: Each } & Written<Each>
}[Kind]

export const HOLD_KINDS = Object.keys(KINDS) as readonly HoldKindName[]

export const holdSchemas = (): Readonly<Record<HoldKindName, Schema>> =>
  Object.fromEntries(HOLD_KINDS.map((kind) => [kind, KINDS[kind].schema])) as Readonly<Record<HoldKindName, Schema>>

/** Throws MalformedReply, also where it is of none of these kinds. */
export function parseHold(hold: Untrusted): Hold {
  const kind = HOLD_KINDS.find((each) => !hold.at(each).absent) ?? 'annotation'
  return { name: hold.at('name').text(), kind, ...KINDS[kind].parse(hold.at(kind)) } as Hold
}

const BY_NAME: { readonly [Kind in HoldKindName]: HoldKind<Written<Kind>> } = KINDS

/** When a hold is clear for a node, as a sentence without a full stop. */
export const clearText = <Kind extends HoldKindName>(hold: Hold<Kind>, node: string): string =>
  BY_NAME[hold.kind].clearText(hold, node)
