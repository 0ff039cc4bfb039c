import assert from 'node:assert/strict'
import { get } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { LocalHaproxy } from '../../support/local-haproxy.ts'
import { Origin } from '../../support/origin.ts'
import { requires } from '../../support/requires.ts'
import { never, opened, ref, serverOf, serverOnce } from './opened.ts'
import { RECORDED, replyText } from './recorded-reply.ts'
import { saying, scriptedPeer } from './scripted-peer.ts'

/** A HAProxy with a master, reloaded while a request to `web/a` is under way. */
async function reloadedUnderWay(t: TestContext) {
  const origin = await Origin.start(t)
  const haproxy = await LocalHaproxy.start(t, {
    kind: 'master and worker',
    master: true,
    sections: (directory) => `frontend front
  bind unix@${directory}/front.sock
  default_backend web
backend web
  server a 127.0.0.1:${origin.port}
`,
  })
  const [address, masterSocket] = [
    { kind: 'unix', path: haproxy.socket } as const,
    join(haproxy.directory, 'master.sock'),
  ]
  const balancer = opened(t, { address, masterSocket, backends: ['web'] })
  const answer = new Promise<number | string>((resolve) => {
    get({ socketPath: join(haproxy.directory, 'front.sock'), path: '/slow', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
  await serverOnce(balancer, 'web/a', ({ currentSessions }) => currentSessions === 1)
  await haproxy.reload()
  return { origin, haproxy, address, balancer, answer }
}

test(
  'a request from before a reload counts until it has ended, in readings and in looks',
  requires('haproxy'),
  async (t) => {
    const { origin, address, balancer, answer } = await reloadedUnderWay(t)
    const seen = await serverOnce(balancer, 'web/a', ({ oldSessions }) => oldSessions === 1)
    assert.equal(seen.currentSessions, 0)
    const look = await balancer.look('lb-1', [ref('web/a')], never)
    assert.deepEqual(
      look?.servers.map(({ oldSessions }) => oldSessions),
      [1],
    )
    assert.equal(await balancer.clientConnections('lb-1', never), 1)
    const without = opened(t, { address, backends: ['web'] })
    assert.equal((await serverOf(without, 'web/a')).oldSessions, undefined)

    origin.release()
    assert.equal(await answer, 200)
    await serverOnce(balancer, 'web/a', ({ oldSessions }) => oldSessions === undefined)
    assert.equal(await balancer.clientConnections('lb-1', never), 0)
  },
)

test('a cut ends the sessions of old workers as well, and those of no other server', requires('haproxy'), async (t) => {
  const { balancer, answer } = await reloadedUnderWay(t)
  await serverOnce(balancer, 'web/a', ({ oldSessions }) => oldSessions === 1)
  await balancer.cutSessions(ref('web/a'), never)
  assert.notEqual(await answer, 200)
  await serverOnce(balancer, 'web/a', ({ oldSessions }) => oldSessions === undefined)
})

test('where the master does not answer, a reading says why, and a plan fails', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections: () => 'backend web\n  server a 127.0.0.1:1\n' })
  const masterSocket = join(haproxy.directory, 'absent.sock')
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, masterSocket, backends: ['web'] })
  const error = { code: 'BALANCER_UNREACHABLE', message: /^lb-1 \(.*absent\.sock\): there is no such socket$/ }
  assert.match((await serverOf(balancer, 'web/a')).oldUnknown ?? '', error.message)
  await assert.rejects(balancer.inspect('lb-1', never), error)
})

const HEAD = '#<PID>          <type>          <reloads>       <uptime>        <version>\n'

const LYING: readonly (readonly [what: string, reply: string])[] = [
  ['no table', 'hello\n'],
  ['a table of too many old workers', `${HEAD}# old workers\n${'7 worker 1 0d00h00m01s 2.6\n'.repeat(65)}`],
  ['statistics without a header', `${HEAD}# old workers\n7 worker 1 0d00h00m01s 2.6\n`],
]

for (const [what, reply] of LYING)
  test(`${what} at the socket of the master is no answer`, async (t) => {
    const address = await scriptedPeer(t, saying(replyText(RECORDED)))
    const master = await scriptedPeer(t, (socket) => socket.end(reply))
    assert.ok(address.kind === 'unix' && master.kind === 'unix')
    const balancer = opened(t, { address, masterSocket: master.path, backends: ['web'] })
    await assert.rejects(balancer.inspect('lb-1', never), { code: 'BALANCER_REPLY' })
    const { servers } = await balancer.read('lb-1', never)
    assert.ok(servers.length > 0 && servers.every(({ oldUnknown }) => oldUnknown !== undefined))
  })

test('an old worker that ends between two questions has no session', async (t) => {
  const address = await scriptedPeer(t, saying(replyText(RECORDED)))
  const master = await scriptedPeer(t, (socket, line) =>
    socket.end(
      line.startsWith('show proc')
        ? `${HEAD}1 master 2 0d00h01m00s 2.6\n# workers\n8 worker 0 0d00h00m01s 2.6\n# old workers\n7 worker 1 0d00h00m09s 2.6\n# programs\n\n`
        : "Can't find the target PID matching the prefix '@!7'\n",
    ),
  )
  assert.ok(master.kind === 'unix')
  const balancer = opened(t, { address, masterSocket: master.path, backends: ['web'] })
  const { servers } = await balancer.read('lb-1', never)
  assert.deepEqual(
    servers.map(({ oldSessions }) => oldSessions),
    [undefined, undefined],
  )
})
