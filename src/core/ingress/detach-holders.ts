import { isJsonObject, jsonObject } from '../../model/json-object.ts'

/** On a Node, beside marks that ask a detacher of another project: who of us asks, by the key of the mark. */
export const HOLDERS_ANNOTATION = 'evenkeel.dev/detach-holders'

/** Owners by key, as claims name them. A mark without a holder was set by others, and is never taken away. */
type DetachHolders = ReadonlyMap<string, readonly string[]>

const LENGTH_MAX = 8_192

/** What cannot be read names no holder: then a mark that stands counts as one of others. */
export function parseHolders(text: string | undefined): DetachHolders {
  const raw = text === undefined || text.length > LENGTH_MAX ? undefined : jsonObject(text)
  if (raw?.version !== 1 || !isJsonObject(raw.holders)) return new Map()
  return new Map(
    Object.entries(raw.holders).flatMap(([key, owners]) =>
      isListOfTexts(owners) && owners.length > 0 ? [[key, owners] as const] : [],
    ),
  )
}

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** Undefined: no mark has a holder, and the annotation goes. */
export function formatHolders(holders: DetachHolders): string | undefined {
  const held = [...holders].filter(([, owners]) => owners.length > 0).toSorted(byKey)
  if (held.length === 0) return undefined
  return JSON.stringify({
    version: 1,
    holders: Object.fromEntries(held.map(([key, owners]) => [key, owners.toSorted()])),
  })
}

const byKey = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number => (one < other ? -1 : 1)

export const withHolder = (holders: DetachHolders, key: string, owner: string): DetachHolders =>
  new Map([...holders, [key, [...othersThan(owner, holders.get(key)), owner]]])

export const withoutHolder = (holders: DetachHolders, key: string, owner: string): DetachHolders =>
  new Map([...holders, [key, othersThan(owner, holders.get(key))]])

const othersThan = (owner: string, owners: readonly string[] = []): readonly string[] =>
  owners.filter((one) => one !== owner)
