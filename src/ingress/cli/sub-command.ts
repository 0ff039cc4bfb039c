import { type Command, Option } from 'commander'
import type { CliContext } from '../../cli/cli-context.ts'
import { addStyleOptions, type OutputFlags, resultStyle } from '../../cli/output-options.ts'
import { withErrorDocument } from '../../cli/with-error-document.ts'
import { present } from '../../ground/model/present.ts'
import { type Line, paintLine } from '../../ground/text/terminal/style.ts'
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

export interface Wired {
  readonly load: () => Promise<RolloutActions>
  readonly context: CliContext
  readonly exitWith: (code: number) => void
}

/** What a command line asks for, and of what. */
export interface RolloutCall {
  readonly ground: RolloutGround
  readonly at: IngressAddress
  readonly place: RolloutPlace
  readonly context: CliContext
  readonly signal: AbortSignal
}

interface Result {
  readonly code: number
  readonly lines: (columns: number) => readonly Line[]
  /** Absent: its lines are for machines as well. */
  readonly document: object
}

type SubFlags = RolloutFlags & Pick<OutputFlags, 'color' | 'ascii'> & { readonly output: 'text' | 'json' }

/** What all commands about one object have: where it is, and the form of the result. */
export function addSub<F>(
  command: Command,
  { load, context, exitWith }: Wired,
  run: (call: RolloutCall, flags: F & SubFlags) => Promise<Result>,
): void {
  addStyleOptions(
    addRolloutPlace(command).addOption(
      new Option('-o, --output <form>', 'form of the result').choices(['text', 'json']).default('text'),
    ),
  ).action(async (words: readonly string[], flags: F & SubFlags) => {
    const code = await withErrorDocument(context, flags, async () => {
      const target = parseTarget(words)
      const { kubeconfig, context: name, controllerNamespace } = flags
      const place = {
        ...present({ kubeconfig, context: name, controllerNamespace }),
      }
      const { signal } = context.interrupts
      const ground = await (await load()).open(place, signal)
      const at = { ...target, namespace: flags.namespace ?? ground.namespace }
      const result = await run({ ground, at, place, context, signal }, flags)
      const style = resultStyle(flags, context.terminal)
      const text =
        flags.output === 'json'
          ? `${JSON.stringify(result.document, null, 2)}\n`
          : result
              .lines(context.out.size().columns)
              .map((line) => `${paintLine(line, style)}\n`)
              .join('')
      context.out.write(text)
      return result.code
    })
    exitWith(code)
  })
}
