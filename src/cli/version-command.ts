import type { AddCommand } from './program.ts'

export const addVersionCommand =
  (version: string): AddCommand =>
  (program, context) => {
    program
      .command('version')
      .summary('print the version')
      .description('Prints the version of evenkeel.')
      .addHelpText('after', '\nExample:\n  evenkeel version')
      .action(() => context.out.write(`${version}\n`))
  }
