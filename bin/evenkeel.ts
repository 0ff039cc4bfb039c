import { readFileSync } from 'node:fs'
import process from 'node:process'
import { errorText } from '../src/cli/error-text.ts'
import { addProbeCommand } from '../src/cli/probe-command.ts'
import { runProgram } from '../src/cli/program.ts'
import { addRollCommand } from '../src/cli/roll-command.ts'
import { addVersionCommand } from '../src/cli/version-command.ts'
import { processContext } from './process/process-context.ts'
import { watchSignals } from './process/watch-signals.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const context = processContext()

process.on('uncaughtException', (error) => {
  context.err.write(errorText(error))
  process.exit(1)
})
watchSignals(context)

const log = {
  debug: () => undefined,
  warn: (text: string) => context.err.write(`warning: ${text}\n`),
}

const exitCode = await runProgram(
  {
    version,
    context,
    commands: [
      addRollCommand(async () => {
        const { rollActions } = await import('./roll/roll-actions.ts')
        return rollActions({ version, env: process.env, log })
      }),
      addProbeCommand(async (targets) => (await import('./probe-source.ts')).probeSource(targets)),
      addVersionCommand(version),
    ],
  },
  process.argv.slice(2),
)
await Promise.all([context.out.flushed(), context.err.flushed()])
// Whatever is still open after the work is over (a connection, a timer) must not keep the process.
process.exit(exitCode)
