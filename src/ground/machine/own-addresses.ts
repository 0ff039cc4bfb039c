import { networkInterfaces } from 'node:os'
import { canonicalAddress } from '../model/ip-address.ts'

/** The addresses of this machine's interfaces, each in canonical form. */
export const ownAddresses = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => canonicalAddress(address))))
