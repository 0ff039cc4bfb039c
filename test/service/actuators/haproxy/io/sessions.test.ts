import assert from 'node:assert/strict'
import { type ClientRequest, get, type OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { LocalHaproxy } from '../../../../support/local-haproxy.ts'
import { Origin } from '../../../../support/origin.ts'
import { requires } from '../../../../support/requires.ts'
import { never, opened, ref, serverOf, serverOnce } from './opened.ts'

interface Answer {
  readonly status: number
  readonly body: string
}

/** A request through the frontend `front.sock`; resolves with the answer, or with the error's code. */
function ask(haproxy: LocalHaproxy, path: string, headers: OutgoingHttpHeaders = {}): Promise<Answer | string> {
  const request = get({ socketPath: join(haproxy.directory, 'front.sock'), path, headers, agent: false })
  return answerTo(request).catch((error: NodeJS.ErrnoException) => error.code ?? error.message)
}

function answerTo(request: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('response', async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({ status: response.statusCode ?? 0, body })
    })
  })
}

interface Options {
  readonly backend?: string
  readonly a?: string
  readonly b?: string
}

interface TwoServers {
  readonly haproxy: LocalHaproxy
  readonly a: Origin
  readonly b: Origin
}

async function twoServers(t: TestContext, options: Options = {}): Promise<TwoServers> {
  const a = await Origin.start(t)
  const b = await Origin.start(t)
  const haproxy = await LocalHaproxy.start(t, {
    sections: (directory) => `frontend front
  bind unix@${directory}/front.sock
  default_backend web
backend web
  balance roundrobin
  ${options.backend ?? ''}
  server a 127.0.0.1:${a.port} ${options.a ?? ''}
  server b 127.0.0.1:${b.port} ${options.b ?? ''}
`,
  })
  return { haproxy, a, b }
}

test(
  'what is in flight on a server that leaves is counted down to nothing, and nothing new comes',
  requires('haproxy'),
  async (t) => {
    const { haproxy, a, b } = await twoServers(t)
    const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
    const slow = Array.from({ length: 6 }, () => ask(haproxy, '/slow'))
    await serverOnce(balancer, 'web/a', (server) => server.currentSessions === 3)

    await balancer.setState(ref('web/a'), 'drain', never)
    const draining = await serverOf(balancer, 'web/a')
    assert.deepEqual([draining.currentSessions, draining.totalSessions], [3, 3])

    const after = await Promise.all(Array.from({ length: 8 }, () => ask(haproxy, '/')))
    assert.deepEqual(new Set(after.map((it) => JSON.stringify(it))), new Set(['{"status":200,"body":"ok"}']))
    assert.equal((await serverOf(balancer, 'web/a')).totalSessions, 3)
    assert.equal((await serverOf(balancer, 'web/b')).totalSessions, 11)

    a.release()
    b.release()
    assert.deepEqual(
      await Promise.all(slow),
      Array.from({ length: 6 }, () => ({ status: 200, body: 'at last' })),
    )
    const idle = await serverOnce(balancer, 'web/a', (server) => server.currentSessions === 0)
    assert.equal(idle.totalSessions, 3)
  },
)

test('cut sessions end at once on the server they were cut on, and on no other', requires('haproxy'), async (t) => {
  const { haproxy, b } = await twoServers(t)
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  const slow = Array.from({ length: 4 }, () => ask(haproxy, '/slow'))
  await serverOnce(balancer, 'web/b', (server) => server.currentSessions === 2)
  await serverOnce(balancer, 'web/a', (server) => server.currentSessions === 2)

  await balancer.setState(ref('web/a'), 'drain', never)
  await balancer.cutSessions(ref('web/a'), never)
  await serverOnce(balancer, 'web/a', (server) => server.currentSessions === 0)
  assert.equal((await serverOf(balancer, 'web/b')).currentSessions, 2)

  b.release()
  const answers = await Promise.all(slow)
  assert.equal(answers.filter((it) => typeof it !== 'string' && it.body === 'at last').length, 2)
})

const ofA = { cookie: 'SRV=a' }
const WITH_COOKIE = 'cookie SRV insert'

test('requests that wait for one server are reported as queued', requires('haproxy'), async (t) => {
  const { haproxy, a } = await twoServers(t, { backend: WITH_COOKIE, a: 'cookie a maxconn 1', b: 'cookie b' })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  const first = ask(haproxy, '/slow', ofA)
  await serverOnce(balancer, 'web/a', (server) => server.currentSessions === 1)
  const second = ask(haproxy, '/', ofA)
  const waiting = await serverOnce(balancer, 'web/a', (server) => server.queued === 1)
  assert.equal(waiting.currentSessions, 1)
  a.release()
  assert.deepEqual(await Promise.all([first, second]), [
    { status: 200, body: 'at last' },
    { status: 200, body: 'ok' },
  ])
})

test(
  'a client with a cookie still comes to a server in drain, and no longer to one in maint',
  requires('haproxy'),
  async (t) => {
    const { haproxy } = await twoServers(t, { backend: WITH_COOKIE, a: 'cookie a', b: 'cookie b' })
    const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
    assert.equal((await serverOf(balancer, 'web/a')).persistent, true)
    await balancer.setState(ref('web/a'), 'drain', never)
    await ask(haproxy, '/', ofA)
    assert.equal((await serverOf(balancer, 'web/a')).totalSessions, 1)
    await balancer.setState(ref('web/a'), 'maint', never)
    await ask(haproxy, '/', ofA)
    assert.equal((await serverOf(balancer, 'web/a')).totalSessions, 1)
    assert.equal((await serverOf(balancer, 'web/b')).totalSessions, 1)
  },
)
