import { type Command, Option } from 'commander'
import { count, duration } from '../../cli/flag-values.ts'
import { outputModes } from '../../cli/output-options.ts'
import type { Wired } from '../../cli/print-result.ts'
import type { AddCommand } from '../../cli/program.ts'
import { silentPrinter, type WatchPrinter } from '../../cli/watch-printer.ts'
import { present } from '../../ground/model/present.ts'
import { evenkeel, say } from '../../ground/model/sentence.ts'
import { SLOTS_NAMESPACE } from '../../ground/model/slot.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { PROGRESS_CHOICES, type ProgressChoice } from '../../ground/text/terminal/choose-progress.ts'
import { numberOf } from '../decide/revision.ts'
import { existing } from '../decide/rollback.ts'
import { historyOf, templateOf } from '../decide/rollout/history.ts'
import { findIngress } from '../run/commands/find-ingress.ts'
import { ofIngress } from '../run/commands/of-ingress.ts'
import { historyLines } from './history-lines.ts'
import { addControllerPlace } from './rollout-place.ts'
import { runStatus } from './run-status.ts'
import { liveStatusPrinter, plainStatusPrinter, type Seen } from './status-printer.ts'
import { addSub, type RolloutActions, type RolloutCall } from './sub-command.ts'
import { addWrites } from './write-commands.ts'

const STATUS_EXAMPLE = `
Example: wait for a rollout, at most half an hour
  evenkeel rollout status ingressdaemonset/web --timeout 30min

Example: look once
  evenkeel rollout status ingressdaemonset/web --watch=false

On a terminal it draws the nodes that are not in service, with what each waits
for. Elsewhere it writes a line for each change.

Exit codes: 0 every node has the wanted revision and serves, or the partition
keeps the rest; 1 the rollout failed: nodes are stuck, the object is refused, or
it went back by itself; 2 wrong usage, or there is no such object; 3 it is
paused, waits after its canary nodes, or was not done when the command ended by
--timeout or --watch=false; 130 interrupted. The rollout itself goes on in the
last two cases.`

const HISTORY_EXAMPLE = `
Example: the revisions that are kept, and how many nodes have each
  evenkeel rollout history ingressdaemonset/web

Example: the pod template of revision 3
  evenkeel rollout history ingressdaemonset/web --revision 3`

/** `evenkeel rollout status|history|pause|resume|undo|retry|skip ingressdaemonset/NAME`. */
export const addRolloutCommand =
  (load: () => Promise<RolloutActions>): AddCommand =>
  (program, context, exitWith) => {
    const rollout = program
      .command('rollout')
      .summary('follow and steer the rollout of an IngressDaemonSet')
      .description('Shows the rollout of an IngressDaemonSet, and pauses, resumes, undoes, retries or skips.')
    const wired = { load, context, exitWith }
    addStatus(rollout, wired)
    addHistory(rollout, wired)
    addWrites(rollout, wired)
  }

interface StatusFlags {
  readonly watch: 'true' | 'false'
  readonly timeout?: number
  readonly progress: ProgressChoice
  readonly color: 'auto' | 'always' | 'never'
  readonly ascii?: boolean
}

function addStatus(rollout: Command, wired: Wired<RolloutActions>): void {
  const command = rollout
    .command('status')
    .summary('follow a rollout until it is done or stuck')
    .addOption(
      new Option('--watch <true|false>', 'follow until it is settled').choices(['true', 'false']).default('true'),
    )
    .addOption(new Option('--timeout <duration>', 'how long to wait (default: for ever)').argParser(duration))
    .addOption(
      new Option('--progress <form>', 'form of progress; plain suits screen readers and logs')
        .choices(PROGRESS_CHOICES)
        .default('auto'),
    )
    .addHelpText('after', STATUS_EXAMPLE)
  addSub<StatusFlags>(addControllerPlace(command), wired, (call, flags) => {
    const { timeout: timeoutMs } = flags
    return runStatus({
      ...call,
      printer: printerOf(call, flags),
      watches: flags.watch === 'true',
      controllerNamespace: call.place.controllerNamespace ?? SLOTS_NAMESPACE,
      ...present({ timeoutMs }),
    })
  })
}

function printerOf({ context }: RolloutCall, flags: StatusFlags): WatchPrinter<Seen> {
  const { progress, errStyle } = outputModes(flags, context.terminal)
  const parts = { sink: context.err, clock: context.clock, style: errStyle }
  if (progress === 'none') return silentPrinter
  return progress === 'live' ? liveStatusPrinter(parts) : plainStatusPrinter(parts)
}

interface HistoryFlags {
  readonly revision?: number
}

function addHistory(rollout: Command, wired: Wired<RolloutActions>): void {
  const command = rollout
    .command('history')
    .summary('list the revisions, with the nodes that have each')
    .addOption(new Option('--revision <number>', 'print the pod template of this revision as YAML').argParser(count))
    .addHelpText('after', HISTORY_EXAMPLE)
  addSub<HistoryFlags>(command, wired, async ({ ground, at, signal, context }, { revision }) => {
    const object = await findIngress(ground.objects, at, signal)
    const of = await ofIngress(ground.objects, object, signal)
    if (revision === undefined) {
      const rows = historyOf(object, of)
      return { code: 0, lines: () => historyLines(rows, context.clock.wallMs()), document: { revisions: rows } }
    }
    const found = of.revisions.find((one) => numberOf(one) === revision)
    if (found === undefined)
      throw new UserError(`${object.name} has no revision ${revision}: ${existing(of.revisions)}`, {
        code: 'rollout.refused',
        fix: say`${evenkeel`rollout history`} shows the revisions`,
      })
    const template = templateOf(found)
    const { stringify } = await import('yaml')
    const text = stringify(template).trimEnd().split('\n')
    return { code: 0, lines: () => text.map((line) => [line]), document: { revision, template } }
  })
}
