import assert from 'node:assert/strict'
import { get } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { waitFor } from '../../../../../testbed/machine/wait-for.ts'
import { LocalHaproxy } from '../../../../support/local-haproxy.ts'
import { Origin } from '../../../../support/origin.ts'
import { requires } from '../../../../support/requires.ts'
import { never, opened, ref, serverOf, serverOnce } from './opened.ts'
import { RECORDED, replyText, replyWith } from './recorded-reply.ts'
import { type Script, saying, scriptedPeer } from './scripted-peer.ts'

function ask(haproxy: LocalHaproxy): Promise<number | string> {
  return new Promise((resolve) => {
    get({ socketPath: join(haproxy.directory, 'front.sock'), path: '/slow', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

/** A HAProxy with a master, reloaded while a request to `web/a` and one to `web/b` are under way. `names`: those after the reload. */
async function reloadedUnderWay(t: TestContext, names: readonly [a: string, b: string] = ['a', 'b']) {
  const [a, b] = [await Origin.start(t), await Origin.start(t)]
  const config = ([nameOfA, nameOfB]: readonly [string, string]) => ({
    kind: 'master and worker' as const,
    master: true,
    sections: (directory: string) => `frontend front
  bind unix@${directory}/front.sock
  default_backend web
backend web
  server ${nameOfA} 127.0.0.1:${a.port}
  server ${nameOfB} 127.0.0.1:${b.port}
`,
  })
  const haproxy = await LocalHaproxy.start(t, config(['a', 'b']))
  const address = { kind: 'unix', path: haproxy.socket } as const
  const balancer = opened(t, { address, masterSocket: join(haproxy.directory, 'master.sock'), backends: ['web'] })
  const under = (count: number) =>
    waitFor({ what: `${count} requests`, limitMs: 10_000 }, () => a.waiting + b.waiting === count || undefined)
  const first = ask(haproxy)
  await under(1)
  const isAtA = a.waiting === 1
  const second = ask(haproxy)
  await under(2)
  const answers = isAtA ? [first, second] : [second, first]
  await haproxy.reload(config(names))
  return { a, b, address, balancer, answers }
}

test(
  'a request from before a reload counts until it has ended, in readings and in looks',
  requires('haproxy'),
  async (t) => {
    const { a, b, address, balancer, answers } = await reloadedUnderWay(t)
    const seen = await serverOnce(balancer, 'web/a', ({ oldSessions }) => oldSessions === 1)
    assert.deepEqual([seen.currentSessions, seen.oldClients], [0, 2])
    const look = await balancer.readCounters('lb-1', [ref('web/a')], never)
    assert.equal(look?.servers.find(({ ref: { server } }) => server === 'a')?.oldSessions, 1)
    assert.equal(await balancer.clientConnections('lb-1', never), 2)
    const without = opened(t, { address, backends: ['web'] })
    assert.deepEqual(
      [(await serverOf(without, 'web/a')).oldSessions, await without.clientConnections('lb-1', never)],
      [undefined, 0],
    )

    a.release()
    assert.equal(await answers[0], 200)
    const left = await serverOnce(balancer, 'web/a', ({ oldClients }) => oldClients === 1)
    assert.equal(left.oldSessions, undefined)
    b.release()
    assert.equal(await answers[1], 200)
    await serverOnce(balancer, 'web/a', ({ oldClients, oldUnknown }) => oldClients === undefined && !oldUnknown)
    assert.equal(await balancer.clientConnections('lb-1', never), 0)
  },
)

test(
  'a cut ends the sessions of old workers with that server, and those with no other',
  requires('haproxy'),
  async (t) => {
    const { b, balancer, answers } = await reloadedUnderWay(t)
    await serverOnce(balancer, 'web/a', ({ oldSessions }) => oldSessions === 1)
    await balancer.cutSessions(ref('web/a'), never)
    assert.notEqual(await answers[0], 200)
    await serverOnce(balancer, 'web/a', ({ oldSessions, oldUnknown }) => oldSessions === undefined && !oldUnknown)
    await serverOnce(balancer, 'web/b', ({ oldSessions }) => oldSessions === 1)
    b.release()
    assert.equal(await answers[1], 200)
  },
)

test(
  'a reload that gives names to other servers changes nothing: the address counts',
  requires('haproxy'),
  async (t) => {
    const { a, balancer, answers } = await reloadedUnderWay(t, ['b', 'a'])
    // `web/a` is the server now that was `web/b`.
    a.release()
    assert.equal(await answers[0], 200)
    const idle = await serverOnce(balancer, 'web/b', ({ oldClients }) => oldClients === 1)
    assert.equal(idle.oldSessions, undefined)
    await serverOnce(balancer, 'web/a', ({ oldSessions }) => oldSessions === 1)
    await balancer.cutSessions(ref('web/a'), never)
    assert.notEqual(await answers[1], 200)
  },
)

test('where the master does not answer, a reading says why, and a plan fails', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections: () => 'backend web\n  server a 127.0.0.1:1\n' })
  const masterSocket = join(haproxy.directory, 'absent.sock')
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, masterSocket, backends: ['web'] })
  const error = { code: 'BALANCER_UNREACHABLE', message: /^lb-1 \(.*absent\.sock\): there is no such socket$/ }
  assert.match((await serverOf(balancer, 'web/a')).oldUnknown ?? '', error.message)
  await assert.rejects(balancer.inspect('lb-1', never), error)
})

const HEAD = '#<PID>          <type>          <reloads>       <uptime>        <version>\n'
const ONE_OLD = `${HEAD}1 master 2 0d00h01m00s 2.6\n# workers\n8 worker 0 0d00h00m01s 2.6\n# old workers\n7 worker 1 0d00h00m09s 2.6\n# programs\n\n`
const SERVERS = RECORDED.stats.join('\n')
const FRONTENDS = '# pxname,svname,scur,type,\nfront,FRONTEND,1,0,'

/** What a master says of one old worker; `servers` is the answer about its servers. */
const master =
  (servers: string): Script =>
  (socket, line) => {
    if (line.startsWith('show proc')) socket.end(ONE_OLD)
    else socket.end(line.includes('-1 1 -1') ? `${FRONTENDS}\n\n` : servers)
  }

async function balancerBefore(t: TestContext, script: Script) {
  const address = await scriptedPeer(t, saying(replyText(RECORDED)))
  const at = await scriptedPeer(t, script)
  assert.ok(at.kind === 'unix')
  return opened(t, { address, masterSocket: at.path, backends: ['web'] })
}

test('the recorded answer of an old worker is read as it is meant', async (t) => {
  const balancer = await balancerBefore(t, master(`${SERVERS}\n\n`))
  assert.deepEqual(
    (await balancer.read('lb-1', never)).servers.map(({ oldSessions, oldClients }) => [oldSessions, oldClients]),
    [
      [1, 1],
      [2, 1],
    ],
  )
})

const LYING: readonly (readonly [what: string, script: Script])[] = [
  ['no table', (socket) => socket.end('hello\n\n')],
  [
    'a table of too many old workers',
    (socket) => socket.end(`${HEAD}# old workers\n${'7 worker 1 0d00h00m01s 2.6\n'.repeat(65)}\n`),
  ],
  ['a table that breaks off', (socket) => socket.end(ONE_OLD.slice(0, -1))],
  ['servers that break off after a row', master(`${SERVERS.split('\n').slice(0, 2).join('\n')}\n`)],
  ['no server, as HAProxy before 2.5 says,', master(`${SERVERS.split('\n')[0]}\n\n`)],
  ['a worker that is about to end', master("Can't connect to the target CLI!\n")],
]

for (const [what, script] of LYING)
  test(`${what} at the socket of the master is no answer`, async (t) => {
    const balancer = await balancerBefore(t, script)
    await assert.rejects(balancer.inspect('lb-1', never), { code: 'BALANCER_REPLY' })
    const { servers } = await balancer.read('lb-1', never)
    assert.ok(servers.length > 0 && servers.every(({ oldUnknown }) => oldUnknown !== undefined))
  })

test('a master that never answers leaves a reading of use, and delays it by half a second at most', async (t) => {
  const balancer = await balancerBefore(t, () => undefined)
  const { servers } = await balancer.read('lb-1', AbortSignal.timeout(1_900))
  assert.ok(servers.length > 0)
  for (const { oldUnknown } of servers) assert.match(oldUnknown ?? '', /^lb-1 .* no complete answer within 500 ms$/)
})

test('a version whose old workers tell of nothing is refused by a plan', async (t) => {
  const address = await scriptedPeer(t, saying(`I am admin\n\n${replyWith('Version: 2.6.12', 'Version: 2.4.22')}`))
  const at = await scriptedPeer(t, master(`${SERVERS}\n\n`))
  assert.ok(at.kind === 'unix')
  const balancer = opened(t, { address, masterSocket: at.path, backends: ['web'] })
  const message = /masterSocket needs HAProxy 2\.5 or later, and this is 2\.4\.22$/
  await assert.rejects(balancer.inspect('lb-1', never), { code: 'BALANCER_REPLY', message })
})

test('an old worker that ends between two questions has no session', async (t) => {
  const balancer = await balancerBefore(t, master("Can't find the target PID matching the prefix '@!7'\n"))
  const { servers } = await balancer.read('lb-1', never)
  assert.deepEqual(
    servers.map(({ oldSessions, oldUnknown }) => [oldSessions, oldUnknown]),
    [
      [undefined, undefined],
      [undefined, undefined],
    ],
  )
})
