import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { canTunnel } from '../../../src/ground/kube/choose-proxy.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { FakeApiServer } from './fake-api-server.ts'
import { kubeconfigOf } from './kubeconfig-of.ts'
import { followNodes, open } from './opened.ts'
import { aProxy, aSocksProxy } from './tunnels.ts'

const TOKEN = { token: 'let-me-in' }

/** An API server that only a proxy can find: no resolver knows its name. */
async function aFarServer(t: TestContext): Promise<{ readonly server: FakeApiServer; readonly url: string }> {
  const server = await new FakeApiServer().start(['api.invalid'])
  t.after(() => server.stop())
  return { server, url: `https://api.invalid:${server.port}` }
}

async function aNearServer(t: TestContext): Promise<FakeApiServer> {
  const server = await new FakeApiServer().start()
  t.after(() => server.stop())
  return server
}

test('the proxy that the kubeconfig names is used, over one connection, watches and all', async (t) => {
  const { server, url } = await aFarServer(t)
  const { port, tunnels } = await aProxy(t)
  const config = kubeconfigOf(server, TOKEN, { server: url, 'proxy-url': `http://127.0.0.1:${port}` })
  const opened = await open(t, config, { env: { NO_PROXY: '*' } })
  for (let call = 0; call < 20; call++) await opened.cluster.list('nodes', opened.signal)
  assert.deepEqual(tunnels, [{ to: new URL(url).host, authorization: undefined }])
  const { view } = followNodes(opened)
  server.apply('a')
  await waitFor({ what: 'the change', limitMs: 5000 }, () => (view.has('a') ? true : undefined))
})

for (const [title, name, written] of [
  ['$HTTPS_PROXY', 'HTTPS_PROXY', 'http://127.0.0.1'],
  ['$https_proxy', 'https_proxy', 'http://127.0.0.1'],
  ['one without a scheme', 'HTTPS_PROXY', '127.0.0.1'],
] as const) {
  test(`the proxy of the environment is used: ${title}`, async (t) => {
    const { server, url } = await aFarServer(t)
    const { port, tunnels } = await aProxy(t)
    const env = { [name]: `${written}:${port}`, NO_PROXY: 'other.invalid,10.0.0.0/8' }
    const { cluster, signal } = await open(t, kubeconfigOf(server, TOKEN, { server: url }), { env })
    assert.deepEqual(await cluster.list('nodes', signal), [])
    assert.equal(tunnels.length, 1)
  })
}

test('a proxy that asks for credentials is reported', async (t) => {
  const { server, url } = await aFarServer(t)
  const { port, tunnels } = await aProxy(t)
  const env = { HTTPS_PROXY: `http://me:s%40fe@127.0.0.1:${port}` }
  await open(t, kubeconfigOf(server, TOKEN, { server: url }), { env })
  assert.equal(tunnels[0]?.authorization, `Basic ${Buffer.from('me:s@fe').toString('base64')}`)
})

test('the kubeconfig goes before the environment', async (t) => {
  const { server, url } = await aFarServer(t)
  const { port } = await aProxy(t)
  const config = kubeconfigOf(server, TOKEN, { server: url, 'proxy-url': `http://127.0.0.1:${port}` })
  await open(t, config, { env: { HTTPS_PROXY: 'http://127.0.0.1:1' } })
})

for (const scheme of ['socks5', 'socks5h']) {
  test(`a proxy of ${scheme} is used, and finds the name itself`, async (t) => {
    const { server, url } = await aFarServer(t)
    const { port, tunnels } = await aSocksProxy(t)
    const env = { HTTPS_PROXY: `${scheme}://127.0.0.1:${port}` }
    const { cluster, signal } = await open(t, kubeconfigOf(server, TOKEN, { server: url }), { env })
    for (let call = 0; call < 5; call++) await cluster.list('nodes', signal)
    assert.deepEqual(tunnels, [{ to: new URL(url).host, authorization: undefined }])
  })
}

test('a server on this machine is reached without a proxy', async (t) => {
  const server = await aNearServer(t)
  const { port, tunnels } = await aProxy(t)
  await open(t, kubeconfigOf(server, TOKEN), { env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } })
  assert.deepEqual(tunnels, [])
})

test('and so is one that $NO_PROXY names', async (t) => {
  const { server, url } = await aFarServer(t)
  const { port, tunnels } = await aProxy(t)
  const env = { HTTPS_PROXY: `http://127.0.0.1:${port}`, no_proxy: '.invalid' }
  await assert.rejects(open(t, kubeconfigOf(server, TOKEN, { server: url }), { env }), {
    code: 'KUBE_UNREACHABLE',
    message: "the API server's name api.invalid cannot be resolved",
  })
  assert.deepEqual(tunnels, [])
})

for (const [title, refusal, words] of [
  ['refuses the login', 407, /by the proxy 127\.0\.0\.1:\d+ failed: .*407 Proxy Authentication Required$/],
  ['hangs up', 'cut', /by the proxy 127\.0\.0\.1:\d+ failed: /],
] as const) {
  test(`a proxy that ${title} is reported, and not its password`, async (t) => {
    const { server, url } = await aFarServer(t)
    const { port } = await aProxy(t, { refusal })
    const env = { HTTPS_PROXY: `http://me:secret@127.0.0.1:${port}` }
    await assert.rejects(open(t, kubeconfigOf(server, TOKEN, { server: url }), { env }), (error: Error) => {
      assert.match(error.message, words)
      assert.doesNotMatch(error.message, /secret/)
      assert.deepEqual(Object(error).code, 'KUBE_PROXY')
      assert.match(Object(error).fix, /\$HTTPS_PROXY/)
      return true
    })
  })
}

test('a proxy that does not answer is waited for no longer than a server', async (t) => {
  const { server, url } = await aFarServer(t)
  const proxy = await aProxy(t)
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
  const { cluster, clock, signal } = await open(t, kubeconfigOf(server, TOKEN, { server: url }), { env })
  proxy.refusal = 'hang'
  server.resetConnections()
  const over = assert.rejects(cluster.list('nodes', signal), { code: 'KUBE_TIMEOUT' })
  await waitFor({ what: 'another tunnel', limitMs: 5000 }, () => proxy.tunnels.length > 1 || undefined)
  await clock.advance(30_000)
  await over
})

test('a proxy address where no process listens is reported as the proxy', async (t) => {
  const { server, url } = await aFarServer(t)
  const env = { HTTPS_PROXY: 'http://127.0.0.1:1' }
  await assert.rejects(open(t, kubeconfigOf(server, TOKEN, { server: url }), { env }), {
    name: 'UserError',
    code: 'KUBE_PROXY',
    message: `the proxy 127.0.0.1:1 on the way to the API server at ${new URL(url).host} refuses the connection`,
  })
})

for (const written of ['ftp://127.0.0.1:1', 'http://', ':secret@']) {
  test(`${written} is no proxy, and nothing is sent without one`, async (t) => {
    const { server, url } = await aFarServer(t)
    const config = kubeconfigOf(server, TOKEN, { server: url })
    await assert.rejects(open(t, config, { env: { HTTPS_PROXY: written } }), {
      name: 'UserError',
      code: 'KUBE_PROXY',
      message: '$HTTPS_PROXY is not a usable proxy',
    })
    const named = kubeconfigOf(server, TOKEN, { server: url, 'proxy-url': written })
    await assert.rejects(open(t, named), { code: 'KUBE_PROXY', message: /^the proxy-url of a cluster in / })
    assert.equal(server.requests.length, 0)
  })
}

test('a Node whose agents overlook proxies is known', () => {
  assert.deepEqual(['24.4.1', '24.5.0', '24.21.0', '25.0.0'].map(canTunnel), [false, true, true, true])
})
