import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiPort, nodeAddress } from '../../addresses.ts'
import type { Authority } from '../../pki/authority.ts'
import { kubeconfig } from '../../pki/kubeconfig.ts'
import { apiNames, credentialsFolder, writePair } from '../credentials.ts'

export interface NodePki {
  readonly disk: string
  readonly node: string
  /** The cluster's. */
  readonly authority: Authority
  /** Of etcd alone: kubeadm gives etcd an authority that signs nothing else. */
  readonly etcdAuthority: Authority
}

/** Writes the certificates, keys and kubeconfigs of a control-plane node into its /etc/kubernetes, by kubeadm's names. */
export function writeNodePki(kubernetes: string, { disk, node, authority, etcdAuthority }: NodePki): void {
  const pki = join(kubernetes, 'pki')
  const etcd = join(pki, 'etcd')
  const address = nodeAddress(node)
  mkdirSync(etcd, { recursive: true, mode: 0o700 })
  for (const kept of ['ca.crt', 'ca.key', 'kubelet-client.crt', 'kubelet-client.key', 'sa.pub', 'sa.key'])
    copyFileSync(join(credentialsFolder(disk), kept), join(pki, kept))
  const serves = { names: [node, address, 'localhost', '127.0.0.1'] }
  writePair(
    pki,
    'apiserver',
    authority.issue({ commonName: 'kube-apiserver' }, { names: [...apiNames, node, address] }),
  )
  writeFileSync(join(etcd, 'ca.crt'), etcdAuthority.certificatePem)
  writePair(etcd, 'server', etcdAuthority.issue({ commonName: node }, serves))
  writePair(etcd, 'peer', etcdAuthority.issue({ commonName: node }, serves))
  writePair(pki, 'apiserver-etcd-client', etcdAuthority.issue({ commonName: 'kube-apiserver-etcd-client' }))
  for (const part of ['controller-manager', 'scheduler']) {
    const user = authority.issue({ commonName: `system:kube-${part}` })
    const server = `https://${address}:${apiPort}`
    const authorityPem = authority.certificatePem
    writeFileSync(join(kubernetes, `${part}.conf`), kubeconfig({ server, authorityPem, user }), { mode: 0o600 })
  }
}
