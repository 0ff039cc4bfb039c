import { type Command, Option } from 'commander'
import type { CliContext } from '../../cli/cli-context.ts'
import { addStyleOptions, type OutputFlags, resultStyle } from '../../cli/output-options.ts'
import { withErrorDocument } from '../../cli/with-error-document.ts'
import { present } from '../../ground/model/present.ts'
import { nearestNames } from '../../ground/text/nearest-name.ts'
import { type Line, paintLine } from '../../ground/text/terminal/style.ts'
import type { LooksAlike } from '../run/commands/find-guard.ts'
import { addGuardPlace, type GuardGround, type GuardPlace, parseGuardTarget } from './guard-place.ts'

export interface GuardActions {
  /** Asks once. Rejects with UserError for what is wrong with the kubeconfig. */
  readonly open: (place: GuardPlace, signal: AbortSignal) => Promise<GuardGround>
}

export interface GuardWired {
  readonly load: () => Promise<GuardActions>
  readonly context: CliContext
  readonly exitWith: (code: number) => void
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

export interface GuardResult {
  readonly code: number
  readonly lines: (columns: number) => readonly Line[]
  readonly document: object
}

type Flags = GuardPlace &
  Pick<OutputFlags, 'color' | 'ascii'> & { readonly namespace?: string; readonly output: 'text' | 'json' }

/** What all commands of guards have: where the object is, and the form of the result. */
export function addGuardSub<F>(
  command: Command,
  { load, context, exitWith }: GuardWired,
  run: (call: GuardCall, flags: F & Flags) => Promise<GuardResult>,
): void {
  addStyleOptions(
    addGuardPlace(command).addOption(
      new Option('-o, --output <form>', 'form of the result').choices(['text', 'json']).default('text'),
    ),
  ).action(async (words: readonly string[], flags: F & Flags) => {
    const code = await withErrorDocument(context, flags, async () => {
      const name = words.length === 0 ? {} : { name: parseGuardTarget(words) }
      const { kubeconfig, context: contextName } = flags
      const place = {
        ...present({ kubeconfig, context: contextName }),
      }
      const { signal } = context.interrupts
      const ground = await (await load()).open(place, signal)
      const namespace = flags.namespace ?? ground.namespace
      const result = await run({ ground, namespace, ...name, place, context, signal }, flags)
      const style = resultStyle(flags, context.terminal)
      context.out.write(
        flags.output === 'json'
          ? `${JSON.stringify(result.document, null, 2)}\n`
          : result
              .lines(context.out.size().columns)
              .map((line) => `${paintLine(line, style)}\n`)
              .join(''),
      )
      return result.code
    })
    exitWith(code)
  })
}

const NAMED_AT_MOST = 3

/** Names of objects that a person may have meant. */
export const looksAlike: LooksAlike = (written, known) => nearestNames(written, known).slice(0, NAMED_AT_MOST)
