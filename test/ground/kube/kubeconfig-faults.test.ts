import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterFault, userFault } from '../../../src/ground/kube/kubeconfig-faults.ts'
import { parseKubeconfig } from '../../../src/ground/kube/kubeconfig-file.ts'

type Fields = Readonly<Record<string, unknown>>

const SERVER = 'https://10.0.0.1:6443'

function faultsOf({
  cluster = {},
  user = {},
}: {
  readonly cluster?: Fields
  readonly user?: Fields
}): readonly string[] {
  const clusters = [{ name: 'it', cluster: { server: SERVER, ...cluster } }]
  const text = JSON.stringify({ clusters, users: [{ name: 'me', user }] })
  const read = parseKubeconfig(Buffer.from(text), '/')
  const [it, me] = [read.clusters.get('it'), read.users.get('me')]
  if (it === undefined || me === undefined) throw new Error('an entry is lost')
  // A user is looked at where the cluster can be used.
  const fault = clusterFault(it) ?? userFault(me, it.server)
  return fault === undefined ? [] : [fault]
}

const AUTHORITY = { 'certificate-authority-data': 'aGVsbG8=' }
const CERTIFICATE = { 'client-certificate-data': 'aGVsbG8=', 'client-key-data': 'aGVsbG8=' }
const PLUGIN = { apiVersion: 'client.authentication.k8s.io/v1', command: 'plug', interactiveMode: 'Never' }

const CLUSTERS: readonly (readonly [fields: Fields, words: RegExp])[] = [
  [{ server: '' }, /^has no server$/],
  [{ server: 'http://10.0.0.1:8080' }, /neither https nor on this machine$/],
  [{ server: ' https://10.0.0.1' }, /neither https nor on this machine$/],
  [{ server: 'https://me:secret@10.0.0.1' }, /^has a user in its URL: write username and password to a user$/],
  [{ ...AUTHORITY, 'certificate-authority': '/etc/hostname' }, /^has both certificate-authority and/],
  [{ 'certificate-authority': '/nowhere' }, /^has certificate-authority \/nowhere, which cannot be read$/],
  [{ ...AUTHORITY, 'insecure-skip-tls-verify': true }, /^has insecure-skip-tls-verify beside an authority/],
]

const USERS: readonly (readonly [fields: Fields, words: RegExp])[] = [
  [{ token: 'x', password: 'y' }, /^has a token beside a username or password$/],
  [{ tokenFile: '/token', username: 'y' }, /^has a tokenFile beside a username$/],
  [{ ...CERTIFICATE, 'client-certificate': '/a' }, /^has both client-certificate and client-certificate-data$/],
  [{ ...CERTIFICATE, 'client-key': '/a' }, /^has both client-key and client-key-data$/],
  [{ ...CERTIFICATE, 'client-key-data': '' }, /^has a client certificate without its key$/],
  [{ 'client-certificate': '/nowhere', 'client-key': '/a' }, /^has the file \/nowhere, which cannot be read$/],
  [{ 'as-user-extra': { scopes: [] } }, /without as$/],
  [{ 'as-groups': [''] }, /without as$/],
  [{ 'auth-provider': { name: 'gcp' } }, /^has the auth-provider gcp: use an exec plugin instead$/],
  [{ 'auth-provider': { name: 'oidc' } }, /^has the auth-provider oidc without an id-token$/],
  [{ exec: PLUGIN, 'auth-provider': { name: 'oidc' } }, /^has an auth-provider beside a plugin$/],
  [{ exec: { ...PLUGIN, command: '' } }, /^has a plugin without a command$/],
  [{ exec: { ...PLUGIN, apiVersion: '' } }, /^has a plugin without an apiVersion$/],
  [
    { exec: { ...PLUGIN, apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
    /^has a plugin whose apiVersion is neither/,
  ],
  [{ exec: { ...PLUGIN, env: [{ value: 'x' }] } }, /^has a plugin with a variable that has no name$/],
  [{ exec: { ...PLUGIN, interactiveMode: 'never' } }, /^has a plugin whose interactiveMode is neither/],
]

for (const [cluster, words] of CLUSTERS) {
  test(`a cluster with ${JSON.stringify(cluster)} cannot be used, as with kubectl`, () => {
    const [fault = '', ...more] = faultsOf({ cluster })
    assert.match(fault, words)
    assert.deepEqual(more, [])
  })
}

for (const [user, words] of USERS) {
  test(`a user with ${JSON.stringify(user)} cannot be used, as with kubectl`, () => {
    const [fault = '', ...more] = faultsOf({ user })
    assert.match(fault, words)
    assert.deepEqual(more, [])
  })
}

const USABLE: readonly Parameters<typeof faultsOf>[0][] = [
  {},
  { cluster: { server: 'localhost:8080', 'insecure-skip-tls-verify': true, ...AUTHORITY } },
  { user: { token: 'x', exec: PLUGIN, ...CERTIFICATE } },
  { user: { token: 'x', tokenFile: '/nowhere' } },
  { user: { 'client-key-data': 'aGVsbG8=', 'client-key': '/nowhere' } },
  { user: { password: 'alone' } },
  { cluster: { server: 'http://127.0.0.1:1' }, user: { 'auth-provider': { name: 'gcp' } } },
]

for (const parts of USABLE) {
  test(`${JSON.stringify(parts)} can be used, as with kubectl`, () => {
    assert.deepEqual(faultsOf(parts), [])
  })
}
