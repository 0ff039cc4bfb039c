import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { ExecRelays } from '../../../src/dns/io/relay/exec-relays.ts'
import { NODE_RELAY } from '../../../src/dns/io/relay/scripts/node-relay.ts'
import { PERL_RELAY } from '../../../src/dns/io/relay/scripts/perl-relay.ts'
import { PYTHON_RELAY } from '../../../src/dns/io/relay/scripts/python-relay.ts'
import type { OpenRelays } from '../../../src/dns/ports/dns-relays.ts'
import { execInPod } from '../../../src/ground/kube/exec.ts'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import type { Clock } from '../../../src/ground/ports/clock.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { FakeDnsServer } from '../../support/dns/fake-dns-server.ts'
import { relayContract } from '../../support/dns/relay-contract.ts'
import { CHANNEL, containerWith, execServer, exitStatus, say } from '../../support/exec-server.ts'
import { requires } from '../../support/requires.ts'

const never = new AbortController().signal
const POD = { namespace: 'shop', name: 'web-0' }
const QUESTION = { name: 'kubernetes.default.svc.cluster.local', type: 'A', class: 'IN' } as const
const LIMIT = { limitMs: 10_000, everyMs: 5 }
/** A line of a request that every proxy takes. */
const LINE_BYTES_MAX = 8_000

const SCRIPTS = {
  node: { options: {}, command: ['node', '-e', NODE_RELAY] },
  python3: { options: requires('python3'), command: ['python3', '-I', '-c', PYTHON_RELAY] },
  perl: { options: requires('perl'), command: ['perl', '-e', PERL_RELAY] },
} as const

/** A script that really runs, spoken to by exec. */
async function relay(t: TestContext, program: keyof typeof SCRIPTS, idleLimitS = 30) {
  const container = containerWith(t, program)
  const server = await execServer(t, { serve: container.serve })
  const command = [...SCRIPTS[program].command, String(idleLimitS)] as const
  const stream = await execInPod(server.client, { pod: POD, command }, never)
  t.after(() => stream.destroy())
  return { stream, container, server, stop: () => container.processes[0]?.kill() }
}

for (const program of ['node', 'python3', 'perl'] as const) {
  const { options } = SCRIPTS[program]
  relayContract(`a relay by exec of ${program}`, (t) => relay(t, program), options)

  test(`a relay of ${program} ends where its stdin does`, options, async (t) => {
    const { stream } = await relay(t, program)
    stream.resume().end()
    await once(stream, 'close')
  })

  test(`a relay of ${program} ends where its check is lost`, options, async (t) => {
    const { stream, container } = await relay(t, program)
    const child = await waitFor({ what: 'it runs', ...LIMIT }, async () => container.processes[0])
    stream.destroy()
    if (child.exitCode === null) await once(child, 'exit')
  })

  test(
    `a relay of ${program} ends where no frame comes for its limit, though its stdin is open`,
    options,
    async (t) => {
      const { stream } = await relay(t, program, 1)
      stream.resume()
      const [error] = await once(stream, 'error')
      assert.equal(error.code, 'KUBE_EXEC_FAILED')
    },
  )

  test(`the script of ${program} fits into the line of a request`, options, async (t) => {
    const { server } = await relay(t, program)
    const length = server.asked[0]?.path.length ?? LINE_BYTES_MAX
    assert.ok(length < LINE_BYTES_MAX, String(length))
  })
}

/** The same with all waits a fiftieth. */
const hurried: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 50, signal) }

async function opened(
  t: TestContext,
  wanted: Parameters<typeof execServer>[1],
  { clock = systemClock, ...more }: { readonly clock?: Clock; readonly container?: string } = {},
) {
  const server = await execServer(t, wanted)
  const relays = await new ExecRelays({ client: server.client, clock, random, pod: POD, ...more }).open(['n1'], never)
  t.after(() => relays.close(never))
  return { server, relays }
}

const asks = async (t: TestContext, { relays: [relay] }: OpenRelays): Promise<string> => {
  const { port } = await FakeDnsServer.of(t)
  const at = { address: '127.0.0.1', port }
  return (await relay?.asker.ask({ at, question: QUESTION, over: 'udp', timeoutMs: 5_000 }, never))?.kind ?? 'no relay'
}

for (const [has, note, needs] of [
  [['perl', 'python3', 'node'], 'pod shop/web-0 asked by node', requires()],
  [['perl', 'python3'], 'pod shop/web-0 asked by python3; it has no node', requires('python3')],
  [['perl'], 'pod shop/web-0 asked by perl; it has no node; it has no python3', requires('perl')],
] as const)
  test(`a pod with ${has.join(', ')} asks from its node, and its script ends with the check`, needs, async (t) => {
    const container = containerWith(t, ...has)
    const { relays, server } = await opened(t, { serve: container.serve })
    assert.deepEqual(
      [relays.relays.map(({ name, node }) => [name, node]), relays.notes],
      [[['pod shop/web-0', 'n2']], [note]],
    )
    assert.equal(await asks(t, relays), 'reply')
    assert.deepEqual(await relays.close(never), [])
    await waitFor({ what: 'nothing is open', ...LIMIT }, async () => server.open() === 0 || undefined)
    assert.deepEqual(
      container.processes.map(({ exitCode }) => exitCode),
      [0],
    )
  })

test('the script runs in the container that is named', async (t) => {
  const { server } = await opened(t, { serve: containerWith(t, 'node').serve }, { container: 'web' })
  assert.match(server.asked[0]?.path ?? '', /[?&]container=web&/)
})

type Wanted = Parameters<typeof execServer>[1]

const WITHOUT: readonly (readonly [what: string, wanted: (t: TestContext) => Wanted, note: RegExp, tries: number])[] = [
  [
    'has none of the three',
    (t) => containerWith(t),
    /: it has no node; it has no python3; it has no perl; --ephemeral adds a container that can$/,
    3,
  ],
  [
    'has all of them, too old for the script',
    () => ({
      serve: (socket) => {
        say(socket, CHANNEL.stderr, 'SyntaxError: \u001b[1minvalid\nsyntax')
        say(socket, CHANNEL.status, JSON.stringify(exitStatus(1)))
      },
    }),
    /: node in pod shop\/web-0: exit code 1: SyntaxError: \\x1b\[1minvalid \| syntax; python3 .*; perl .*; --ephemeral/,
    3,
  ],
  [
    'has programs of these names that do nothing',
    () => ({ serve: (socket) => say(socket, CHANNEL.status, JSON.stringify(exitStatus(0))) }),
    /: node ended without a word; python3 ended without a word; perl ended without a word; --ephemeral/,
    3,
  ],
  [
    'hangs: the exec is taken, and nothing ever comes',
    () => ({ serve: () => undefined }),
    /: node did not answer within 10 s$/,
    1,
  ],
  [
    'says what is no frame',
    () => ({ serve: (socket) => say(socket, CHANNEL.stdout, Buffer.of(0, 1, 2, 3)) }),
    /: the relay was lost: a frame of 1 octets is too short$/,
    1,
  ],
  [
    'greets with a text',
    () => ({ serve: (socket) => say(socket, CHANNEL.stdout, 'Welcome to the shop') }),
    /: node did not answer within 10 s$/,
    1,
  ],
  [
    'loses the connection',
    () => ({ serve: (socket) => socket.terminate() }),
    /: the relay was lost: node in pod shop\/web-0: the connection ended before the command$|: node in pod .* before the command$/,
    1,
  ],
  [
    'lets no command be run in it',
    () => ({ serve: () => undefined, refuse: 403 }),
    /: get pods\/exec: no \(HTTP 403\)$/,
    1,
  ],
  ['is not there', () => ({ serve: () => undefined, podStatus: 404 }), /: get pods: no \(HTTP 404\)$/, 0],
]

for (const [what, wanted, note, tries] of WITHOUT)
  test(`a pod that ${what} does not ask, and it is said why`, async (t) => {
    const { relays, server } = await opened(t, wanted(t), { clock: hurried })
    assert.deepEqual(relays.relays, [])
    assert.match(relays.notes.join('\n'), /^pod shop\/web-0 did not ask: /)
    assert.match(relays.notes.join('\n'), note)
    assert.equal(server.asked.length, tries)
    await waitFor({ what: 'nothing is open', ...LIMIT }, async () => server.open() === 0 || undefined)
  })

test('a check that is given up while a script starts leaves nothing open', async (t) => {
  const stop = new AbortController()
  const server = await execServer(t, { serve: () => stop.abort(new Error('enough')) })
  const relays = new ExecRelays({ client: server.client, clock: systemClock, random, pod: POD })
  await assert.rejects(relays.open([], stop.signal), { message: 'enough' })
  await waitFor({ what: 'nothing is open', ...LIMIT }, async () => server.open() === 0 || undefined)
})

test('a script hears of its check while that waits for other places', async (t) => {
  const container = containerWith(t, 'node')
  let frames = 0
  const serve: Wanted['serve'] = (socket, command) => {
    container.serve(socket, command)
    socket.on('message', () => {
      frames += 1
    })
  }
  const { relays } = await opened(
    t,
    { serve },
    { clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 10, signal) } },
  )
  await waitFor({ what: 'three frames without a query', ...LIMIT }, async () => frames >= 3 || undefined)
  assert.equal(await asks(t, relays), 'reply')
})

test('a script that does not end is left to its own limit, and that is said', async (t) => {
  const container = containerWith(t, 'node')
  const { relays } = await opened(t, { serve: container.serve })
  container.processes[0]?.kill('SIGSTOP')
  assert.deepEqual(await relays.close(never), ['node in pod shop/web-0 ends by itself within 30 s'])
})
