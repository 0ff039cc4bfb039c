import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UserError } from '../../../../src/ground/model/user-error.ts'
import { chooseColor } from '../../../../src/ground/text/terminal/choose-color.ts'
import { chooseProgress } from '../../../../src/ground/text/terminal/choose-progress.ts'
import { chooseSymbols } from '../../../../src/ground/text/terminal/choose-symbols.ts'
import type { TerminalSettings } from '../../../../src/ground/text/terminal/terminal-settings.ts'

const facts = (env: TerminalSettings['env'], terminal = true): TerminalSettings => ({
  env,
  stdinIsTerminal: terminal,
  stdoutIsTerminal: terminal,
  stderrIsTerminal: terminal,
})

test('progress is live on a terminal, a log elsewhere and in CI', () => {
  assert.equal(chooseProgress('auto', facts({ TERM: 'xterm' })), 'live')
  assert.equal(chooseProgress('auto', facts({ TERM: 'xterm', CI: '' })), 'live')
  assert.equal(chooseProgress('auto', facts({ TERM: 'xterm', CI: 'true' })), 'plain')
  assert.equal(chooseProgress('auto', facts({ TERM: 'dumb' })), 'plain')
  assert.equal(chooseProgress('auto', facts({ TERM: 'xterm' }, false)), 'plain')
  assert.equal(chooseProgress('live', facts({ TERM: 'xterm', CI: 'true' })), 'live')
  assert.equal(chooseProgress('none', facts({})), 'none')
})

test('live that was asked for and cannot be is an error, not another form in silence', () => {
  assert.throws(() => chooseProgress('live', facts({ TERM: 'xterm' }, false)), UserError)
  assert.throws(() => chooseProgress('live', facts({ TERM: 'dumb' })), /TERM is dumb/)
})

const COLORS: readonly (readonly [
  wanted: 'auto' | 'always' | 'never',
  env: TerminalSettings['env'],
  terminal: boolean,
  colored: boolean,
])[] = [
  ['auto', {}, true, true],
  ['auto', {}, false, false],
  ['auto', { NO_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '' }, true, true],
  ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ['auto', { FORCE_COLOR: '1' }, false, true],
  ['auto', { FORCE_COLOR: '0' }, true, false],
  ['auto', { TERM: 'dumb' }, true, false],
  ['always', { NO_COLOR: '1' }, false, true],
  ['never', { FORCE_COLOR: '1' }, true, false],
]

test('colour goes by the flag, then NO_COLOR, then FORCE_COLOR, then the terminal', () => {
  for (const [wanted, env, terminal, colored] of COLORS) {
    assert.equal(chooseColor(wanted, facts(env, terminal), 'stderr'), colored, JSON.stringify([wanted, env, terminal]))
  }
})

test('symbols of ambiguous width stay away where they may be two cells wide', () => {
  assert.equal(chooseSymbols(false, facts({ LANG: 'en_US.UTF-8' })), 'unicode')
  assert.equal(chooseSymbols(true, facts({ LANG: 'en_US.UTF-8' })), 'ascii')
  assert.equal(chooseSymbols(false, facts({ LANG: 'ja_JP.UTF-8' })), 'ascii')
  assert.equal(chooseSymbols(false, facts({ LANG: 'de_DE.UTF-8', LC_ALL: 'C' })), 'ascii')
  assert.equal(chooseSymbols(false, facts({ LANG: 'C', LC_CTYPE: 'C.utf8' })), 'unicode')
  assert.equal(chooseSymbols(false, facts({ LANG: 'en_US.UTF-8', TERM: 'linux' })), 'ascii')
  assert.equal(chooseSymbols(false, facts({})), 'ascii')
})
