import type { Command } from 'commander'
import type { CliContext } from '../../cli/cli-context.ts'
import { addStyleOptions, outputOption } from '../../cli/output-options.ts'
import { printResult, type Result, type ResultFlags, type Wired } from '../../cli/print-result.ts'
import { present } from '../../ground/model/present.ts'
import { nearestNames } from '../../ground/text/nearest-name.ts'
import type { LooksAlike } from '../run/commands/find-guard.ts'
import { addGuardPlace, type GuardGround, type GuardPlace, parseGuardTarget } from './guard-place.ts'

export interface GuardActions {
  /** Asks once. Rejects with UserError for what is wrong with the kubeconfig. */
  readonly open: (place: GuardPlace, signal: AbortSignal) => Promise<GuardGround>
}

/** What a command line asks for, and where. */
export interface GuardCall {
  readonly ground: GuardGround
  readonly namespace: string
  /** Absent: all NodeGuards. */
  readonly name?: string
  readonly place: GuardPlace
  readonly context: CliContext
  readonly signal: AbortSignal
}

type Flags = GuardPlace & ResultFlags & { readonly namespace?: string }

/** What all commands of guards have: where the object is, and the form of the result. */
export function addGuardSub<F>(
  command: Command,
  wired: Wired<GuardActions>,
  run: (call: GuardCall, flags: F & Flags) => Promise<Result>,
): void {
  addStyleOptions(addGuardPlace(command).addOption(outputOption())).action(
    (words: readonly string[], flags: F & Flags) =>
      printResult(wired, flags, async () => {
        const name = words.length === 0 ? {} : { name: parseGuardTarget(words) }
        const place = { ...present({ kubeconfig: flags.kubeconfig, context: flags.context }) }
        const { context } = wired
        const { signal } = context.interrupts
        const ground = await (await wired.load()).open(place, signal)
        const namespace = flags.namespace ?? ground.namespace
        return run({ ground, namespace, ...name, place, context, signal }, flags)
      }),
  )
}

const NAMED_AT_MOST = 3

/** Names of objects that a person may have meant. */
export const looksAlike: LooksAlike = (written, known) => nearestNames(written, known).slice(0, NAMED_AT_MOST)
