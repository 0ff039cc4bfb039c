import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { FakeApiServer } from './fake-api-server.ts'
import { kubeconfigOf } from './kubeconfig-of.ts'
import { aFolder, open, openPath } from './opened.ts'

async function aServer(t: TestContext, names?: readonly string[]): Promise<FakeApiServer> {
  const server = await new FakeApiServer().start(names)
  t.after(() => server.stop())
  return server
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

test('a token file is read again when its token is refused', async (t) => {
  const server = await aServer(t)
  const tokenFile = join(await aFolder(t), 'token')
  await writeFile(tokenFile, 'first\n')
  server.tokens = ['first']
  const { cluster, signal } = await open(t, kubeconfigOf(server, { tokenFile }))
  server.tokens = ['second']
  await writeFile(tokenFile, 'second\n')
  assert.deepEqual(await cluster.list('nodes', signal), [])
})

test('a token file goes before a token that is written down', async (t) => {
  const server = await aServer(t)
  const tokenFile = join(await aFolder(t), 'token')
  await writeFile(tokenFile, ' from-the-file\n')
  server.tokens = ['from-the-file']
  const { cluster, signal } = await open(t, kubeconfigOf(server, { token: 'stale', tokenFile }))
  assert.deepEqual(await cluster.list('nodes', signal), [])
})

test('a call whose credential stays refused is made twice and no more', async (t) => {
  const server = await aServer(t)
  const { cluster, signal } = await open(t, kubeconfigOf(server, { token: 'x' }))
  server.tokens = []
  await assert.rejects(cluster.list('nodes', signal), { code: 'KUBE_UNAUTHORIZED', retry: 'backoff' })
  assert.equal(server.count('list'), 2)
})

test('calls that are refused at the same time are all let in by the one new credential', async (t) => {
  const server = await aServer(t)
  const tokenFile = join(await aFolder(t), 'token')
  await writeFile(tokenFile, 'first')
  const { cluster, signal } = await open(t, kubeconfigOf(server, { tokenFile }))
  await writeFile(tokenFile, 'second')
  server.tokens = ['second']
  const lists = await Promise.all(Array.from({ length: 8 }, () => cluster.list('nodes', signal)))
  assert.equal(lists.length, 8)
})

test('a credential that is never let in is not made anew for every call', async (t) => {
  const server = await aServer(t)
  const tokenFile = join(await aFolder(t), 'token')
  await writeFile(tokenFile, 'first')
  const { cluster, clock, signal } = await open(t, kubeconfigOf(server, { tokenFile }))
  server.tokens = []
  await assert.rejects(cluster.list('nodes', signal), { code: 'KUBE_UNAUTHORIZED' })
  server.tokens = ['second']
  await writeFile(tokenFile, 'second')
  await assert.rejects(cluster.list('nodes', signal), { code: 'KUBE_UNAUTHORIZED' })
  await clock.advance(5_000)
  assert.deepEqual(await cluster.list('nodes', signal), [])
})

test('a kubeconfig that is read again means the cluster that it meant at first', async (t) => {
  const server = await aServer(t)
  const folder = await aFolder(t)
  const path = join(folder, 'kubeconfig')
  const config = JSON.parse(kubeconfigOf(server, { token: 'first' }))
  const write = (changed: object) => writeFile(path, JSON.stringify({ ...config, ...changed }))
  await write({})
  const { cluster, signal } = await openPath(t, path)
  server.tokens = ['second']
  const users = [{ name: 'me', user: { token: 'second' } }]
  await write({ users, 'current-context': 'other' })
  assert.deepEqual(await cluster.list('nodes', signal), [])

  server.tokens = ['third']
  const clusters = [{ name: 'it', cluster: { server: 'https://127.0.0.1:1' } }]
  await write({ users: [{ name: 'me', user: { token: 'third' } }], clusters })
  const words = /context it now names another API server$/
  await assert.rejects(cluster.list('nodes', signal), { code: 'KUBE_UNAUTHORIZED', message: words })
})

test('a name and a password are sent as they are', async (t) => {
  const server = await aServer(t)
  await open(t, kubeconfigOf(server, { username: 'me', password: 'open sesame' }))
  assert.equal(server.requests[0]?.headers.authorization, `Basic ${base64('me:open sesame')}`)
})

test('a user who stands for another one sends all that kubectl sends of it', async (t) => {
  const server = await aServer(t)
  const as = {
    as: 'jane',
    'as-groups': ['ops', 'dev'],
    'as-uid': '42',
    'as-user-extra': { 'acme.com/Scopes': ['view'] },
  }
  await open(t, kubeconfigOf(server, { token: 'x', ...as }))
  const { headers } = server.requests[0] ?? {}
  const sent = ['impersonate-user', 'impersonate-uid', 'impersonate-group', 'impersonate-extra-acme.com%2fscopes']
  assert.deepEqual(
    sent.map((name) => headers?.[name]),
    ['jane', '42', 'ops, dev', 'view'],
  )
})

test('what is written in other letters is sent as UTF-8, as by kubectl', async (t) => {
  const server = await aServer(t)
  await open(t, kubeconfigOf(server, { token: 'é', as: 'Zoë' }))
  const bytes = (name: string) => Buffer.from(String(server.requests[0]?.headers[name]), 'latin1').toString()
  assert.deepEqual([bytes('authorization'), bytes('impersonate-user')], ['Bearer é', 'Zoë'])
})

test('a plugin is left alone where a token, a name or a certificate says who the user is, as with kubectl', async (t) => {
  const server = await aServer(t)
  const { certificatePem, keyPem } = server.authority.issue({ commonName: 'admin' })
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'no-such-plugin', interactiveMode: 'Never' }
  const certificate = { 'client-certificate-data': base64(certificatePem), 'client-key-data': base64(keyPem) }
  for (const user of [{ token: 'x' }, { username: 'me' }, certificate])
    await open(t, kubeconfigOf(server, { exec, ...user }))
  assert.deepEqual(
    ['Bearer x', `Basic ${base64('me:')}`, undefined],
    server.requests.filter(({ path }) => path.endsWith('kube-system')).map(({ headers }) => headers.authorization),
  )
})

test('a token that is written down is used while its file cannot be read, as with kubectl', async (t) => {
  const server = await aServer(t)
  server.tokens = ['written']
  await open(t, kubeconfigOf(server, { token: 'written', tokenFile: '/nowhere/token' }))
  const alone = open(t, kubeconfigOf(server, { tokenFile: '/nowhere/token' }))
  await assert.rejects(alone, { code: 'KUBECONFIG_BROKEN', message: 'the tokenFile /nowhere/token cannot be read' })
})

test('nothing says over plain HTTP who the user is, as with kubectl', async (t) => {
  const heard: unknown[] = []
  const plain = createServer((request, response) => {
    heard.push(request.headers.authorization)
    response.end(JSON.stringify({ gitVersion: 'v1', metadata: { uid: 'u' } }))
  }).listen(0, '127.0.0.1')
  t.after(() => plain.close())
  await once(plain, 'listening')
  const server = await aServer(t)
  const url = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`
  await open(t, kubeconfigOf(server, { token: 'x' }, { server: url }))
  assert.deepEqual(new Set(heard), new Set([undefined]))
})

test('an address that the certificate must bear is not sent as a name', async (t) => {
  const server = await aServer(t)
  const sent: unknown[] = []
  server.putInTheWay('GET /version', (response, { socket }) => {
    sent.push(Object(socket).servername)
    response.end('{"gitVersion":"v1"}')
  })
  await open(t, kubeconfigOf(server, { token: 'x' }, { 'tls-server-name': '127.0.0.1' }))
  assert.deepEqual(sent, [false])
  const other = open(t, kubeconfigOf(server, { token: 'x' }, { 'tls-server-name': '127.0.0.9' }))
  await assert.rejects(other, { code: 'KUBE_UNTRUSTED' })
})

test('a client certificate is shown', async (t) => {
  const server = await aServer(t)
  const { certificatePem, keyPem } = server.authority.issue({ commonName: 'admin' })
  const shown: string[] = []
  server.putInTheWay('GET /version', (response, request) => {
    const { socket } = request
    if ('getPeerX509Certificate' in socket) shown.push(String(Object(socket).getPeerX509Certificate()?.subject))
    response.end('{"gitVersion":"v1"}')
  })
  const user = { 'client-certificate-data': base64(certificatePem), 'client-key-data': base64(keyPem) }
  await open(t, kubeconfigOf(server, user))
  assert.deepEqual(shown, ['CN=admin'])
})

test('the name that the certificate must bear can be another than the address', async (t) => {
  const server = await aServer(t, ['api.internal'])
  const named = { 'tls-server-name': 'api.internal' }
  const { cluster, signal } = await open(t, kubeconfigOf(server, { token: 'x' }, named))
  assert.deepEqual(await cluster.list('nodes', signal), [])
})

test('a certificate file is found beside the kubeconfig that names it', async (t) => {
  const server = await aServer(t)
  const folder = await aFolder(t)
  await writeFile(join(folder, 'ca.crt'), server.authority.certificatePem)
  const files = { 'certificate-authority-data': undefined, 'certificate-authority': join(folder, 'ca.crt') }
  const { cluster, signal } = await open(t, kubeconfigOf(server, { token: 'x' }, files))
  assert.deepEqual(await cluster.list('nodes', signal), [])
})
