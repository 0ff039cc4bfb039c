import { jsonObject } from '../../ground/model/json-object.ts'

/** The addresses that still have to receive the end of a drain by agent-check, in the form that survives a reboot on the disk. */
export const formatOwed = (addresses: readonly string[]): string =>
  JSON.stringify({ version: 1, addresses: addresses.toSorted() })

const ADDRESS_LENGTH_MAX = 64

/** Undefined if it cannot be parsed. */
export function parseOwed(text: string): readonly string[] | undefined {
  const raw = jsonObject(text)
  const addresses: unknown = raw?.version === 1 ? raw.addresses : undefined
  return Array.isArray(addresses) && addresses.every(isAddress) ? addresses : undefined
}

const isAddress = (value: unknown): value is string => typeof value === 'string' && value.length <= ADDRESS_LENGTH_MAX
