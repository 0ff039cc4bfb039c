import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { systemClock as clock } from '../../../../../src/ground/machine/system-clock.ts'
import type { Node } from '../../../../../src/ground/model/node.ts'
import type { Cluster } from '../../../../../src/ground/ports/cluster.ts'
import { CommandBalancer } from '../../../../../src/service/actuators/commands/io/command-balancer.ts'
import type { ServerReading, ServerRef } from '../../../../../src/service/model/balancer.ts'
import type { BalancerCommands } from '../../../../../src/service/model/balancer-commands.ts'
import { waitFor } from '../../../../../testbed/machine/wait-for.ts'
import { aNode } from '../../../../support/roll-world.ts'
import { SeededRandom } from '../../../../support/seeded-random.ts'
import { StandInCommands } from '../../../../support/stand-in-command.ts'

interface Given {
  /** What each script does, as shell; `$1` is the node. */
  readonly status?: string
  readonly detach?: string
  readonly attach?: string
  readonly change?: Partial<BalancerCommands>
  readonly nodes?: readonly Node[]
}

/** A balancer of scripts, which write down that they ran. */
async function aCommandBalancer(t: TestContext, given: Given) {
  const { status = 'echo \'{"state":"in"}\'', detach = 'exit 0', attach = 'exit 0', change, nodes } = given
  const commands = await StandInCommands.make(t)
  const at = commands.directory
  const words = async (name: string, body: string): Promise<readonly string[]> => [
    await commands.script(name, `cd '${at}'; echo ${name} "$@" >> ran; ${body}`),
    '{node}',
    '{address}:{port}',
  ]
  const spec: BalancerCommands = {
    detach: await words('detach', detach),
    attach: await words('attach', attach),
    status: await words('status', status),
    dataPort: 443,
    timeoutMs: 2_000,
    intervalMs: 60_000,
    ...change,
  }
  const cluster = { list: async () => nodes ?? [aNode('n1'), aNode('n2')] } as unknown as Pick<Cluster, 'list'>
  const balancer = new CommandBalancer({
    spec: {
      name: 'edge',
      instances: ['edge'],
      backends: ['nodes'],
      allowLastServer: false,
      via: { kind: 'commands', ...spec },
    },
    cluster,
    clock,
    random: new SeededRandom(1),
    searchPath: process.env.PATH ?? '',
  })
  t.after(() => balancer.close())
  const ran = async (): Promise<readonly string[]> =>
    (await readFile(join(at, 'ran'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
  const read = async (own: readonly ServerRef[] = []): Promise<readonly ServerReading[]> =>
    (await balancer.read('edge', never, own)).servers
  return { balancer, at, ran, read }
}

const never = new AbortController().signal
const REF: ServerRef = { instance: 'edge', backend: 'nodes', server: 'n1' }

const n1 = (servers: readonly ServerReading[]): ServerReading => {
  const found = servers.find(({ ref }) => ref.server === 'n1')
  assert.ok(found)
  return found
}

test('commands are told node, address and port in each argument', async (t) => {
  const { balancer, ran, read } = await aCommandBalancer(t, {})
  await read()
  await balancer.setState(REF, 'drain', never)
  await balancer.setState(REF, 'ready', never)
  const said = await ran()
  assert.deepEqual(said.slice(-2), ['detach n1 10.0.0.1:443', 'attach n1 10.0.0.1:443'])
  assert.deepEqual([...said.slice(0, 2)].sort(), ['status n1 10.0.0.1:443', 'status n2 10.0.0.2:443'])
})

const STATES = [
  ['{"state":"in","sessions":7,"total":90,"more":[]}', 'ready ready up none 7 90'],
  ['{"state":"in"}', 'ready ready up none 0 0'],
  ['{"state":"leaving","sessions":2}', 'drain drain up none 2 0'],
  ['{"state":"out","sessions":0,"node":"n1"}', 'drain drain up none 0 0'],
  ['{"state":"returning","sessions":null}', 'ready ready starting none 0 0'],
] as const
for (const [word, expected] of STATES) {
  test(`a status is read: ${word}`, async (t) => {
    const { read } = await aCommandBalancer(t, { status: `echo '${word}'`, nodes: [aNode('n1')] })
    const it = n1(await read())
    const { ownState, adminState, operational, check, currentSessions, totalSessions } = it
    assert.equal([ownState, adminState, operational, check, currentSessions, totalSessions].join(' '), expected)
  })
}

const UNKNOWN: readonly (readonly [what: string, status: string, why: RegExp])[] = [
  ['prints nothing', 'exit 0', /^its status command printed nothing$/],
  ['prints rubbish', 'printf "\\033[2Jup!"', /^its status command printed no JSON object: \\x1b\[2Jup!$/],
  ['prints a list', 'echo [1]', /printed no JSON object/],
  ['prints two objects', 'echo \'{"state":"in"}{"state":"out"}\'', /printed no JSON object/],
  ['prints a megabyte', 'head -c 1048576 /dev/zero | tr "\\0" x', /^its status command printed more than 64 KiB$/],
  ['prints without end', 'cat /dev/zero', /printed more than 64 KiB/],
  ['has another word for it', 'echo \'{"state":"UP"}\'', /^its status command gave no state that is known: "UP"$/],
  ['says nothing of the state', 'echo \'{"sessions":0}\'', /gave no state that is known: it is missing/],
  ['counts below zero', 'echo \'{"state":"out","sessions":-1}\'', /gave no number of sessions: -1/],
  ['counts in words', 'echo \'{"state":"out","sessions":"0"}\'', /gave no number of sessions: "0"/],
  ['totals a part', 'echo \'{"state":"out","total":1.5}\'', /gave no total of sessions: 1.5/],
  ['speaks of another node', 'echo \'{"state":"out","node":"n2"}\'', /answered for another node: "n2"$/],
  ['fails', 'echo \'{"state":"out"}\'; echo "no route" >&2; exit 1', /command failed \(exit code 1\): no route$/],
  ['is killed', 'kill -KILL $$', /failed \(ended by SIGKILL\)/],
  ['hangs', 'echo \'{"state":"out"}\'; sleep 60', /^its status command did not end within 1.5 s$/],
]
for (const [what, status, why] of UNKNOWN) {
  test(`a status command that ${what} shows nothing, and silences the balancer where its node is under way`, async (t) => {
    const { read } = await aCommandBalancer(t, {
      status: `[ "$1" = n2 ] && echo '{"state":"in"}' && exit; ${status}`,
      change: { timeoutMs: 1_500 },
    })
    const servers = await read()
    const it = n1(servers)
    assert.deepEqual([it.status?.heard, it.operational, it.check], [false, 'down', 'failing'])
    assert.match(it.status?.heard === false ? it.status.why : '', why)
    assert.equal(servers.length, 2)
    const silent = { code: 'BALANCER_COMMAND', message: /^the state of n1 is not known: its status command / }
    await assert.rejects(read([REF]), silent)
  })
}

test('a node that the balancer does not have is no server', async (t) => {
  const status = '[ "$1" = n1 ] && s=in || s=none; echo "{\\"state\\":\\"$s\\"}"'
  const { read } = await aCommandBalancer(t, { status })
  assert.deepEqual(
    (await read()).map(({ ref }) => ref.server),
    ['n1'],
  )
})

test('no command is run for a name or an address that could be anything else', async (t) => {
  const nodes = [aNode('n1', { internalAddresses: ['$(id)'] }), { ...aNode('n2'), name: '--help' }]
  const { read, ran } = await aCommandBalancer(t, { nodes })
  const whys = (await read()).map(({ status }) => (status?.heard === false ? status.why : ''))
  assert.deepEqual(whys, [
    'its status command was not run: the node has no internal address',
    'its status command was not run: --help is no name to use in a command',
  ])
  assert.deepEqual(await ran(), [])
})

const BY_FILE = 'echo "{\\"state\\":\\"$(cat state-$1 2>/dev/null || echo in)\\"}"'

test('a node under way is asked anew by each reading, the others once in an interval', async (t) => {
  const { read, ran } = await aCommandBalancer(t, { status: BY_FILE })
  await read()
  for (const _ of [1, 2, 3]) await read([REF])
  const asked = await ran()
  const times = (name: string): number => asked.filter((line) => line.startsWith(`status ${name} `)).length
  assert.deepEqual([times('n1'), times('n2')], [4, 1])
})

test('after a command nothing is told that was read before it', async (t) => {
  const { balancer, read, at } = await aCommandBalancer(t, { status: BY_FILE, detach: 'echo out > state-$1' })
  assert.equal(n1(await read()).adminState, 'ready')
  await balancer.setState(REF, 'drain', never)
  assert.equal(n1(await read()).adminState, 'drain')
  await writeFile(join(at, 'state-n1'), 'in')
  assert.equal(n1(await read([REF])).ownState, 'ready', 'somebody put it back')
})

test('a command that prints a megabyte on its way has done its work', async (t) => {
  const { balancer, read } = await aCommandBalancer(t, {
    status: BY_FILE,
    detach: 'head -c 1048576 /dev/zero; echo out > state-$1',
  })
  await read()
  await balancer.setState(REF, 'drain', never)
  assert.equal(n1(await read()).adminState, 'drain')
})

test('a balancer that follows late is not reported twice: what was asked for stands until it shows', async (t) => {
  const { balancer, read, at } = await aCommandBalancer(t, { status: BY_FILE })
  await read()
  await balancer.setState(REF, 'drain', never)
  const late = n1(await read([REF]))
  assert.deepEqual([late.ownState, late.adminState, late.operational], ['drain', 'ready', 'up'])
  await writeFile(join(at, 'state-n1'), 'out')
  assert.equal(n1(await read([REF])).adminState, 'drain')
  await balancer.setState(REF, 'ready', never)
  const back = n1(await read([REF]))
  assert.deepEqual([back.ownState, back.adminState, back.operational], ['ready', 'drain', 'down'])
})

test('a command that fails is named with its last words, and left alone for longer and longer', async (t) => {
  const { balancer, read, ran } = await aCommandBalancer(t, { detach: 'echo "no such pool" >&2; exit 3' })
  await read()
  const message = 'the detach command of edge for n1 failed (exit code 3): no such pool'
  await assert.rejects(balancer.setState(REF, 'drain', never), { code: 'BALANCER_COMMAND', message })
  await assert.rejects(balancer.setState(REF, 'drain', never), { code: 'BALANCER_COMMAND', message })
  const runs = async (name: string) => (await ran()).filter((line) => line.startsWith(name)).length
  assert.equal(await runs('detach'), 1, 'too early for another one')
  await balancer.setState(REF, 'ready', never)
  assert.equal(await runs('attach'), 1, 'the way back does not wait for the way out')
  await waitFor({ what: 'a second try', limitMs: 5_000 }, async () => {
    await assert.rejects(balancer.setState(REF, 'drain', never), { message })
    return (await runs('detach')) === 2 || undefined
  })
})

for (const end of ['its limit', 'the roll'] as const) {
  test(`a command that hangs is ended with all that it started, by ${end}`, async (t) => {
    const detach = 'sleep 60 & echo $! $$ > pids; wait'
    const { balancer, read, at } = await aCommandBalancer(t, { detach, change: { timeoutMs: 1_500 } })
    await read()
    const over = new AbortController()
    const moved = balancer.setState(REF, 'drain', end === 'its limit' ? never : over.signal)
    const refused = assert.rejects(moved, end === 'its limit' ? { message: /did not end within 1.5 s/ } : /over/)
    const pids = async () => (await readFile(join(at, 'pids'), 'utf8').catch(() => '')).trim() || undefined
    const found = await waitFor({ what: 'a process', limitMs: 1_400, everyMs: 10 }, pids)
    over.abort(new Error('over'))
    await refused
    for (const pid of found.split(' ')) {
      const dead = async () =>
        /^State:\s+[ZX]/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: X')) || undefined
      await waitFor({ what: `process ${pid} to be dead`, limitMs: 2_000, everyMs: 10 }, dead)
    }
  })
}

test('a server that is no node of the cluster gets no command', async (t) => {
  const { balancer, read, ran } = await aCommandBalancer(t, {})
  await read()
  await assert.rejects(balancer.setState({ ...REF, server: 'n9; id' }, 'drain', never), { code: 'BALANCER_NO_SERVER' })
  await assert.rejects(balancer.cutSessions(REF, never), { code: 'BALANCER_NO_SERVER' })
  assert.equal(
    (await ran()).some((line) => line.includes('n9')),
    false,
  )
})

for (const program of ['/nowhere/lb', 'evenkeel-no-such-program', '/etc/passwd']) {
  test(`a program that cannot be run is named before anything is run: ${program}`, async (t) => {
    const { balancer, ran } = await aCommandBalancer(t, { change: { attach: [program, '{node}'] } })
    const message = `edge: there is no program ${program} that may be run here`
    await assert.rejects(balancer.inspect('edge', never), { code: 'BALANCER_NO_PROGRAM', message })
    assert.deepEqual(await ran(), [])
  })
}

test('a plan sees each node, and changes nothing', async (t) => {
  const { balancer, ran } = await aCommandBalancer(t, {})
  const { backends } = await balancer.inspect('edge', never)
  assert.deepEqual(
    backends.map(({ servers }) => servers.map(({ ref }) => ref.server)),
    [['n1', 'n2']],
  )
  assert.equal(
    (await ran()).every((line) => line.startsWith('status ')),
    true,
  )
})

test('more nodes than are asked at once are all asked', async (t) => {
  const nodes = Array.from({ length: 30 }, (_, i) => aNode(`n${i + 1}`))
  const { read } = await aCommandBalancer(t, { nodes })
  assert.equal((await read()).filter(({ status }) => status?.heard === true).length, 30)
})

test('nodes whose commands hang do not keep the node under way waiting', async (t) => {
  const nodes = Array.from({ length: 12 }, (_, i) => aNode(`n${i + 1}`))
  const status = '[ -e hang ] && [ "$1" != n1 ] && sleep 60; echo \'{"state":"in"}\''
  const { read, at } = await aCommandBalancer(t, { nodes, status, change: { intervalMs: 1, timeoutMs: 10_000 } })
  await read()
  await writeFile(join(at, 'hang'), '')
  const begun = performance.now()
  for (const _ of [1, 2, 3]) assert.equal(n1(await read([REF])).status?.heard, true)
  assert.ok(performance.now() - begun < 9_000)
})
