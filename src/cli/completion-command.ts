import { Argument } from 'commander'
import type { Shell } from './completion/scripts.ts'
import type { LiveValues } from './completion/values.ts'
import type { AddCommand } from './program.ts'

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish']

const EXAMPLES = `
Examples:
  source <(evenkeel completion bash)               for this bash
  source <(evenkeel completion zsh)                for this zsh
  evenkeel completion fish | source                for this fish
  evenkeel completion bash > /etc/bash_completion.d/evenkeel`

/** `evenkeel completion bash|zsh|fish`, and `evenkeel __complete`, which the scripts call. */
export const addCompletionCommand =
  (load: () => Promise<LiveValues>): AddCommand =>
  (program, context) => {
    program
      .command('completion')
      .summary('print a script that completes command lines in a shell')
      .description(
        'Prints a script for bash, zsh or fish that completes commands, options, runs, contexts, nodes and files.',
      )
      .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
      .addHelpText('after', EXAMPLES)
      .action(async (shell: Shell) => {
        const { completionScript } = await import('./completion/scripts.ts')
        context.out.write(completionScript(shell))
      })
    program
      .command('__complete', { hidden: true })
      .description('Prints what may stand for the last word, one candidate a line, and then what the shell adds.')
      .helpOption(false)
      .argument('[words...]')
      .allowUnknownOption()
      .passThroughOptions()
      .action(async (words: readonly string[]) => {
        const { completionText } = await import('./completion/complete-line.ts')
        context.out.write(await completionText(program, words, load))
      })
  }
