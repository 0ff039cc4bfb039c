import { setOwnHelp } from './completion/option-shape.ts'
import type { AddCommand } from './program.ts'

export interface OwnProgram {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly usage: string
  /** The page that its own `--help` prints. */
  readonly help: () => Promise<string>
  /** Its exit code, once it has ended. */
  readonly main: () => Promise<(words: readonly string[]) => Promise<number>>
}

/**
 * Agent and controller are programs of their own, which parse their options without this one's libraries; here they are only
 * started.
 */
export const addOwnProgram =
  ({ name, summary, description, usage, help, main }: OwnProgram): AddCommand =>
  (program, _context, exitWith) => {
    const command = program
      .command(name)
      .summary(summary)
      .description(`${description}: \`evenkeel ${name} --help\` lists its options.`)
      .usage(usage)
      .helpOption(false)
      .argument('[options...]')
      .allowUnknownOption()
      .passThroughOptions()
      .action(async (words: readonly string[]) => exitWith(await (await main())(words)))
    setOwnHelp(command, help)
  }
