import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkScript, rebootScript } from '../../../src/roll/io/remote-script.ts'
import { findCommand } from '../../../testbed/machine/find-command.ts'
import { StandInCommands } from '../../support/stand-in-command.ts'

const OTHER_ID = '00000000-1111-2222-3333-444444444444'
const ownId = async (): Promise<string> => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
const isRoot = process.getuid?.() === 0

interface Shell {
  readonly command?: readonly string[]
  readonly uid?: number
}

/** Our lines of what a shell prints that gets the script as the machine's would. */
function marked(script: string, { command: [file = '', ...args] = ['sh', '-s'], uid }: Shell = {}): readonly string[] {
  const { stdout } = spawnSync(file, args, { input: script, encoding: 'utf8', ...(uid === undefined ? {} : { uid }) })
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('mark1 '))
    .map((line) => line.slice('mark1 '.length).trim())
}

const SHELLS = [
  ['sh', '-s'],
  ['dash', '-s'],
  ['bash', '-s'],
  ['bash', '--posix', '-s'],
  ['busybox', 'sh', '-s'],
]

for (const shell of SHELLS.filter(([name = '']) => findCommand(name) !== undefined)) {
  test(`${shell.join(' ')} asks, compares and runs alike`, async (t) => {
    const commands = await StandInCommands.make(t)
    const facts = { mark: 'mark1', command: await commands.reboot() }
    const id = await ownId()
    assert.deepEqual(marked(checkScript(facts), { command: shell }), [`boot ${id}`, 'may'])
    assert.deepEqual(marked(rebootScript(facts, OTHER_ID), { command: shell }), [`boot ${id}`, 'other'])
    assert.equal(await commands.runs(), 0)
    assert.deepEqual(marked(rebootScript(facts, id), { command: shell }), [`boot ${id}`, 'sent', 'ended 0'])
    assert.equal(await commands.runs(), 1)
  })
}

test('law: a reboot command acts on the recorded boot id alone; a script that breaks off anywhere does nothing', async (t) => {
  const commands = await StandInCommands.make(t)
  const script = rebootScript({ mark: 'mark1', command: await commands.reboot() }, await ownId())
  const whole = script.trimEnd().length
  for (let length = 0; length < whole; length += 1 + Math.floor(length / 40)) {
    assert.deepEqual(marked(script.slice(0, length)), [], `after ${length} characters`)
  }
  assert.deepEqual(marked(script.slice(0, whole - 1)), [])
  assert.equal(await commands.runs(), 0)
  assert.ok(marked(script).includes('sent'))
})

test('a user who is neither root nor uses sudo may not reboot', {
  skip: isRoot ? false : 'only root can switch to another user',
}, async (t) => {
  const commands = await StandInCommands.make(t)
  const [, , reboot] = await commands.reboot()
  const facts = { mark: 'mark1', command: [reboot] }
  const nobody = { uid: 65_534 }
  const refusal = 'refused uid 65534 is not root, and the command does not begin with sudo'
  const id = await ownId()
  assert.deepEqual(marked(checkScript(facts), nobody), [`boot ${id}`, refusal])
  assert.deepEqual(marked(rebootScript(facts, id), nobody), [`boot ${id}`, refusal])
  assert.equal(await commands.runs(), 0)
  assert.deepEqual(marked(checkScript(facts)), [`boot ${id}`, 'may'])
})

test('sudo is asked for this very command, by whatever path it is called', async (t) => {
  const commands = await StandInCommands.make(t)
  const asked = join(commands.directory, 'asked')
  const sudo = await commands.script('sudo', `printf '<%s>' "$@" > ${asked}`)
  const facts = { mark: 'mark1', command: [sudo, '-u', 'root', 'systemctl', 'reboot', '--message=two words'] }
  assert.deepEqual(marked(checkScript(facts)), [`boot ${await ownId()}`, 'may'])
  assert.equal(await readFile(asked, 'utf8'), '<-n><-l><-u><root><systemctl><reboot><--message=two words>')
})

test('nothing but a boot id is ever put into a script', () => {
  const facts = { mark: 'mark1', command: ['reboot'] }
  for (const text of ['', "'; id; '", OTHER_ID.toUpperCase().replace('0', 'A'), `${OTHER_ID}\n`, ` ${OTHER_ID}`]) {
    assert.throws(() => rebootScript(facts, text), { name: 'InvariantError' })
  }
  assert.throws(() => checkScript({ ...facts, mark: "m'; id" }), { name: 'InvariantError' })
})
