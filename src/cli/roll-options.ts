import { type Command, Option } from 'commander'
import { loadRollFile, rollSpecFromSelection } from '../config/load-roll-file.ts'
import { selectionFromFlags } from '../config/node-selection.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import { UserError } from '../model/user-error.ts'
import type { CliContext } from './cli-context.ts'
import type { OutputFlags } from './output-options.ts'
import type { RollPlace } from './roll-actions.ts'

/** `-o`: what goes to stdout. */
export type OutputForm = 'text' | 'json' | 'jsonl'

export interface PlaceFlags extends OutputFlags {
  readonly kubeconfig?: string
  readonly context?: string
  readonly stateDir?: string
  readonly output: OutputForm
  readonly events?: string
}

export interface RollFlags extends PlaceFlags {
  readonly file?: string
  readonly selector?: string
  readonly all?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
  /** False: `--no-probe`. */
  readonly probe: boolean
}

export function addPlaceOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig; else KUBECONFIG, else ~/.kube/config')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--state-dir <dir>', 'where journals are kept; else $XDG_STATE_HOME/evenkeel')
    .addOption(outputForm(['text', 'json', 'jsonl']))
}

export const outputForm = (forms: readonly OutputForm[]): Option =>
  new Option('-o, --output <form>', 'form of the result on stdout').choices(forms).default('text')

export function addRollOptions(command: Command): Command {
  return command
    .option('-f, --file <file>', 'the roll file (docs/roll-file.md); - reads it from stdin')
    .option('-l, --selector <selector>', 'nodes by label, in place of the nodes of the file')
    .option('--all', 'every node of the cluster, in place of the nodes of the file')
    .option('--dry-run', 'show the plan; change nothing')
    .option('-y, --yes', 'do not ask before it starts')
    .option('--no-probe', 'roll without measuring; then nothing stops it at a failed request')
}

export const placeOf = ({ kubeconfig, context, stateDir }: PlaceFlags): RollPlace => ({
  ...(kubeconfig === undefined ? {} : { kubeconfig }),
  ...(context === undefined ? {} : { context }),
  ...(stateDir === undefined ? {} : { stateDir }),
})

/** The roll that file and flags ask for together; flags win. */
export async function specOf(names: readonly string[], flags: RollFlags, context: CliContext): Promise<RollSpec> {
  const selection = selectionFromFlags({ names, selector: flags.selector, all: flags.all === true })
  const spec = await specOfFile(flags, selection, context)
  if (flags.probe) return spec
  const { probe: _, ...unmeasured } = spec
  return unmeasured
}

async function specOfFile({ file }: RollFlags, selection: ReturnType<typeof selectionFromFlags>, context: CliContext) {
  if (file !== undefined) {
    const name = file === '-' ? 'stdin' : file
    return loadRollFile({ file: name, text: await context.readText(file) }, selection)
  }
  if (selection !== undefined) return rollSpecFromSelection(selection)
  throw new UserError('nothing says which nodes to roll', {
    code: 'usage.nodes',
    fix: 'evenkeel roll -f roll.yaml, or name nodes, or -l SELECTOR, or --all',
  })
}
