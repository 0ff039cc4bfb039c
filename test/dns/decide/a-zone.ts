import type { AskedZone, Nonce } from '../../../src/dns/decide/ladder.ts'

export const ZONE: AskedZone = {
  zone: 'cluster.local',
  apiAddresses: ['10.96.0.1'],
  dnsService: { namespace: 'kube-system', name: 'kube-dns', addresses: ['10.96.0.10'] },
}
export const NEWEST = { namespace: 'shop', name: 'cart', addresses: ['10.96.7.7'] }
export const NONCE: Nonce = { hex: '0a0b0c0d0e0f' }
