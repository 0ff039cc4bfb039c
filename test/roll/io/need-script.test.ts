import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { NeedQuestion } from '../../../src/ground/model/reboot-need.ts'
import { checkScript } from '../../../src/roll/io/remote-script.ts'
import { findCommand } from '../../../testbed/machine/find-command.ts'
import { StandInCommands } from '../../support/stand-in-command.ts'

const isRoot = process.getuid?.() === 0

interface Shell {
  readonly command?: readonly string[]
  readonly uid?: number
}

/** Our lines about the need, of a shell that gets the script as the machine's would. */
function needLines(need: NeedQuestion, { command: [file = '', ...args] = ['sh', '-s'], uid }: Shell = {}) {
  const input = checkScript({ mark: 'mark1', command: ['true'] }, need)
  const { stdout } = spawnSync(file, args, { input, encoding: 'utf8', ...(uid === undefined ? {} : { uid }) })
  const lines = stdout.split('\n').filter((line) => line.startsWith('mark1 '))
  return lines.map((line) => line.slice('mark1 '.length).trimEnd()).filter((line) => !/^(boot|may|refused)/.test(line))
}

const SHELLS = [
  ['sh', '-s'],
  ['dash', '-s'],
  ['bash', '-s'],
  ['bash', '--posix', '-s'],
  ['busybox', 'sh', '-s'],
].filter(([name = '']) => findCommand(name) !== undefined)

for (const command of SHELLS) {
  test(`${command.join(' ')} looks for the sentinel and lists its packages`, async (t) => {
    const { directory } = await StandInCommands.make(t)
    const sentinel = join(directory, "reboot 'required' $HOME")
    assert.deepEqual(needLines({ sentinel }, { command }), ['sentinel absent'])
    assert.deepEqual(needLines({ sentinel: join(directory, 'no/such/directory/file') }, { command }), [
      'sentinel absent',
    ])
    assert.deepEqual(needLines({ sentinel: '/no-such-file' }, { command }), ['sentinel absent'])
    await writeFile(sentinel, '*** System restart required ***\n')
    assert.deepEqual(needLines({ sentinel }, { command }), ['sentinel there'])
    await writeFile(`${sentinel}.pkgs`, 'linux-base\nmark1 sentinel absent\n\0lib\x1bc\n')
    assert.deepEqual(needLines({ sentinel }, { command }), [
      'packages linux-base mark1 sentinel absent  lib\x1bc',
      'sentinel there',
    ])
    await writeFile(`${sentinel}.pkgs`, 'package\n'.repeat(1_000_000))
    const [packages = '', ...rest] = needLines({ sentinel }, { command })
    assert.deepEqual(
      [packages.slice(0, 24), packages.length, rest],
      ['packages package package', 'packages '.length + 1_799, ['cut', 'sentinel there']],
    )
  })

  test(`${command.join(' ')} tells the exit code of the command, and why it was not run`, async (t) => {
    const commands = await StandInCommands.make(t)
    const check = await commands.script('check', 'exit "$1"')
    for (const code of ['0', '1', '3', '125']) {
      assert.deepEqual(needLines({ command: [check, code] }, { command }), [`ran ${code}`])
    }
    assert.deepEqual(needLines({ command: [check, '0'], sentinel: '/no-such-file' }, { command }), [
      'sentinel absent',
      'ran 0',
    ])
    assert.deepEqual(needLines({ command: ['no-such-command'] }, { command }), [
      'unrun there is no command no-such-command',
    ])
    const words = await commands.script('words', `[ "$1|$2" = "two words|it's \\$HOME" ]`)
    assert.deepEqual(needLines({ command: [words, 'two words', "it's $HOME"] }, { command }), ['ran 0'])
  })
}

test('a sudo that does not let the command pass is no answer, although it ends with 1', async (t) => {
  const commands = await StandInCommands.make(t)
  const sudo = await commands.script('sudo', 'echo "a password is required" >&2; exit 1')
  assert.deepEqual(needLines({ command: [sudo, '-n', 'needs-restarting', '-r'] }), [
    'unrun sudo: a password is required',
  ])
})

test('a sentinel that is a link to nothing is there, and a list that is no file is not read', async (t) => {
  const { directory } = await StandInCommands.make(t)
  const sentinel = join(directory, 'required')
  await symlink('/no/such/file', sentinel)
  spawnSync('mkfifo', [`${sentinel}.pkgs`])
  assert.deepEqual(needLines({ sentinel }), ['sentinel there'])
})

test('a directory that may not be searched makes the file unseen, and not absent', {
  skip: isRoot ? false : 'only root can switch to another user',
}, async (t) => {
  const { directory } = await StandInCommands.make(t)
  const closed = join(directory, 'closed')
  await mkdir(closed)
  await chmod(closed, 0o700)
  const other = { uid: 65_534 }
  assert.deepEqual(needLines({ sentinel: join(closed, 'required') }, other), [`sentinel unseen ${closed}`])
  assert.deepEqual(needLines({ sentinel: join(closed, 'deeper', 'required') }, other), [`sentinel unseen ${closed}`])
  assert.deepEqual(needLines({ sentinel: join(closed, 'required') }), ['sentinel absent'])
})
