import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { posixQuote, shellWord } from '../../../src/ground/model/posix-quote.ts'
import { findCommand } from '../../../testbed/machine/find-command.ts'

for (const [word, quoted] of [
  ['reboot', "'reboot'"],
  ['', "''"],
  ["it's", "'it'\\''s'"],
  ["'", "''\\'''"],
  ['$(id) `id` "$HOME" \\ ; & | > * ~ ! # \n', `'$(id) \`id\` "$HOME" \\ ; & | > * ~ ! # \n'`],
] as const) {
  test(`quotes ${JSON.stringify(word)}`, () => assert.equal(posixQuote(word), quoted))
}

test('a NUL cannot be in any word', () => {
  assert.throws(() => posixQuote('a\0b'), { name: 'InvariantError' })
})

// Every shell that this machine has; `sh` is one of them.
for (const shell of ['sh', 'dash', 'bash', 'busybox', 'ksh', 'zsh'].filter((name) => findCommand(name) !== undefined)) {
  test(`${shell} reads back every word as it was`, () => {
    const word = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replaceAll('\0', ''))
    const plain = fc.constantFrom('=ls', 'a=b', '--flag=x', '%1', 'n1.example', '~', '@', ':', '')
    const special = fc.array(fc.constantFrom(...'\'"\\$`!*?~#;&|<>(){}[]%^= \t\n-')).map((chars) => chars.join(''))
    fc.assert(
      fc.property(
        fc.array(fc.oneof(word, special, plain), { minLength: 1, maxLength: 30 }),
        fc.boolean(),
        (words, isSparing) => {
          const script = `set -- ${words.map(isSparing ? shellWord : posixQuote).join(' ')}\nprintf '%s\\0' "$@"\n`
          const args = shell === 'busybox' ? ['sh', '-s'] : ['-s']
          const { stdout } = spawnSync(shell, args, { input: script, encoding: 'utf8' })
          assert.deepEqual(stdout.split('\0').slice(0, -1), words)
        },
      ),
      { numRuns: 40 },
    )
  })
}
