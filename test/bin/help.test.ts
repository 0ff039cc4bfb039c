import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { commandsOf } from '../../bin/commands.ts'
import { LinePrinter } from '../../src/cli/line-printer.ts'
import { programOf } from '../../src/cli/program.ts'
import { memoryContext } from '../cli/memory-context.ts'

const COLUMNS = 100

const { context } = memoryContext()
const log = { debug: () => undefined, warn: () => undefined }
const parts = { version: '0', release: '0', commit: '0', env: {}, log, printer: new LinePrinter(context.err) }
const program = programOf({ version: '0', context, commands: commandsOf(parts) }, () => undefined)

const all = (command: Command, path: string): readonly (readonly [path: string, command: Command])[] => [
  [path, command],
  ...command.commands.flatMap((sub) => all(sub, `${path} ${sub.name()}`)),
]

function helpOf(command: Command): string {
  context.out.text = ''
  command.outputHelp()
  return context.out.text
}

for (const [path, command] of all(program, 'evenkeel')) {
  test(`${path} --help: a sentence, and no line of more than ${COLUMNS} columns`, () => {
    assert.match(command.description(), /^[A-Z].*[.`]$|lists its options\.$/s)
    const lines = helpOf(command).split('\n')
    assert.deepEqual(
      lines.filter((line) => line.length > COLUMNS),
      [],
    )
  })
}

for (const name of ['agent', 'controller'] as const) {
  test(`evenkeel ${name} --help has no line of more than ${COLUMNS} columns`, async () => {
    const text =
      name === 'agent'
        ? (await import('../../src/agent/cli/agent-options.ts')).AGENT_HELP
        : (await import('../../bin/controller/controller-options.ts')).CONTROLLER_HELP
    assert.deepEqual(
      text.split('\n').filter((line) => line.length > COLUMNS),
      [],
    )
  })
}

test('the help begins with what a person begins with, and each command has a line', () => {
  const [commands = ''] = /Commands:\n([\s\S]*)/.exec(helpOf(program)) ?? []
  const names = [...commands.matchAll(/^ {2}([a-z]\S*)/gm)].map(([, name]) => name)
  assert.deepEqual(names.slice(0, 3), ['init', 'doctor', 'roll'])
  for (const [path, { commands: subs }] of all(program, 'evenkeel'))
    for (const sub of subs) assert.ok(sub.summary() !== '' || sub.description() !== '', `${path} ${sub.name()}`)
})
