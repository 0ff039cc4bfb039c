import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { checkScript } from '../../../src/roll/io/remote-script.ts'
import { StandInCommands } from '../../support/stand-in-command.ts'

const LIST = (entries: readonly string[], defaults = '!lecture') =>
  `Matching Defaults entries for ops on n1:\n    ${defaults}\n\nUser ops may run the following commands on n1:\n${entries.map((entry) => `    ${entry}\n`).join('')}`

const REBOOT = '/usr/bin/systemctl reboot'

/** What sudo 1.9 lists for the account, and whether it may reboot without a password. */
const ROWS: readonly (readonly [title: string, list: string, mayReboot: boolean])[] = [
  ['its own entry', LIST([`(root) NOPASSWD: ${REBOOT}`]), true],
  ['an entry of another command', LIST(['(ALL : ALL) ALL', '(root) NOPASSWD: /usr/bin/apt-get update']), false],
  ['a later entry with a password', LIST(['(ALL) NOPASSWD: ALL', '(root) PASSWD: /usr/bin/systemctl *']), false],
  ['a later entry without one', LIST(['(ALL) ALL', `(root) NOPASSWD: /usr/bin/id, ${REBOOT}`]), true],
  ['a tag that holds for what follows', LIST([`(root) NOPASSWD: /usr/bin/id, PASSWD: ${REBOOT}`]), false],
  ['no authentication at all', LIST(['(ALL) ALL'], '!lecture, !authenticate'), true],
  ['a group that needs no password', LIST(['(ALL) ALL', '(root) NOPASSWD: /usr/bin/id'], 'exempt_group=ops'), true],
  ['any arguments of the command', LIST(['(root) SETENV: NOPASSWD: /usr/bin/systemctl']), true],
  ['the same command by its other path', LIST([`(root) NOPASSWD: /bin/systemctl reboot`]), true],
  ['no arguments alone', LIST(['(ALL) ALL', '(root) NOPASSWD: /usr/bin/systemctl ""']), false],
  ['all commands of a folder', LIST(['(ALL) ALL', '(root) NOPASSWD: /usr/bin/']), true],
  ['the entry of another user', LIST(['(ALL) ALL', `(www-data) NOPASSWD: ${REBOOT}`]), false],
  ['a list that does not tell', 'sudo speaks in riddles\n', true],
]

for (const [title, list, mayReboot] of ROWS) {
  test(`whether sudo asks for a password before a reboot: ${title}`, async (t) => {
    const commands = await StandInCommands.make(t)
    await writeFile(join(commands.directory, 'list'), list)
    await commands.script('id', 'echo 1000')
    const told = `[ "$*" = "-n -l" ] && exec cat ${commands.directory}/list; echo ${REBOOT}`
    const facts = { mark: 'mark1', command: [await commands.script('sudo', told), '-n', 'systemctl', 'reboot'] }
    const env = { ...process.env, PATH: `${commands.directory}${delimiter}${process.env.PATH ?? ''}` }
    const { stdout } = spawnSync('sh', ['-s'], { input: checkScript(facts), encoding: 'utf8', env })
    const answer = mayReboot ? 'may' : `refused sudo: a password is required for ${REBOOT}`
    assert.equal(stdout.trimEnd().split('\n').at(-1)?.trimEnd(), `mark1 ${answer}`)
  })
}
