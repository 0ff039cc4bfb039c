import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { type TestContext, test } from 'node:test'
import type { WebSocket } from 'ws'
import { execInPod } from '../../../src/ground/kube/exec.ts'
import type { WorldError } from '../../../src/ground/model/world-error.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { CHANNEL, type ExecServer, execServer, exitStatus, missingStatus, say } from '../../support/exec-server.ts'

const never = new AbortController().signal
const POD = { namespace: 'shop', name: 'web-0' }
const LIMIT = { limitMs: 5_000, everyMs: 5 }

const run = ({ client }: ExecServer, signal = never): Promise<Duplex> =>
  execInPod(client, { pod: POD, command: ['cat', '-n', 'a b'] }, signal)

const end = (socket: WebSocket, status: object): void => {
  say(socket, CHANNEL.status, JSON.stringify(status))
  socket.close()
}

async function served(t: TestContext, serve: (socket: WebSocket) => void): Promise<Duplex> {
  return run(await execServer(t, { serve }))
}

async function textOf(stream: Duplex): Promise<string> {
  let text = ''
  for await (const bytes of stream) text += String(bytes)
  return text
}

test('a command and its arguments go to the container that is named, by the newest protocol', async (t) => {
  const server = await execServer(t, { serve: (socket) => end(socket, exitStatus(0)) })
  const command = ['cat', '-n', 'a b'] as const
  await textOf(await execInPod(server.client, { pod: POD, container: 'web', command }, never))
  assert.deepEqual(server.asked, [
    {
      path: '/api/v1/namespaces/shop/pods/web-0/exec?stdin=true&stdout=true&stderr=true&tty=false&container=web&command=cat&command=-n&command=a+b',
      offered: 'v5.channel.k8s.io,v4.channel.k8s.io',
    },
  ])
})

for (const [protocol, messages] of [
  ['v5.channel.k8s.io', ['\x00hello', '\xff\x00']],
  ['v4.channel.k8s.io', ['\x00hello']],
] as const)
  test(`by ${protocol} stdin goes out, stdout comes in, and the end of both is told where that can be said`, async (t) => {
    const received: string[] = []
    const serve = (socket: WebSocket): void => {
      say(socket, CHANNEL.stdout, '')
      socket.on('message', (message: Buffer) => received.push(message.toString('latin1')))
      say(socket, CHANNEL.stdout, 'one ')
      say(socket, CHANNEL.stderr, 'a warning')
      say(socket, CHANNEL.stdout, 'two')
    }
    const server = await execServer(t, {
      protocol,
      serve: (socket) => {
        serve(socket)
        socket.on('message', () => received.length === messages.length && end(socket, exitStatus(0)))
      },
    })
    const stream = await run(server)
    stream.end('hello')
    assert.equal(await textOf(stream), 'one two')
    assert.deepEqual(received, messages)
    await waitFor({ what: 'no WebSocket is open', ...LIMIT }, async () => server.open() === 0 || undefined)
  })

const FAILING: readonly (readonly [what: string, serve: (socket: WebSocket) => void, code: string, message: RegExp])[] =
  [
    [
      'a command that fails, with a long complaint in colours',
      (socket) => {
        for (let i = 0; i < 100; i += 1) say(socket, CHANNEL.stderr, 'x'.repeat(100_000))
        say(socket, CHANNEL.stderr, '\n\u001b[31mno such option: -n\n')
        end(socket, exitStatus(2))
      },
      'KUBE_EXEC_FAILED',
      /^cat in pod shop\/web-0: exit code 2: x{300,400} \| \\x1b\[31mno such option: -n$/,
    ],
    [
      'a command that is not in the container',
      (socket) => end(socket, missingStatus('cat')),
      'KUBE_EXEC_MISSING',
      /^cat in pod shop\/web-0: it is not there$/,
    ],
    [
      'a command that a shell does not find',
      (socket) => end(socket, exitStatus(127)),
      'KUBE_EXEC_MISSING',
      /it is not there$/,
    ],
    [
      'a container that does not run',
      (socket) => end(socket, { status: 'Failure', message: 'container not running (\u001b]0;web)' }),
      'KUBE_EXEC_FAILED',
      /: container not running \(\\x1b\]0;web\)$/,
    ],
    ['a failure without a word', (socket) => end(socket, { status: 'Failure' }), 'KUBE_EXEC_FAILED', /: it failed$/],
    [
      'a status that is no JSON',
      (socket) => say(socket, CHANNEL.status, '{"status":'),
      'KUBE_EXEC',
      /a status that makes no sense$/,
    ],
    [
      'a status that is no object',
      (socket) => say(socket, CHANNEL.status, '"Success"'),
      'KUBE_EXEC',
      /a status that makes no sense$/,
    ],
    ['a status of odd types', (socket) => end(socket, { status: 1, details: 'x' }), 'KUBE_EXEC_FAILED', /: it failed$/],
    ['a channel that there is not', (socket) => say(socket, 9, 'x'), 'KUBE_EXEC', /on an unknown channel$/],
    [
      'what is for the command alone',
      (socket) => say(socket, CHANNEL.stdin, 'x'),
      'KUBE_EXEC',
      /on an unknown channel$/,
    ],
    ['text where bytes are due', (socket) => socket.send('hello'), 'KUBE_EXEC', /on an unknown channel$/],
    ['an empty message', (socket) => socket.send(Buffer.alloc(0)), 'KUBE_EXEC', /on an unknown channel$/],
    ['a message without end', (socket) => socket.send(Buffer.alloc(2 * 1024 * 1024)), 'KUBE_EXEC', /size exceeded/],
    [
      'a connection that is closed',
      (socket) => socket.close(),
      'KUBE_EXEC',
      /the connection ended before the command$/,
    ],
    [
      'a connection that is cut',
      (socket) => socket.terminate(),
      'KUBE_EXEC',
      /the connection ended before the command$/,
    ],
  ]

for (const [what, serve, code, message] of FAILING)
  test(`${what} is ${code}`, async (t) => {
    const stream = await served(t, serve)
    await assert.rejects(textOf(stream), (error: WorldError) => {
      assert.equal(error.code, code)
      assert.match(error.message, message)
      return true
    })
  })

test('what comes after the status changes nothing', async (t) => {
  const stream = await served(t, (socket) => {
    say(socket, CHANNEL.stdout, 'all')
    say(socket, CHANNEL.status, JSON.stringify(exitStatus(0)))
    say(socket, CHANNEL.stdout, ' and more')
    say(socket, CHANNEL.status, JSON.stringify(exitStatus(1)))
    socket.send('hello')
    socket.close()
  })
  assert.equal(await textOf(stream), 'all')
})

test('an API server that knows neither protocol is no way to the pod', async (t) => {
  const server = await execServer(t, { serve: () => undefined, protocol: 'channel.k8s.io' })
  await assert.rejects(run(server), { code: 'KUBE_UNREACHABLE' })
})

test('without the right to it nothing runs, and the right is named', async (t) => {
  const server = await execServer(t, { serve: () => undefined, refuse: 403 })
  await assert.rejects(run(server), { code: 'KUBE_FORBIDDEN', message: 'get pods/exec: no (HTTP 403)' })
})

test('a reader that does not read keeps the API server from sending on', async (t) => {
  const peer = Promise.withResolvers<WebSocket>()
  const stream = await served(t, peer.resolve)
  const socket = await peer.promise
  const chunk = Buffer.alloc(256 * 1024)
  const total = 256
  for (let i = 0; i < total; i += 1) say(socket, CHANNEL.stdout, chunk)
  end(socket, exitStatus(0))
  await once(stream, 'readable')
  await waitFor({ what: 'the reader holds back', ...LIMIT }, async () => stream.readableLength > 0 || undefined)
  assert.ok(stream.readableLength < 4 * 1024 * 1024, String(stream.readableLength))
  assert.ok(socket.bufferedAmount > 16 * 1024 * 1024, String(socket.bufferedAmount))
  let length = 0
  for await (const bytes of stream) length += (bytes as Buffer).length
  assert.equal(length, total * chunk.length)
})

test('an exec that is given up while the API server hesitates leaves no connection', async (t) => {
  const server = await execServer(t, { serve: () => undefined })
  const stop = new AbortController()
  const asked = run(server, stop.signal)
  stop.abort(new Error('enough'))
  await assert.rejects(asked, { message: 'enough' })
  await waitFor({ what: 'no WebSocket is open', ...LIMIT }, async () => server.open() === 0 || undefined)
})

test('a stream that is destroyed ends its WebSocket, though the command says nothing', async (t) => {
  const server = await execServer(t, { serve: () => undefined })
  const stream = await run(server)
  await waitFor({ what: 'a WebSocket is open', ...LIMIT }, async () => server.open() === 1 || undefined)
  stream.destroy()
  await waitFor({ what: 'no WebSocket is open', ...LIMIT }, async () => server.open() === 0 || undefined)
})
