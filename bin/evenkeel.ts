import process from 'node:process'
import manifest from '../package.json' with { type: 'json' }
import { errorText } from '../src/cli/error-text.ts'
import { LinePrinter } from '../src/cli/line-printer.ts'
import { runProgram } from '../src/cli/program.ts'
import { commandsOf } from './commands.ts'
import { processContext } from './process/process-context.ts'
import { watchSignals } from './process/watch-signals.ts'

/** The bundler sets it; the sources themselves do not have it. */
declare const EVENKEEL_COMMIT: string | undefined

const { version } = manifest
const commit = typeof EVENKEEL_COMMIT === 'undefined' ? 'of the sources' : EVENKEEL_COMMIT
const release = `${version} (commit ${commit})`
const context = processContext()
const printer = new LinePrinter(context.err)

process.on('uncaughtException', (error) => {
  context.err.write(errorText(error))
  process.exit(1)
})
watchSignals(context.interrupts, printer)

const log = {
  debug: () => undefined,
  warn: (text: string) => printer.print(`warning: ${text}`),
}
const commands = commandsOf({ version, release, commit, env: process.env, log, printer })

async function main(): Promise<void> {
  const exitCode = await runProgram({ version: release, context, commands }, process.argv.slice(2))
  await Promise.all([context.out.flushed(), context.err.flushed()])
  // Anything still open after the work (a connection, a timer) must not keep the process alive.
  process.exit(exitCode)
}

// The single executable is made of CommonJS, which has no `await` outside a function.
void main()
