import { type Command, Option } from 'commander'
import { outputModes } from '../../cli/output-options.ts'
import type { Wired } from '../../cli/print-result.ts'
import type { AddCommand } from '../../cli/program.ts'
import { silentPrinter, type WatchPrinter } from '../../cli/watch-printer.ts'
import { PROGRESS_CHOICES, type ProgressChoice } from '../../ground/text/terminal/choose-progress.ts'
import { addExplain } from './explain-command.ts'
import { type GuardReading, liveGuardPrinter, plainGuardPrinter } from './guard-printer.ts'
import { guardStatus } from './guard-status.ts'
import { addGuardSub, type GuardActions, type GuardCall } from './sub-command.ts'
import { addGuardWrites } from './write-commands.ts'

const STATUS_EXAMPLE = `
Example: all NodeGuards of the cluster
  evenkeel guard status --all-namespaces

Example: one of them, with each node that is not Armed
  evenkeel guard status nodeguard/storage -n data

Example: watch it while nodes are drained; Ctrl-C ends it
  evenkeel guard status nodeguard/storage -n data --watch

With --watch it draws the nodes in place on a terminal. Elsewhere it writes a
line for each change.

Exit codes: 0 no node that asks is held; 1 nothing is done by a NodeGuard: it is
refused, a write for it is refused, or it was deleted; 2 wrong usage, or there
is no such object; 3 a node is Held or in Conflict, or the controller has not
seen the object as it is now; 130 interrupted. The guards themselves go on in
each case.`

/** `evenkeel guard status|explain|release|hold`. */
export const addGuardCommand =
  (load: () => Promise<GuardActions>): AddCommand =>
  (program, context, exitWith) => {
    const guard = program
      .command('guard')
      .summary('look at the NodeGuards, release a node, or hold it')
      .description('Shows why a NodeGuard does not let a node be drained yet, and releases or holds a node by hand.')
    const wired = { load, context, exitWith }
    addStatus(guard, wired)
    addExplain(guard, wired)
    addGuardWrites(guard, wired)
  }

interface StatusFlags {
  readonly watch?: true
  readonly allNamespaces?: true
  readonly progress: ProgressChoice
  readonly color: 'auto' | 'always' | 'never'
  readonly ascii?: boolean
}

function addStatus(guard: Command, wired: Wired<GuardActions>): void {
  const command = guard
    .command('status')
    .summary('show all NodeGuards, or one with its nodes')
    .argument('[target...]', 'nodeguard/NAME, or ng/NAME; without it, all of the namespace')
    .option('-A, --all-namespaces', 'the NodeGuards of all namespaces')
    .option('--watch', 'keep watching until interrupted')
    .addOption(
      new Option('--progress <form>', 'form of what --watch shows; plain suits screen readers and logs')
        .choices(PROGRESS_CHOICES)
        .default('auto'),
    )
    .addHelpText('after', STATUS_EXAMPLE)
  addGuardSub<StatusFlags>(command, wired, (call, flags) =>
    guardStatus({
      ...call,
      printer: printerOf(call, flags),
      watches: flags.watch === true,
      isAll: flags.allNamespaces === true,
    }),
  )
}

function printerOf({ context }: GuardCall, flags: StatusFlags): WatchPrinter<GuardReading> {
  const { progress, errStyle } = outputModes(flags, context.terminal)
  const parts = { sink: context.err, clock: context.clock, style: errStyle }
  if (progress === 'none') return silentPrinter
  return progress === 'live' ? liveGuardPrinter(parts) : plainGuardPrinter(parts)
}
