export type Family = 'IPv4' | 'IPv6'

const PREFIX = 'fd00::'

/** What has this IPv4 address in the embedded network, by that family: both carry the same numbers. */
export const addressIn = (family: Family, address: string): string =>
  family === 'IPv4' ? address : `${PREFIX}${address.replaceAll('.', ':')}`

/** The IPv4 address of what is shown so. */
export const shownAs = (address: string): string =>
  address.startsWith(PREFIX) ? address.slice(PREFIX.length).replaceAll(':', '.') : address
