import type { AddCommand } from './program.ts'

export const addVersionCommand =
  (version: string): AddCommand =>
  (program, context) => {
    program
      .command('version')
      .summary('print version and commit')
      .description('Prints the version of evenkeel, and the commit that it was built from.')
      .addHelpText('after', '\nExample:\n  evenkeel version')
      .action(() => context.out.write(`${version}\n`))
  }
