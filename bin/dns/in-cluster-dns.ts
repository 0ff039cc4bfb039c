import process from 'node:process'
import manifest from '../../package.json' with { type: 'json' }
import { errorText } from '../../src/cli/error-text.ts'
import { LinePrinter } from '../../src/cli/line-printer.ts'
import { runProgram } from '../../src/cli/program.ts'
import { addDnsCommand } from '../../src/dns/cli/dns-command.ts'
import { processContext } from '../process/process-context.ts'
import { watchSignals } from '../process/watch-signals.ts'
import { dnsActions } from './dns-actions.ts'
import { podApi } from './pod-api.ts'

const { version } = manifest

/** `evenkeel dns …` in a pod, as its service account. Resolves with the exit code. */
export async function dnsMain(words: readonly string[]): Promise<number> {
  const context = processContext()
  const printer = new LinePrinter(context.err)
  process.on('uncaughtException', (error) => {
    context.err.write(errorText(error))
    process.exit(1)
  })
  watchSignals(context.interrupts, printer)
  const log = { debug: () => undefined, warn: (text: string) => printer.print(`warning: ${text}`) }
  const dns = addDnsCommand(async () => dnsActions({ version, env: process.env, log, open: podApi }))
  const code = await runProgram({ version, context, commands: [dns] }, ['dns', ...words])
  await Promise.all([context.out.flushed(), context.err.flushed()])
  return code
}
