import type { FakeApiServer } from './fake-api-server.ts'
import { serverUrl } from './opened.ts'

type Fields = Readonly<Record<string, unknown>>

/** A kubeconfig for the fake server with this user, and with what `cluster` says differently. */
export function kubeconfigOf(server: FakeApiServer, user: Fields, cluster: Fields = {}): string {
  const ca = Buffer.from(server.authority.certificatePem).toString('base64')
  return JSON.stringify({
    'current-context': 'it',
    clusters: [
      { name: 'it', cluster: { server: serverUrl(server), 'certificate-authority-data': ca, ...cluster } },
      { name: 'other', cluster: { server: 'https://127.0.0.1:1' } },
    ],
    users: [{ name: 'me', user }],
    contexts: [
      { name: 'it', context: { cluster: 'it', user: 'me' } },
      { name: 'other', context: { cluster: 'other', user: 'me' } },
    ],
  })
}
