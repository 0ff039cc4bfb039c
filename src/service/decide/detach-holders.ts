import { isJsonObject, jsonObject } from '../../ground/model/json-object.ts'
import { present } from '../../ground/model/present.ts'
import { toIso, type WallMs } from '../../ground/model/time.ts'
import { parseTimestamp } from '../model/detacher.ts'

/** On a Node, beside marks that ask a detacher of another project: the owners of each mark, by the key of the mark. */
export const HOLDERS_ANNOTATION = 'evenkeel.dev/detach-holders'

/**
 * When the mark was set and its value, and the detacher's timestamp that was on the Node at that moment: it answers an earlier request.
 * Earlier releases noted no value.
 */
export interface AskedDetacher {
  readonly at: WallMs
  readonly value?: string
  readonly before?: string
}

interface HeldMark {
  /** The owners, by the names that claims use. */
  readonly owners: readonly string[]
  readonly asked?: AskedDetacher
}

/** By the key of the mark. A mark without a holder was set by others, and is never removed. */
type DetachHolders = ReadonlyMap<string, HeldMark>

const LENGTH_MAX = 8_192

/** Text that cannot be read names no holder: then a mark on the Node counts as one of others. */
export function parseHolders(text: string | undefined): DetachHolders {
  const raw = text === undefined || text.length > LENGTH_MAX ? undefined : jsonObject(text)
  if (raw?.version !== 1 || !isJsonObject(raw.holders)) return new Map()
  const asked = isJsonObject(raw.asked) ? raw.asked : {}
  return new Map(
    Object.entries(raw.holders).flatMap(([key, owners]) =>
      isListOfTexts(owners) && owners.length > 0 ? [[key, { owners, ...parseAsked(asked[key]) }] as const] : [],
    ),
  )
}

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

function parseAsked(raw: unknown): Pick<HeldMark, 'asked'> {
  const { at, value, before } = isJsonObject(raw) ? raw : {}
  const time = parseTimestamp(typeof at === 'string' ? at : undefined)
  if (time.kind !== 'at') return {}
  const texts = {
    value: typeof value === 'string' ? value : undefined,
    before: typeof before === 'string' ? before : undefined,
  }
  return { asked: { at: time.at, ...present(texts) } }
}

/** Undefined: no mark has a holder, and the annotation is removed. */
export function formatHolders(holders: DetachHolders): string | undefined {
  const held = [...holders].filter(([, { owners }]) => owners.length > 0).toSorted(byKey)
  if (held.length === 0) return undefined
  const asked = held.flatMap(([key, { asked: one }]) =>
    one === undefined ? [] : [[key, { ...one, at: toIso(one.at) }] as const],
  )
  return JSON.stringify({
    version: 1,
    holders: Object.fromEntries(held.map(([key, { owners }]) => [key, owners.toSorted()])),
    ...(asked.length === 0 ? {} : { asked: Object.fromEntries(asked) }),
  })
}

const byKey = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number => (one < other ? -1 : 1)

interface Hold {
  readonly key: string
  readonly owner: string
}

/** `asked`: the mark itself is set too; without it, the mark stays as it is. */
export function withHolder(
  holders: DetachHolders,
  { key, owner, asked }: Hold & { readonly asked?: AskedDetacher },
): DetachHolders {
  const before = holders.get(key)
  const since = asked ?? before?.asked
  const owners = [...othersThan(owner, before), owner]
  return new Map([...holders, [key, { owners, ...present({ asked: since }) }]])
}

export function withoutHolder(holders: DetachHolders, { key, owner }: Hold): DetachHolders {
  const before = holders.get(key)
  return new Map([...holders, [key, { ...before, owners: othersThan(owner, before) }]])
}

const othersThan = (owner: string, held: HeldMark | undefined): readonly string[] =>
  held?.owners.filter((one) => one !== owner) ?? []
