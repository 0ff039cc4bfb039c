import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Administrator } from '../../test/support/administrator.ts'
import type { RawApi } from '../../test/support/raw-api.ts'

const RBAC = 'rbac.authorization.k8s.io'
const NAME = 'bench-agent'
const READ = ['get', 'list', 'watch']

/** A service account with an agent's rights, as the kubelet lays one before a pod (KEP-1205): gives the folder. */
export async function podAccount(ask: RawApi, { tls }: Administrator, folder: string): Promise<string> {
  const metadata = { name: NAME }
  const account = { kind: 'ServiceAccount', name: NAME, namespace: 'default' }
  const rules = [{ apiGroups: [''], resources: ['nodes', 'configmaps'], verbs: READ }]
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: NAME }
  const accounts = '/api/v1/namespaces/default/serviceaccounts'
  await ask('POST', accounts, { metadata })
  await ask('POST', `/apis/${RBAC}/v1/clusterroles`, { metadata, rules })
  await ask('POST', `/apis/${RBAC}/v1/clusterrolebindings`, { metadata, roleRef, subjects: [account] })
  const { status, body } = await ask('POST', `${accounts}/${NAME}/token`, { spec: { expirationSeconds: 86_400 } })
  if (status !== 201) throw new Error(`no token: ${JSON.stringify(body)}`)
  const { token } = (body as { readonly status: { readonly token: string } }).status
  const place = join(folder, 'serviceaccount')
  mkdirSync(place)
  writeFileSync(join(place, 'token'), token, { mode: 0o600 })
  writeFileSync(join(place, 'ca.crt'), tls.ca)
  writeFileSync(join(place, 'namespace'), 'default')
  return place
}
