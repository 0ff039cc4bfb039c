import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { SshHost, type SshHostParts } from '../../../src/roll/io/ssh-host.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { LocalSshd } from '../../support/local-sshd.ts'
import { requires } from '../../support/requires.ts'
import { type ClientConfig, clientConfig, cutSessions, sessionsOver } from '../../support/sshd-ways.ts'
import { StandInCommands } from '../../support/stand-in-command.ts'

const never = new AbortController().signal
const N1 = { node: 'n1', address: '127.0.0.1' }
const OTHER_ID = '00000000-1111-2222-3333-444444444444'
const bootId = async (): Promise<string> => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()

interface Bed {
  readonly sshd: LocalSshd
  readonly commands: StandInCommands
  /** A host adapter whose ssh leads to the sshd. */
  host(change?: Partial<SshHostParts>, config?: ClientConfig): Promise<SshHost>
}

async function bed(t: TestContext, sshdLines: readonly string[] = []): Promise<Bed> {
  let sshd: LocalSshd | undefined
  // Hooks run in this order: sessions end by themselves before the daemon is ended.
  t.after(() => (sshd === undefined ? undefined : sessionsOver(sshd)))
  sshd = await LocalSshd.start(t, sshdLines)
  const commands = await StandInCommands.make(t)
  return {
    sshd,
    commands,
    host: async (change = {}, config = {}) => {
      const host = new SshHost({
        clock: systemClock,
        random: systemRandom,
        configFile: await clientConfig(sshd, config),
        command: change.command ?? (await commands.reboot()),
        checkLimitMs: 10_000,
        rebootLimitMs: 10_000,
        ...change,
      })
      t.after(() => host.close())
      return host
    },
  }
}

/** A machine that takes connections and says no word: an ssh block that leads there. */
async function silent(t: TestContext): Promise<ClientConfig> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { lines: ['Host n1', `  Port ${(server.address() as AddressInfo).port}`] }
}

test('a machine tells its boot id and that it may be rebooted, and nothing is run', requires('ssh'), async (t) => {
  const { host, commands } = await bed(t)
  const facts = await (await host()).check(N1, never)
  assert.deepEqual(facts, { bootId: await bootId(), mayReboot: true, hops: [] })
  assert.equal(await commands.runs(), 0)
})

test('a machine says why it may not be rebooted', requires('ssh'), async (t) => {
  const { host, commands } = await bed(t)
  const nowhere = await (await host({ command: ['/no/such/reboot'] })).check(N1, never)
  assert.deepEqual([nowhere.mayReboot, nowhere.refusal], [false, 'there is no command /no/such/reboot'])
  const sudo = await commands.script('sudo', 'echo "a password is \x1b[31mrequired" >&2; exit 1')
  const denied = await (await host({ command: [sudo, '-n', 'reboot'] })).check(N1, never)
  assert.deepEqual([denied.mayReboot, denied.refusal], [false, 'sudo: a password is \\x1b[31mrequired'])
})

test(
  'on the boot id that was recorded the command runs once, with its words as they were given',
  requires('ssh'),
  async (t) => {
    const { host, commands } = await bed(t)
    const words = ['two words', '', "it's", '$HOME', '`id`', '\\n', '*', '"; touch /never; "', '-x', 'ä']
    const command = [...(await commands.reboot()), ...words]
    assert.deepEqual(await (await host({ command })).reboot(N1, await bootId(), never), { kind: 'sent' })
    assert.equal(await readFile(join(commands.directory, 'runs'), 'utf8'), `${words.join(' ')}\n`)
  },
)

test(
  'law: a reboot command acts on the recorded boot id alone; on another one nothing runs',
  requires('ssh'),
  async (t) => {
    const { host, commands } = await bed(t)
    assert.deepEqual(await (await host()).reboot(N1, OTHER_ID, never), { kind: 'otherBoot', bootId: await bootId() })
    assert.equal(await commands.runs(), 0)
  },
)

test('what is no boot id, and what is not the name of a machine, never leaves this one', requires('ssh'), async (t) => {
  const { host, commands } = await bed(t)
  const ssh = await host()
  for (const text of ['', "'; touch /never; '", `${await bootId()}\n`, 'unknown']) {
    assert.equal((await ssh.reboot(N1, text, never)).kind, 'refused')
  }
  const evil = join(commands.directory, 'evil')
  for (const node of [`-oProxyCommand=touch ${evil}`, 'root@n1', 'ssh://n1', 'n1 touch', '', 'N1\n', 'n1;id', '-n1']) {
    assert.equal((await ssh.reboot({ ...N1, node }, await bootId(), never)).kind, 'refused')
    await assert.rejects(ssh.check({ ...N1, node }, never), { name: 'WorldError', code: 'HOST_NAME' })
  }
  assert.deepEqual((await readdir(commands.directory)).includes('evil'), false)
  assert.equal(await commands.runs(), 0)
})

test(
  'a connection that is cut after the machine said so means sent, and the command goes on',
  requires('ssh'),
  async (t) => {
    const { host, commands, sshd } = await bed(t)
    const { directory } = commands
    // More than a pipe holds: once it is written, what was said before it has left the machine.
    const said = `head -c 1000000 /dev/zero; echo > ${directory}/said`
    const wait = `while [ ! -e ${directory}/go ]; do sleep 0.05; done`
    const command = await commands.reboot(`${said}; ${wait}; echo on; echo > ${directory}/done`)
    const answer = (await host({ command })).reboot(N1, await bootId(), never)
    await commands.has('said')
    await cutSessions(sshd)
    assert.deepEqual(await answer, { kind: 'sent' })
    await commands.script('go', '')
    await commands.has('done')
  },
)

test(
  'law: a lost connection is not knowing whether the reboot was sent, and not knowing is waited for; a connection that is cut before the machine heard means unknown, and nothing runs',
  requires('ssh'),
  async (t) => {
    const commands = await StandInCommands.make(t)
    const waiting = await commands.script('wait', `echo $$ >> ${commands.directory}/pids; exec sleep 30`)
    const { host, sshd } = await bed(t, [`ForceCommand ${waiting}`])
    const command = await commands.reboot()
    const answer = (await host({ command })).reboot(N1, await bootId(), never)
    await commands.has('pids')
    await cutSessions(sshd)
    assert.equal((await answer).kind, 'unknown')
    assert.equal(await commands.runs(), 0)
  },
)

test('a command that hangs was sent; a machine that hangs before it says so is unknown', requires('ssh'), async (t) => {
  const { host, commands } = await bed(t)
  const command = await commands.reboot('exec sleep 30')
  // Time enough for the login on a machine that is busy.
  const hanging = await host({ command, rebootLimitMs: 5_000 })
  assert.deepEqual(await hanging.reboot(N1, await bootId(), never), { kind: 'sent' })
  const answer = await (await host({ command, rebootLimitMs: 500 }, await silent(t))).reboot(N1, await bootId(), never)
  assert.deepEqual(answer, { kind: 'unknown', text: 'ssh n1 did not answer in time' })
  const checking = await host({ checkLimitMs: 500 }, await silent(t))
  await assert.rejects(checking.check(N1, never), { code: 'HOST_TIMEOUT', retry: 'backoff' })
})

test('a command that fails after it began is unknown, with its last words', requires('ssh'), async (t) => {
  const { host, commands } = await bed(t)
  const command = await commands.reboot('echo "Failed to talk to init: \x1b[2Jtimed out" >&2; exit 1')
  assert.deepEqual(await (await host({ command })).reboot(N1, await bootId(), never), {
    kind: 'unknown',
    text: 'the reboot command ended with exit code 1: Failed to talk to init: \\x1b[2Jtimed out',
  })
})

test('a command that the shutdown itself kills was sent', requires('ssh'), async (t) => {
  const { host, commands } = await bed(t)
  const command = await commands.reboot('kill -TERM $$; sleep 5')
  assert.deepEqual(await (await host({ command })).reboot(N1, await bootId(), never), { kind: 'sent' })
})

test('a machine that lets the command not be run refuses, and nothing runs', requires('ssh'), async (t) => {
  const { host, commands } = await bed(t)
  const sudo = await commands.script('sudo', 'exit 1')
  const [, , path] = await commands.reboot()
  const answer = await (await host({ command: [sudo, '-n', path] })).reboot(N1, await bootId(), never)
  assert.deepEqual(answer, { kind: 'refused', text: `sudo: it may not run -n ${path}` })
  assert.equal(await commands.runs(), 0)
})

for (const [title, config, code, answer] of [
  ['that does not let us in', { identity: 'stranger' }, 'HOST_DENIED', 'refused'],
  ['with another host key than we know', { known: 'wrong' }, 'HOST_KEY', 'refused'],
  ['whose host key was never accepted', { known: 'nothing' }, 'HOST_KEY', 'refused'],
  ['whose port is closed', { lines: ['Host n1', '  Port 1'] }, 'HOST_UNREACHABLE', 'unsent'],
  ['whose name means nothing', { lines: ['Host n1', `  HostName ${'x'.repeat(64)}`] }, 'HOST_UNRESOLVED', 'unsent'],
  ['with a broken ssh configuration', { lines: ['Nonsense yes'] }, 'HOST_SSH_CONFIG', 'refused'],
] as const satisfies readonly (readonly [string, ClientConfig, string, string])[]) {
  test(`a machine ${title}: ${code}, and a reboot of it is ${answer}`, requires('ssh'), async (t) => {
    const { host, commands } = await bed(t)
    const ssh = await host({}, config)
    await assert.rejects(ssh.check(N1, never), { name: 'WorldError', code })
    assert.equal((await ssh.reboot(N1, await bootId(), never)).kind, answer)
    assert.equal(await commands.runs(), 0)
  })
}

test('megabytes, control bytes and forged answers before ours change nothing', requires('ssh'), async (t) => {
  const commands = await StandInCommands.make(t)
  const forged = `printf 'sent\\nevenkeel sent\\nevenkeel00 boot ${OTHER_ID}\\n\\033]0;title\\007'`
  const noise = `head -c 3000000 /dev/zero; ${forged}; head -c 100000 /dev/urandom >&2`
  const greeting = await commands.script('greet', `${noise}; eval "$SSH_ORIGINAL_COMMAND"`)
  const { host } = await bed(t, [`ForceCommand ${greeting}`])
  const ssh = await host({ command: await commands.reboot() })
  assert.equal((await ssh.check(N1, never)).bootId, await bootId())
  assert.deepEqual(await ssh.reboot(N1, OTHER_ID, never), { kind: 'otherBoot', bootId: await bootId() })
  assert.deepEqual(await ssh.reboot(N1, await bootId(), never), { kind: 'sent' })
})

test('a machine that prints without end is cut off', requires('ssh'), async (t) => {
  const commands = await StandInCommands.make(t)
  const flood = await commands.script('flood', 'exec cat /dev/zero')
  const { host } = await bed(t, [`ForceCommand ${flood}`])
  const ssh = await host({ command: await commands.reboot() })
  await assert.rejects(ssh.check(N1, never), { code: 'HOST_ANSWER', message: /printed without end/ })
  assert.equal((await ssh.reboot(N1, await bootId(), never)).kind, 'unknown')
})

test('giving up ends at once, with the reason of the signal', requires('ssh'), async (t) => {
  const { host } = await bed(t)
  const ssh = await host({}, await silent(t))
  const stop = new AbortController()
  const check = assert.rejects(ssh.check(N1, stop.signal), { message: 'Ctrl-C' })
  const reboot = assert.rejects(ssh.reboot(N1, OTHER_ID, stop.signal), { message: 'Ctrl-C' })
  stop.abort(new Error('Ctrl-C'))
  await Promise.all([check, reboot])
})

test(
  'a connection stays open for the next question, a reboot has one of its own, and none is left behind',
  requires('ssh'),
  async (t) => {
    const socketDir = await mkdtemp('/tmp/ek-')
    t.after(() => rm(socketDir, { recursive: true, force: true }))
    const { host, sshd } = await bed(t)
    const ssh = await host({ socketDir })
    const connections = async (expected: number): Promise<void> => {
      const asExpected = async () => (await sshd.connections()) === expected || undefined
      await waitFor({ what: `${expected} connections`, limitMs: 5_000, everyMs: 20 }, asExpected)
    }
    await ssh.check(N1, never)
    await ssh.check(N1, never)
    await connections(1)
    await ssh.reboot(N1, await bootId(), never)
    await connections(0)
    await ssh.check(N1, never)
    await connections(1)
    await ssh.close()
    await connections(0)
    assert.deepEqual(await readdir(socketDir), [])
  },
)

test('what the user has configured for other sessions does not get in our way', requires('ssh'), async (t) => {
  const { host } = await bed(t)
  const lines = [
    'Host n1',
    '  RemoteCommand tmux attach',
    '  RequestTTY force',
    '  LocalForward 127.0.0.1:1 127.0.0.1:1',
    '  ExitOnForwardFailure yes',
    '  ForwardAgent yes',
    '  LogLevel DEBUG3',
    '',
  ]
  const ssh = await host({}, { lines })
  assert.equal((await ssh.check(N1, never)).bootId, await bootId())
})
