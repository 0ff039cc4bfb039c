import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { commandsOf } from '../../bin/commands.ts'
import { optionsOf } from '../../src/cli/completion/option-shape.ts'
import { LinePrinter } from '../../src/cli/line-printer.ts'
import { programOf } from '../../src/cli/program.ts'
import { commandPieces } from '../../src/ground/text/paste.ts'
import { memoryContext } from '../cli/memory-context.ts'

const log = { debug: () => undefined, warn: () => undefined }

function everyCommand(): readonly Command[] {
  const { context } = memoryContext()
  const printer = new LinePrinter(context.err)
  const commands = commandsOf({ version: '0', release: '0', commit: '', env: {}, log, printer })
  const below = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(below)]
  return below(programOf({ version: '0', context, commands }, () => undefined))
}

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`

test('after an option that takes no value, a word of a printed text is prose and no part of the command', async () => {
  const wrong: string[] = []
  let asked = 0
  for (const command of everyCommand()) {
    const name = nameOf(command)
    if (commandPieces(`${name} and`)[0]?.text !== name) continue
    for (const { flags, value } of await optionsOf(command)) {
      for (const flag of value === undefined ? flags : []) {
        asked += 1
        const [piece] = commandPieces(`${name} ${flag} and`)
        if (piece?.text !== `${name} ${flag}`) wrong.push(`${piece?.text}`)
      }
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(asked > 50, String(asked))
})
