import type { ProbeTarget } from '../../ground/model/probe.ts'
import type { Destination } from '../network/network.ts'

/** Where a target is asked, and for what. */
interface TargetAddress {
  readonly to: Destination
  readonly path: string
}

export function targetAddress({ url }: Pick<ProbeTarget, 'url'>): TargetAddress {
  const { hostname, port, protocol, pathname, search } = new URL(url)
  const usualPort = protocol === 'https:' ? 443 : 80
  return { to: { host: hostname, port: port === '' ? usualPort : Number(port) }, path: `${pathname}${search}` }
}
