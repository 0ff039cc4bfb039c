import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { execInfo } from '../../../src/ground/kube/exec-info.ts'
import { parseKubeconfig } from '../../../src/ground/kube/kubeconfig-file.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { FakeApiServer } from './fake-api-server.ts'
import { kubeconfigOf } from './kubeconfig-of.ts'
import { aFolder, open } from './opened.ts'

const V1 = 'client.authentication.k8s.io/v1'

interface Scene {
  readonly server: FakeApiServer
  /** Where the plugin keeps what the tests look at. */
  readonly folder: string
  readonly config: string
}

/** A kubeconfig whose user is what the shell script says it is. */
async function scene(t: TestContext, script: string): Promise<Scene> {
  const server = await new FakeApiServer().start()
  t.after(() => server.stop())
  const folder = await aFolder(t)
  const command = join(folder, 'plugin')
  await writeFile(command, `#!/bin/sh\ncd ${folder}\n${script}\n`, { mode: 0o700 })
  const exec = { apiVersion: V1, command, args: ['get-token'], interactiveMode: 'Never' }
  return { server, folder, config: kubeconfigOf(server, { exec: { ...exec, provideClusterInfo: true } }) }
}

const SAYS = `echo run >> runs; printf '{"apiVersion":"${V1}","kind":"ExecCredential","status":{"token":"%s"}}' "$(cat token)"`

async function runs(folder: string): Promise<number> {
  return (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n').length
}

test('a plugin is asked once for many calls, and again when its token is refused', async (t) => {
  const { server, folder, config } = await scene(t, SAYS)
  await writeFile(join(folder, 'token'), 'first')
  server.tokens = ['first']
  const { cluster, signal } = await open(t, config)
  for (let call = 0; call < 10; call++) await cluster.list('nodes', signal)
  assert.equal(await runs(folder), 1)
  await writeFile(join(folder, 'token'), 'second')
  server.tokens = ['second']
  await Promise.all(Array.from({ length: 5 }, () => cluster.list('nodes', signal)))
  assert.equal(await runs(folder), 2)
})

test('a plugin learns which cluster it is asked for, and that it cannot ask a person', async (t) => {
  const { server, folder, config } = await scene(t, `printf '%s' "$KUBERNETES_EXEC_INFO" > info; ${SAYS}`)
  await writeFile(join(folder, 'token'), 'x')
  await open(t, config)
  const info = JSON.parse(await readFile(join(folder, 'info'), 'utf8'))
  assert.deepEqual([info.apiVersion, info.kind], ['client.authentication.k8s.io/v1', 'ExecCredential'])
  assert.equal(info.spec.interactive, false)
  assert.equal(info.spec.cluster.server, `https://127.0.0.1:${server.port}`)
  assert.ok(info.spec.cluster['certificate-authority-data'].length > 100)
})

test('a plugin gets the proxy of the kubeconfig alone, and the server as client-go writes it', () => {
  const infoOf = (cluster: object) => {
    const text = JSON.stringify({
      clusters: [{ name: 'it', cluster }],
      users: [{ name: 'me', user: { exec: { apiVersion: V1, command: 'x', provideClusterInfo: true } } }],
    })
    const { clusters, users } = parseKubeconfig(Buffer.from(text), '/')
    const [it, exec] = [clusters.get('it'), users.get('me')?.exec]
    return it && exec && JSON.parse(execInfo(exec, it)).spec.cluster
  }
  assert.deepEqual(infoOf({ server: 'https://a/b c?d', 'proxy-url': 'socks5://p:1' }), {
    ...{ server: 'https://a/b%20c', 'proxy-url': 'socks5://p:1', config: null },
  })
  assert.deepEqual(infoOf({ server: 'https://a?d' }), { server: 'https://a?d', config: null })
})

for (const [title, script] of [
  ['that hangs', 'sleep 600 & echo $! > pid; wait'],
  ['that leaves a child with its output open', 'sleep 600 & echo $! > pid; exit 0'],
]) {
  test(`a plugin ${title} is ended after half a minute, with all that it started`, async (t) => {
    const { server, folder, config } = await scene(t, `if [ -f bad ]; then ${script}; fi; ${SAYS}`)
    await writeFile(join(folder, 'token'), 'first')
    server.tokens = ['first']
    const { cluster, clock, signal } = await open(t, config)
    server.tokens = ['second']
    await writeFile(join(folder, 'bad'), '')
    const words = /gave no credential within 30 s$/
    const over = assert.rejects(cluster.list('nodes', signal), { code: 'KUBE_UNAUTHORIZED', message: words })
    const pid = await waitFor({ what: 'the plugin', limitMs: 5000, everyMs: 5 }, () => pidIn(folder))
    await clock.advance(30_000)
    await over
    await waitFor({ what: 'the end of its child', limitMs: 5000, everyMs: 5 }, () => hasEnded(pid))
  })
}

test('a plugin is ended as soon as the caller that opens the cluster waits no longer', async (t) => {
  const { folder, config } = await scene(t, 'sleep 600 & echo $! > pid; wait')
  const stop = new AbortController()
  const over = assert.rejects(open(t, config, { signal: stop.signal }), /Tab/)
  const pid = await waitFor({ what: 'the plugin', limitMs: 5000, everyMs: 5 }, () => pidIn(folder))
  stop.abort(new Error('Tab was pressed once more'))
  await over
  await waitFor({ what: 'the end of its child', limitMs: 5000, everyMs: 5 }, () => hasEnded(pid))
})

for (const [script, words] of [
  ['echo "token expired, please log in" >&2; exit 1', /token expired, please log in$/],
  ['echo no json', /the plugin's answer is not an object$/],
  [
    'echo "{}"',
    /the plugin's answer is no ExecCredential of client\.authentication\.k8s\.io\/v1: no kind of no version$/,
  ],
] as const) {
  test(`a plugin that does \`${script}\` is the user's to mend`, async (t) => {
    const { config } = await scene(t, script)
    await assert.rejects(open(t, config), { name: 'UserError', code: 'KUBE_UNAUTHORIZED', message: words })
  })
}

test('a plugin that is not installed is named', async (t) => {
  const server = await new FakeApiServer().start()
  t.after(() => server.stop())
  const exec = { apiVersion: V1, command: 'no-such-plugin-at-all', interactiveMode: 'Never' }
  await assert.rejects(open(t, kubeconfigOf(server, { exec })), {
    name: 'UserError',
    code: 'KUBE_UNAUTHORIZED',
    message: /no-such-plugin-at-all/,
  })
})

async function pidIn(folder: string): Promise<number | undefined> {
  const path = join(folder, 'pid')
  return existsSync(path) ? Number(await readFile(path, 'utf8')) || undefined : undefined
}

function hasEnded(pid: number): true | undefined {
  try {
    process.kill(pid, 0)
    return undefined
  } catch {
    return true
  }
}
