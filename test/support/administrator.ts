import { readFileSync } from 'node:fs'

/** Where the API of a bed is, and the certificates by which its administrator is known there. */
export interface Administrator {
  readonly server: string
  readonly tls: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer }
}

/** Read from the kubeconfig that the bed wrote, which is JSON. */
export function administrator(kubeconfigPath: string): Administrator {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfigPath, 'utf8'))
  const pem = (data: string): Buffer => Buffer.from(data, 'base64')
  const ca = pem(clusters[0].cluster['certificate-authority-data'])
  const { 'client-certificate-data': cert, 'client-key-data': key } = users[0].user
  return { server: clusters[0].cluster.server, tls: { ca, cert: pem(cert), key: pem(key) } }
}
