import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorText } from '../../src/cli/error-text.ts'
import { InterruptedError } from '../../src/cli/interrupts.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'

test('an error of the user says what to change and has no stack', () => {
  const error = new UserError('--progress live is not possible: stderr is no terminal', {
    code: 'usage.progress',
    fix: '--progress plain',
  })
  assert.equal(
    errorText(error),
    'error: --progress live is not possible: stderr is no terminal (usage.progress)\n  = fix: --progress plain\n',
  )
})

test('findings come as they are, the count last', () => {
  const error = new UserError('2 errors in roll.yaml. Nothing was contacted or changed.', {
    code: 'x',
    details: ['error: a\n | ^', 'error: b'],
  })
  assert.equal(errorText(error), 'error: a\n | ^\nerror: b\n2 errors in roll.yaml. Nothing was contacted or changed.\n')
})

test('an error of the world is one line, its foreign text escaped', () => {
  const error = new WorldError('the API server said \x1b[31mno\x07', { code: 'KUBE_FORBIDDEN', retry: 'never' })
  assert.equal(errorText(error), 'error: the API server said \\x1b[31mno\\x07 (KUBE_FORBIDDEN)\n')
})

test('a bug says so and shows its stack', () => {
  const text = errorText(new TypeError('x is undefined'))
  assert.match(
    text,
    /^error: this is a bug in evenkeel, not a fault of yours; nothing more was done\nTypeError: x is undefined\n {4}at /,
  )
  assert.match(errorText('thrown'), /\nthrown\n$/)
})

test('an interrupt before anything began says that', () => {
  assert.equal(errorText(new InterruptedError('interrupted')), 'INTERRUPTED  nothing was under way\n')
})

test('several findings at once end with the fix that they share', () => {
  const error = new UserError('2 options of the agent are wrong.', {
    code: 'agent.options',
    details: ['error: --node: "" names no node (agent.options)', 'error: --port: "x" is no port (agent.options)'],
    fix: 'evenkeel agent --help lists them',
  })
  assert.equal(
    errorText(error),
    'error: --node: "" names no node (agent.options)\nerror: --port: "x" is no port (agent.options)\n2 options of the agent are wrong.\n  = fix: evenkeel agent --help lists them\n',
  )
})
