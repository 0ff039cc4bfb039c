import { jsonObject } from '../../ground/model/json-object.ts'

/** The addresses that are owed the end of a drain by agent-check, as they are on the disk over a reboot. */
export const formatOwed = (addresses: readonly string[]): string =>
  JSON.stringify({ version: 1, addresses: addresses.toSorted() })

const ADDRESS_LENGTH_MAX = 64

/** Undefined where it makes no sense. */
export function parseOwed(text: string): readonly string[] | undefined {
  const raw = jsonObject(text)
  const addresses: unknown = raw?.version === 1 ? raw.addresses : undefined
  return Array.isArray(addresses) && addresses.every(isAddress) ? addresses : undefined
}

const isAddress = (value: unknown): value is string => typeof value === 'string' && value.length <= ADDRESS_LENGTH_MAX
