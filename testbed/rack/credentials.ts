import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiPort, apiServiceAddress, hubAddress } from '../addresses.ts'
import { type Authority, authorityFrom, type KeyedCertificate, newAuthority } from '../pki/authority.ts'
import { kubeconfig } from '../pki/kubeconfig.ts'

export const insideServer = `https://${hubAddress}:${apiPort}`

const SERVICE_NAMES = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
]

/** Names and addresses in the certificate of every API server, on the hub or on a node. */
export const apiNames: readonly string[] = [...SERVICE_NAMES, 'localhost', '127.0.0.1', hubAddress, apiServiceAddress]

/** Writes the authority and everything the control plane signs in with; gives the authority and the administrator. */
export function writeCredentials(disk: string): { readonly authority: Authority; readonly admin: KeyedCertificate } {
  const folder = credentialsFolder(disk)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const authority = newAuthority()
  const admin = authority.issue({ commonName: 'admin', organizations: ['system:masters'] })
  writePair(folder, 'ca', authority)
  writePair(folder, 'admin', admin)
  writePair(folder, 'apiserver', authority.issue({ commonName: 'kube-apiserver' }, { names: apiNames }))
  writePair(
    folder,
    'kubelet-client',
    authority.issue({ commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'] }),
  )
  for (const part of ['kube-controller-manager', 'kube-scheduler']) {
    const user = authority.issue({ commonName: `system:${part}` })
    writeFileSync(join(folder, `${part}.kubeconfig`), insideKubeconfig(authority, user))
  }
  writeFileSync(insideKubeconfigPath(disk), insideKubeconfig(authority, admin))
  writeTokenKeys(folder)
  return { authority, admin }
}

export function credentialsFolder(disk: string): string {
  return join(disk, 'pki')
}

/** The administrator's kubeconfig for programs within the bed's network. */
export function insideKubeconfigPath(disk: string): string {
  return join(disk, 'inside.kubeconfig')
}

export function insideKubeconfig(authority: Authority, user: KeyedCertificate): string {
  return kubeconfig({ server: insideServer, authorityPem: authority.certificatePem, user })
}

/** The authority of a bed that is up. */
export function readAuthority(disk: string): Authority {
  return authorityFrom(readPair(disk, 'ca'))
}

export function readPair(disk: string, name: string): KeyedCertificate {
  const read = (ending: string): string => readFileSync(join(credentialsFolder(disk), `${name}.${ending}`), 'utf8')
  return { certificatePem: read('crt'), keyPem: read('key') }
}

export function writePair(folder: string, name: string, { certificatePem, keyPem }: KeyedCertificate): void {
  writeFileSync(join(folder, `${name}.crt`), certificatePem)
  writeFileSync(join(folder, `${name}.key`), keyPem, { mode: 0o600 })
}

/** The key pair that service account tokens are signed with. */
function writeTokenKeys(folder: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(join(folder, 'sa.key'), privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 })
  writeFileSync(join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
}
