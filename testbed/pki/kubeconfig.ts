import type { KeyedCertificate } from './authority.ts'

interface KubeconfigContent {
  readonly server: string
  readonly authorityPem: string
  readonly user: KeyedCertificate | { readonly token: string }
}

/** A kubeconfig that carries all it needs within itself. JSON, which is YAML too. */
export function kubeconfig({ server, authorityPem, user }: KubeconfigContent): string {
  const name = 'testbed'
  const credentials =
    'token' in user
      ? { token: user.token }
      : { 'client-certificate-data': base64(user.certificatePem), 'client-key-data': base64(user.keyPem) }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(authorityPem) } }],
    users: [{ name, user: credentials }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  }
  return `${JSON.stringify(config, undefined, 2)}\n`
}

function base64(value: string): string {
  return Buffer.from(value).toString('base64')
}
