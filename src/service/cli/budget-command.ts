import { Option } from 'commander'
import { duration } from '../../cli/flag-values.ts'
import { addClusterOptions, addStyleOptions, type OutputFlags, outputOption } from '../../cli/output-options.ts'
import { printResult } from '../../cli/print-result.ts'
import type { AddCommand } from '../../cli/program.ts'
import { SLOTS_NAMESPACE } from '../../ground/model/slot.ts'
import { pastedIn, pasteWith } from '../../ground/text/paste.ts'
import type { BudgetStatus } from '../decide/budget/budget-status.ts'
import type { BudgetPlace } from '../run/look-at-budget.ts'
import { budgetLines } from './budget-lines.ts'

export interface BudgetActions {
  readonly read: (
    place: BudgetPlace & { readonly kubeconfig?: string; readonly context?: string },
    signal: AbortSignal,
  ) => Promise<BudgetStatus>
}

interface BudgetFlags extends Pick<OutputFlags, 'color' | 'ascii'> {
  readonly kubeconfig?: string
  readonly context?: string
  readonly namespace: string
  readonly grantsNamespace?: string
  readonly watch: number
  readonly output: 'text' | 'json'
}

/** As many nodes are out as are allowed. */
const EXIT_USED_UP = 3

const EXAMPLE = `
Example: who is out, who holds the slots, and how many more nodes may leave
  evenkeel budget

Example: watch for two minutes: every live holder renews its slot in that time
  evenkeel budget --watch 2min

Example: one document for scripts
  evenkeel budget -o json

Exit code 0 reserves nothing: a roll or a controller may take the last slot a
moment later. Claim a node before you take it out yourself. This command queries
no balancer and no agent. A node that is out only by a balancer or an agent is
counted by a roll, and not here. A node that may be out because of its cordon or
label is listed and counted here.

Exit codes: 0 one more node may leave at this moment; 1 the API cannot be
queried; 2 wrong usage, or maxOut is invalid; 3 the budget is used up.`

/** `evenkeel budget`. */
export const addBudgetCommand =
  (load: () => Promise<BudgetActions>): AddCommand =>
  (program, context, exitWith) => {
    const command = addClusterOptions(
      program
        .command('budget')
        .summary('say which nodes are out, and how many more may leave')
        .description(
          'Says which nodes are out, for whom and since when, who holds the slots, and how many more may leave.',
        ),
    )
      .option('--namespace <name>', 'namespace of the slots and of ConfigMap evenkeel-budget', SLOTS_NAMESPACE)
      .option('--grants-namespace <name>', 'namespace of ConfigMap evenkeel-cordon-grants (default: that of the slots)')
      .addOption(
        new Option('--watch <duration>', 'watch the slots for this long, and name holders that do not renew')
          .argParser(duration)
          .default(0, 'once'),
      )
      .addOption(outputOption())
      .addHelpText('after', EXAMPLE)
    addStyleOptions(command).action((flags: BudgetFlags) =>
      printResult({ context, exitWith }, flags, async () => {
        const { namespace, grantsNamespace = namespace, watch: watchMs } = flags
        const place = { ...flags, namespace, grantsNamespace, watchMs }
        const found = await (await load()).read(place, context.interrupts.signal)
        const status = pastedIn(found, pasteWith({ ...flags, slotsNamespace: namespace }))
        return {
          code: status.more > 0 ? 0 : EXIT_USED_UP,
          lines: () => budgetLines(status, namespace),
          document: status,
        }
      }),
    )
  }
