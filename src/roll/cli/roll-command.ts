import type { Command } from 'commander'
import type { LinePrinter } from '../../cli/line-printer.ts'
import {
  addClusterOptions,
  addOutputOptions,
  addStyleOptions,
  outputOption,
  stateDirOption,
} from '../../cli/output-options.ts'
import type { AddCommand } from '../../cli/program.ts'
import { withErrorDocument } from '../../cli/with-error-document.ts'
import { present } from '../../ground/model/present.ts'
import type { RollActions } from './roll-actions.ts'
import type { RollContext } from './roll-context.ts'
import {
  addAbortOptions,
  addEventsOptions,
  addPlaceOptions,
  addReportOptions,
  addResumeOptions,
  addRollOptions,
  type ListFlags,
  type ReportFlags,
  type ResumeFlags,
  type RollFlags,
} from './roll-options.ts'

const EXAMPLES = `
Examples:
  evenkeel roll -f roll.yaml --dry-run     the plan; checks everything, changes nothing
  evenkeel roll -f roll.yaml               asks for confirmation, then rolls the nodes of the file
  evenkeel roll -f roll.yaml w-1 w-2       these nodes only, in this order
  evenkeel roll -f roll.yaml --only-if-needed   only nodes whose machine needs a reboot
  evenkeel roll -f roll.yaml -l disk=ssd --yes -o json | jq .outcome`

/** `evenkeel roll` and what belongs to it. What the commands do is loaded when one of them runs. */
export const addRollCommand =
  (load: () => Promise<RollActions>, printer: LinePrinter): AddCommand =>
  (program, context, exitWith) => {
    const shared = { context: { ...context, printer }, load, exitWith }
    const roll = program
      .command('roll')
      .enablePositionalOptions()
      .summary('reboot nodes one after another, out of every balancer first')
      .description(
        'Takes nodes out of service one by one, drains and reboots them, and proves that each is back before the next one.',
      )
      .argument('[nodes...]', 'nodes by name, instead of the nodes of the file')
      .addHelpText('after', EXAMPLES)
    addOutputOptions(addEventsOptions(addPlaceOptions(addRollOptions(roll)))).action(
      async (names: string[], flags: RollFlags) => {
        const { rollCommand } = await import('./run-roll.ts')
        exitWith(await withErrorDocument(context, flags, () => rollCommand(shared.context, load, { names, flags })))
      },
    )
    addResumeOrAbort(roll, {
      name: 'resume',
      about: 'continue a roll that was held, interrupted or killed',
      ...shared,
    })
    addResumeOrAbort(roll, { name: 'abort', about: 'end a roll: put back the node that is out, then stop', ...shared })
    addHistory(roll, { name: 'status', about: 'show the state of a roll', ...shared })
    addHistory(roll, {
      name: 'report',
      about: 'show what a roll did, node by node, and what it measured',
      ...shared,
    })
    addList(roll, shared)
  }

interface Sub<Name extends string> {
  readonly name: Name
  readonly about: string
  readonly context: RollContext
  readonly load: () => Promise<RollActions>
  readonly exitWith: (code: number) => void
}

const RESUME_EXAMPLES = {
  resume: `
Examples:
  evenkeel roll resume                             continue the roll begun last
  evenkeel roll resume 20261121T061439Z-1f0e
  evenkeel roll resume -f roll.yaml                continue with a corrected file`,
  abort: `
Examples:
  evenkeel roll abort                              end the roll begun last
  evenkeel roll abort 20261121T061439Z-1f0e
  evenkeel roll abort -f roll.yaml                 by the records on nodes, if the journal is lost`,
} as const

const RUN = ['[run]', 'the run, by the name of its journal (default: the run begun last)'] as const

function addResumeOrAbort(roll: Command, { name, about, context, load, exitWith }: Sub<'resume' | 'abort'>): void {
  const command = roll
    .command(name)
    .description(`${sentence(about)}.`)
    .summary(about)
    .argument(...RUN)
    .addHelpText('after', RESUME_EXAMPLES[name])
  const addOwnOptions = name === 'resume' ? addResumeOptions : addAbortOptions
  addOutputOptions(addEventsOptions(addPlaceOptions(addOwnOptions(command)))).action(
    async (run: string | undefined, flags: ResumeFlags) => {
      const { resumeCommand } = await import('./run-roll.ts')
      const asked = { name, flags, ...present({ run }) }
      exitWith(await withErrorDocument(context, flags, () => resumeCommand(context, load, asked)))
    },
  )
}

const HISTORY_EXAMPLES = {
  status: `
Example:
  evenkeel roll status -o json`,
  report: `
Examples:
  evenkeel roll report -o json
  evenkeel roll report --html report.html            one file with verdict, timeline and evidence
  evenkeel roll report -o markdown > report.md
  evenkeel roll report -o otlp > trace.jsonl         spans for an OpenTelemetry Collector
  evenkeel roll report --compare 20261120T060000Z-77aa 20261121T061439Z-1f0e --html compared.html`,
} as const

const HISTORY_READS = {
  status: 'Reads the journal, and where that has no end and its process is gone, the Nodes in work.',
  report: 'Reads only the journal; contacts no cluster.',
} as const

function addHistory(roll: Command, { name, about, context, load, exitWith }: Sub<'status' | 'report'>): void {
  const command = roll
    .command(name)
    .description(`${sentence(about)}. ${HISTORY_READS[name]}`)
    .summary(about)
    .argument(name === 'report' ? '[runs...]' : RUN[0], name === 'report' ? RUNS_ABOUT : RUN[1])
    .addHelpText('after', HISTORY_EXAMPLES[name])
  const addOwnOptions = name === 'report' ? addReportOptions : (status: Command) => addPlaceOptions(status)
  addOutputOptions(addOwnOptions(command)).action(async (named: string | string[] | undefined, flags: ReportFlags) => {
    const runs = typeof named === 'string' ? [named] : (named ?? [])
    const work = async (): Promise<number> => {
      if (flags.compare === true) {
        const { compareCommand } = await import('./compare-runs.ts')
        return compareCommand(context, load, { runs, flags })
      }
      const { historyCommand } = await import('./roll-history.ts')
      return historyCommand(context, load, { name, flags, runs })
    }
    exitWith(await withErrorDocument(context, flags, work))
  })
}

const LIST_EXAMPLES = `
Examples:
  evenkeel roll list
  evenkeel roll list -o json | jq -r '.runs[].run'`

function addList(
  roll: Command,
  { context, load, exitWith }: Pick<Sub<'status'>, 'context' | 'load' | 'exitWith'>,
): void {
  const command = addClusterOptions(
    roll
      .command('list')
      .summary('list the rolls of this machine or of a namespace, newest first')
      .description(
        'Lists the rolls of the state directory, newest first. Reads only journals; contacts no cluster unless they are in one.',
      ),
  )
    .addOption(stateDirOption())
    .addOption(outputOption())
    .addHelpText('after', LIST_EXAMPLES)
  addStyleOptions(command).action(async (flags: ListFlags) => {
    const { listCommand } = await import('./roll-list.ts')
    exitWith(await withErrorDocument(context, flags, () => listCommand(context, load, flags)))
  })
}

const RUNS_ABOUT = `${RUN[1]}; with --compare two runs`

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
