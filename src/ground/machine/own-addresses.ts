import { networkInterfaces } from 'node:os'
import { canonicalAddress } from '../model/ip-address.ts'

/** Those of this machine's interfaces, each written in the one way that can be compared. */
export const ownAddresses = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => canonicalAddress(address))))
