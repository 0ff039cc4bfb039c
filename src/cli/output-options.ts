import { type Command, Option } from 'commander'
import { COLOR_CHOICES, type ColorChoice, chooseColor } from '../ground/text/terminal/choose-color.ts'
import {
  chooseProgress,
  PROGRESS_CHOICES,
  type ProgressChoice,
  type ProgressMode,
} from '../ground/text/terminal/choose-progress.ts'
import { chooseSymbols } from '../ground/text/terminal/choose-symbols.ts'
import type { Style } from '../ground/text/terminal/style.ts'
import type { TerminalSettings } from '../ground/text/terminal/terminal-settings.ts'

/** `-o`: what goes to stdout. `markdown` and `otlp`: of a report alone. */
export type OutputForm = 'text' | 'json' | 'jsonl' | 'markdown' | 'otlp'

/** As commander gives them. */
export interface OutputFlags {
  readonly progress: ProgressChoice
  readonly color: ColorChoice
  readonly ascii?: boolean
  readonly quiet?: boolean
  readonly verbose?: number
}

/** 0 `-q`: verdict, holds, windows, errors. 1: also a line for each node. 2 `-v`: also steps, pods. 3 `-vv`: also every write. */
export type Level = 0 | 1 | 2 | 3

export interface OutputModes {
  readonly progress: ProgressMode
  readonly level: Level
  readonly outStyle: Style
  readonly errStyle: Style
}

/** The options for progress, colour and amount, the same for every command that shows some. */
export function addOutputOptions(command: Command): Command {
  command.addOption(
    new Option('--progress <form>', 'form of progress; plain suits screen readers and logs')
      .choices(PROGRESS_CHOICES)
      .default('auto'),
  )
  return addStyleOptions(command)
    .option('-q, --quiet', 'print only the verdict, holds, failures and errors')
    .option(
      '-v, --verbose',
      'print every step and pod; -vv prints every write',
      (_, count: number | undefined) => (count ?? 0) + 1,
    )
}

/** The options of a command that only shows its result. */
export function addStyleOptions(command: Command): Command {
  return command
    .addOption(new Option('--color <when>', 'colour').choices(COLOR_CHOICES).default('auto'))
    .option('--ascii', 'no symbols beyond ASCII')
}

/** Its form, for people or for machines. */
export const outputOption = (): Option =>
  new Option('-o, --output <form>', 'form of the result').choices(['text', 'json']).default('text')

/** By which a command reaches its cluster. */
export const addClusterOptions = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'kubeconfig; else KUBECONFIG, else ~/.kube/config')
    .option('--context <name>', 'context of the kubeconfig')

/** The place of the journals of rolls. */
export const stateDirOption = (): Option =>
  new Option(
    '--state-dir <dir>',
    'directory of the journals of rolls, or configmaps:NAMESPACE (default: $XDG_STATE_HOME/evenkeel)',
  )

/** Form and colour of such a result. */
export const resultStyle = (flags: Pick<OutputFlags, 'color' | 'ascii'>, terminal: TerminalSettings): Style => ({
  color: chooseColor(flags.color, terminal, 'stdout'),
  symbols: chooseSymbols(flags.ascii === true, terminal),
})

/** The modes by flags and environment; throws UserError for a form that is not possible. */
export function outputModes(flags: OutputFlags, terminal: TerminalSettings): OutputModes {
  const symbols = chooseSymbols(flags.ascii === true, terminal)
  const amount = flags.verbose ?? 0
  return {
    progress: chooseProgress(flags.progress, terminal),
    level: flags.quiet === true ? 0 : amount === 0 ? 1 : amount === 1 ? 2 : 3,
    outStyle: { color: chooseColor(flags.color, terminal, 'stdout'), symbols },
    errStyle: { color: chooseColor(flags.color, terminal, 'stderr'), symbols },
  }
}
