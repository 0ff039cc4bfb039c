import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseKubeconfig } from '../../../src/ground/kube/kubeconfig-file.ts'
import { newAuthority } from '../../../testbed/pki/authority.ts'
import { answering, FakeApiServer, status } from './fake-api-server.ts'
import { kubeconfigOf } from './kubeconfig-of.ts'
import { aFolder, open, openPath } from './opened.ts'

const TOKEN = { token: 'x' }
const base64 = (text: string): string => Buffer.from(text).toString('base64')

async function aServer(t: TestContext, names?: readonly string[]): Promise<FakeApiServer> {
  const server = await new FakeApiServer().start(names)
  t.after(() => server.stop())
  return server
}

test('a kubeconfig that is not there is named', async (t) => {
  const path = join(await aFolder(t), 'nowhere')
  await assert.rejects(openPath(t, path), {
    name: 'UserError',
    code: 'KUBECONFIG_MISSING',
    message: `there is no kubeconfig ${path}`,
    fix: /--kubeconfig/,
  })
})

const BROKEN: readonly (readonly [title: string, text: string, words: RegExp])[] = [
  ['is no YAML', 'clusters: [\n  - name: x\nusers', /at line 2, column 3$/],
  ['is a list', '- a\n- b\n', /it is not an object$/],
  [
    'has a cluster without a server',
    '{"clusters":[{"name":"x","cluster":{}}],"contexts":[{"name":"a","context":{"cluster":"x"}}],"current-context":"a"}',
    /names the cluster x, which has no server$/,
  ],
  [
    'has clusters that are text',
    '{"clusters":"x","contexts":[{"name":"a","context":{"cluster":"x"}}],"current-context":"a"}',
    /clusters is not a list$/,
  ],
]

for (const [title, text, words] of BROKEN) {
  test(`a kubeconfig that ${title} is named with its fault`, async (t) => {
    const path = join(await aFolder(t), 'kubeconfig')
    await writeFile(path, text)
    await assert.rejects(openPath(t, path), (error: Error & { code?: string }) => {
      assert.equal(error.name, 'UserError')
      assert.equal(error.code, 'KUBECONFIG_BROKEN')
      assert.match(error.message, words)
      assert.ok(error.message.includes(path))
      return true
    })
  })
}

test('a context that does not exist is answered with those that do', async (t) => {
  const server = await aServer(t)
  await assert.rejects(open(t, kubeconfigOf(server, TOKEN), { context: 'prod' }), {
    name: 'UserError',
    code: 'KUBECONFIG_NO_CONTEXT',
    message: /^no context prod in /,
    fix: 'choose one with --context: it, other',
  })
})

test('no current context is answered with those that exist', async (t) => {
  const server = await aServer(t)
  const config = { ...JSON.parse(kubeconfigOf(server, TOKEN)), 'current-context': undefined }
  await assert.rejects(open(t, JSON.stringify(config)), { code: 'KUBECONFIG_NO_CONTEXT', fix: /it, other$/ })
})

test('a context can be chosen', async (t) => {
  const server = await aServer(t)
  const config = { ...JSON.parse(kubeconfigOf(server, TOKEN)), 'current-context': 'other' }
  const { cluster, signal } = await open(t, JSON.stringify(config), { context: 'it' })
  assert.deepEqual(await cluster.identity(signal), { uid: 'cluster-uid', version: 'v1.35.0' })
})

test('a cluster says where its API server is asked', async (t) => {
  const server = await aServer(t)
  const { cluster } = await open(t, kubeconfigOf(server, TOKEN))
  assert.deepEqual(cluster.server, { address: '127.0.0.1', port: server.port })
})

test('of two kubeconfigs the first that says something is believed', async (t) => {
  const server = await aServer(t)
  const folder = await aFolder(t)
  const first = join(folder, 'first')
  const second = join(folder, 'second')
  const users = [{ name: 'me', user: { token: 'first' } }]
  await writeFile(first, JSON.stringify({ users, 'current-context': 'it' }))
  const other = { ...JSON.parse(kubeconfigOf(server, { token: 'second' })), 'current-context': 'other' }
  await writeFile(second, JSON.stringify(other))
  server.tokens = ['first']
  await openPath(t, `${first}:${join(folder, 'missing')}:${second}`)
})

test('an empty file, an empty current context and further documents say nothing, as with kubectl', async (t) => {
  const server = await aServer(t)
  const folder = await aFolder(t)
  const paths = ['empty', 'none', 'several'].map((name) => join(folder, name))
  const [empty = '', none = '', several = ''] = paths
  await writeFile(empty, '')
  await writeFile(none, 'current-context: ""\n')
  await writeFile(several, `${kubeconfigOf(server, { token: 'first' })}\n---\nusers: []\n`)
  server.tokens = ['first']
  await openPath(t, paths.join(':'))
})

test('a context without a user makes its requests as nobody, as with kubectl', async (t) => {
  const server = await aServer(t)
  const config = JSON.parse(kubeconfigOf(server, TOKEN))
  const nobodies = [{ users: [] }, { user: '', users: null }, { user: '', users: [{ name: '', user: {} }] }]
  for (const { users, ...of } of nobodies) {
    const contexts = [{ name: 'it', context: { cluster: 'it', ...of } }]
    const { cluster, signal } = await open(t, JSON.stringify({ ...config, contexts, users }))
    assert.equal((await cluster.identity(signal)).uid, 'cluster-uid')
  }
  const contexts = [{ name: 'it', context: { cluster: 'it', user: 'you' } }]
  await assert.rejects(open(t, JSON.stringify({ ...config, contexts })), /names a user that is not there/)
})

test('an entry that no context in use needs may be broken, as with kubectl', async (t) => {
  const server = await aServer(t)
  const { clusters, contexts, users, ...more } = JSON.parse(kubeconfigOf(server, TOKEN))
  const config = {
    ...more,
    clusters: [...clusters, { name: 'old', cluster: null }, { name: 'gone', cluster: {} }],
    contexts: [...contexts, { name: 'old', context: null }, { context: { cluster: 'it' } }],
    users: [...users, { user: {} }],
  }
  const { cluster, signal } = await open(t, JSON.stringify(config))
  assert.equal((await cluster.identity(signal)).uid, 'cluster-uid')
})

test('groups without a user to stand for are refused, as by kubectl', async (t) => {
  const server = await aServer(t)
  const opened = open(t, kubeconfigOf(server, { token: 'x', 'as-groups': ['ops'] }))
  await assert.rejects(opened, { code: 'KUBECONFIG_BROKEN', message: /user me, which has as-groups, .* without as$/ })
})

test('a client certificate that has expired is reported with its date', async (t) => {
  const server = await aServer(t)
  const notAfter = new Date('2025-02-03T04:05:06Z')
  const { certificatePem, keyPem } = server.authority.issue({ commonName: 'admin' }, { notAfter })
  const user = { 'client-certificate-data': base64(certificatePem), 'client-key-data': base64(keyPem) }
  await assert.rejects(open(t, kubeconfigOf(server, user)), {
    name: 'UserError',
    code: 'KUBE_CERTIFICATE_EXPIRED',
    message: 'the client certificate of CN=admin expired on Feb  3 04:05:06 2025 GMT',
  })
})

test('a client certificate that is none is the kubeconfig’s fault', async (t) => {
  const server = await aServer(t)
  const user = { 'client-certificate-data': base64('hello'), 'client-key-data': base64('hello') }
  await assert.rejects(open(t, kubeconfigOf(server, user)), { name: 'UserError', code: 'KUBECONFIG_BROKEN' })
})

test('a client key that is none is reported', async (t) => {
  const server = await aServer(t)
  const { certificatePem } = server.authority.issue({ commonName: 'admin' })
  const user = { 'client-certificate-data': base64(certificatePem), 'client-key-data': base64('hello') }
  await assert.rejects(open(t, kubeconfigOf(server, user)), { name: 'UserError', code: 'KUBE_UNREACHABLE' })
})

test('a token that no header can carry is reported', async (t) => {
  const server = await aServer(t)
  const odd = kubeconfigOf(server, { token: 'x\r\nhost: evil' })
  await assert.rejects(open(t, odd), { name: 'UserError', message: /Invalid character/ })
  assert.equal(server.requests.length, 0)
})

test('a file that the kubeconfig names and that cannot be read is reported', async (t) => {
  const server = await aServer(t)
  const user = { 'client-certificate': '/nowhere/client.crt', 'client-key': '/nowhere/client.key' }
  await assert.rejects(open(t, kubeconfigOf(server, user)), {
    name: 'UserError',
    message: /\/nowhere\/client\.crt/,
    fix: /^correct it, or choose another with --context$/,
  })
})

test('a refused connection is reported with the address', async (t) => {
  const server = await aServer(t)
  await server.stop()
  await assert.rejects(open(t, kubeconfigOf(server, TOKEN)), {
    name: 'UserError',
    code: 'KUBE_UNREACHABLE',
    message: `the API server at 127.0.0.1:${server.port} refuses the connection`,
  })
})

test('a server name that cannot be resolved is reported', async (t) => {
  const server = await aServer(t)
  const cluster = { server: 'https://api.nowhere.invalid:6443' }
  await assert.rejects(open(t, kubeconfigOf(server, TOKEN, cluster)), {
    name: 'UserError',
    code: 'KUBE_UNREACHABLE',
    message: /api\.nowhere\.invalid cannot be resolved$/,
  })
})

const UNTRUSTED: readonly (readonly [title: string, names: readonly string[], ca: boolean])[] = [
  ['by another authority', ['127.0.0.1'], true],
  ['for another name', ['10.0.0.1'], false],
]

for (const [title, names, otherAuthority] of UNTRUSTED) {
  test(`a server whose certificate is ${title} is not trusted`, async (t) => {
    const server = await aServer(t, names)
    const ca = base64(newAuthority().certificatePem)
    const cluster = otherAuthority ? { 'certificate-authority-data': ca } : {}
    await assert.rejects(open(t, kubeconfigOf(server, TOKEN, cluster)), {
      name: 'UserError',
      code: 'KUBE_UNTRUSTED',
      fix: /certificate-authority-data/,
    })
    assert.equal(server.requests.length, 0)
  })
}

test('a certificate is not looked at where the kubeconfig says so', async (t) => {
  const server = await aServer(t, ['10.0.0.1'])
  const cluster = { 'insecure-skip-tls-verify': true, 'certificate-authority-data': undefined }
  await open(t, kubeconfigOf(server, TOKEN, cluster))
})

test('a server that speaks something else is reported', async (t) => {
  const other = createServer((socket) => socket.end('SSH-2.0-x\r\n')).listen(0, '127.0.0.1')
  t.after(() => other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const server = await aServer(t)
  const cluster = { server: `https://127.0.0.1:${Object(other.address()).port}` }
  await assert.rejects(open(t, kubeconfigOf(server, TOKEN, cluster)), { name: 'UserError', code: /KUBE_UN/ })
})

for (const url of ['http://10.0.0.1:8080', 'ftp://127.0.0.1', 'not a url']) {
  test(`a credential is not sent to ${url}`, async (t) => {
    const server = await aServer(t)
    await assert.rejects(open(t, kubeconfigOf(server, TOKEN, { server: url })), { code: 'KUBECONFIG_BROKEN' })
  })
}

test('a refused credential is reported', async (t) => {
  const server = await aServer(t)
  server.tokens = []
  await assert.rejects(open(t, kubeconfigOf(server, TOKEN)), {
    name: 'UserError',
    code: 'KUBE_UNAUTHORIZED',
    fix: 'renew the credential that the kubeconfig uses',
  })
})

test('a right that is missing is reported with its verb and resource', async (t) => {
  const server = await aServer(t)
  const message = 'namespaces "kube-system" is forbidden: User "me" cannot get resource "namespaces"'
  server.putInTheWay('GET /api/v1/namespaces/kube-system', answering(403, status(403, message)))
  await assert.rejects(open(t, kubeconfigOf(server, TOKEN)), {
    name: 'UserError',
    code: 'KUBE_FORBIDDEN',
    message: /^get namespaces: .*cannot get resource "namespaces"/,
  })
})

test('a server that is unwell is the world’s fault and not the user’s', async (t) => {
  const server = await aServer(t)
  server.putInTheWay('GET /api/v1/namespaces/kube-system', answering(503, status(503)))
  await assert.rejects(open(t, kubeconfigOf(server, TOKEN)), { name: 'WorldError', code: 'KUBE_SERVER' })
})

test('an auth-provider that Kubernetes no longer has is refused', async (t) => {
  const server = await aServer(t)
  const user = { 'auth-provider': { name: 'gcp', config: {} } }
  await assert.rejects(open(t, kubeconfigOf(server, user)), { code: 'KUBECONFIG_BROKEN', message: /exec plugin/ })
})

test('a plugin beside the file is a path also where the file is named without a folder, and one without a slash is a name', () => {
  const commandOf = (command: string) => {
    const text = JSON.stringify({ users: [{ name: 'me', user: { exec: { command } } }] })
    return parseKubeconfig(Buffer.from(text), '.').users.get('me')?.exec?.command
  }
  assert.equal(commandOf('./plug.sh'), join(process.cwd(), 'plug.sh'))
  assert.equal(commandOf('../plug.sh'), join(process.cwd(), '..', 'plug.sh'))
  assert.equal(commandOf('plug.sh'), 'plug.sh')
})
