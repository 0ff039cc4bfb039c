import type { Command } from 'commander'
import type { CliContext } from '../../cli/cli-context.ts'
import { addStyleOptions, outputOption } from '../../cli/output-options.ts'
import { printResult, type Result, type ResultFlags, type Wired } from '../../cli/print-result.ts'
import { present } from '../../ground/model/present.ts'
import type { IngressAddress } from '../run/commands/find-ingress.ts'
import {
  addRolloutPlace,
  parseTarget,
  type RolloutFlags,
  type RolloutGround,
  type RolloutPlace,
} from './rollout-place.ts'

export interface RolloutActions {
  /** Asks once. Rejects with UserError for what is wrong with the kubeconfig. */
  readonly open: (place: RolloutPlace, signal: AbortSignal) => Promise<RolloutGround>
}

/** What a command line asks for, and of what. */
export interface RolloutCall {
  readonly ground: RolloutGround
  readonly at: IngressAddress
  readonly place: RolloutPlace
  readonly context: CliContext
  readonly signal: AbortSignal
}

type SubFlags = RolloutFlags & ResultFlags

/** What all commands about one object have: where it is, and the form of the result. */
export function addSub<F>(
  command: Command,
  wired: Wired<RolloutActions>,
  run: (call: RolloutCall, flags: F & SubFlags) => Promise<Result>,
): void {
  addStyleOptions(addRolloutPlace(command).addOption(outputOption())).action(
    (words: readonly string[], flags: F & SubFlags) =>
      printResult(wired, flags, async () => {
        const target = parseTarget(words)
        const { kubeconfig, context: name, controllerNamespace } = flags
        const place = { ...present({ kubeconfig, context: name, controllerNamespace }) }
        const { context } = wired
        const { signal } = context.interrupts
        const ground = await (await wired.load()).open(place, signal)
        const at = { ...target, namespace: flags.namespace ?? ground.namespace }
        return run({ ground, at, place, context, signal }, flags)
      }),
  )
}
