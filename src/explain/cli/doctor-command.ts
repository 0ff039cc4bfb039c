import type { CliContext } from '../../cli/cli-context.ts'
import { EXIT_FAILED } from '../../cli/exit-codes.ts'
import {
  addClusterOptions,
  addStyleOptions,
  type OutputFlags,
  outputOption,
  stateDirOption,
} from '../../cli/output-options.ts'
import { printResult } from '../../cli/print-result.ts'
import type { AddCommand } from '../../cli/program.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { present } from '../../ground/model/present.ts'
import { evenkeel, plainText } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { pastedIn, pasteWith } from '../../ground/text/paste.ts'
import { type Line, padCells, type Tone } from '../../ground/text/terminal/style.ts'
import { wrapText } from '../../ground/text/wrap-words.ts'
import { doctorChecks } from '../decide/doctor/doctor-checks.ts'
import type { Check, DoctorSnapshot, Found, NamedRollFile } from '../decide/doctor/doctor-snapshot.ts'

export interface DoctorPlace {
  readonly kubeconfig?: string
  readonly context?: string
  readonly stateDir?: string
}

export interface DoctorActions {
  /** Reads once and changes nothing. A failed read is a result, too. */
  readonly read: (
    request: { readonly place: DoctorPlace; readonly file?: Found<NamedRollFile> },
    signal: AbortSignal,
  ) => Promise<DoctorSnapshot>
}

type DoctorFlags = DoctorPlace &
  Pick<OutputFlags, 'color' | 'ascii'> & { readonly file?: string; readonly output: 'text' | 'json' }

const EXAMPLE = `
Example: what is missing here before there is a roll file
  evenkeel doctor

Example: with the balancers and the probe targets of a roll file
  evenkeel doctor -f roll.yaml

Example: one document for scripts
  evenkeel doctor -f roll.yaml -o json

Each line is ok, warning, missing or skipped. A skipped check needs what an
earlier one did not find. Each check takes 5 s at most. The command changes
nothing: the Lease of the slot is tried as a dry run, which the API server does
not store. Each probe target gets one request. "evenkeel roll --dry-run" checks
the nodes and pods of a roll.

Exit codes: 0 nothing is missing, warnings allowed; 1 something is missing;
2 wrong usage.`

/** `evenkeel doctor`. */
export const addDoctorCommand =
  (load: () => Promise<DoctorActions>): AddCommand =>
  (program, context, exitWith) => {
    const command = addClusterOptions(
      program
        .command('doctor')
        .summary('say what is missing for a roll, on this machine and on the cluster')
        .description('Says what is missing for a roll, on this machine and on the cluster, and how to fix it.')
        .option('-f, --file <file>', 'roll file; its balancers and probe targets are checked; - reads it from stdin'),
    )
      .addOption(stateDirOption())
      .addOption(outputOption())
      .addHelpText('after', EXAMPLE)
    addStyleOptions(command).action((flags: DoctorFlags) =>
      printResult({ context, exitWith }, flags, async () => {
        const named = flags.file === undefined ? {} : { file: await fileOf(flags.file, context) }
        const { read } = await load()
        const snapshot = await read({ place: flags, ...named }, context.interrupts.signal)
        const checks = pastedIn(doctorChecks(snapshot), pasteWith(flags))
        return {
          code: checks.some(({ state }) => state === 'missing') ? EXIT_FAILED : 0,
          lines: (columns) => checkLines(checks, columns),
          document: { checks },
        }
      }),
    )
  }

/** With the line and the fix of each. */
const SHOW_ERRORS = evenkeel`roll -f roll.yaml --dry-run`

async function fileOf(file: string, context: CliContext): Promise<Found<NamedRollFile>> {
  const name = file === '-' ? 'standard input' : file
  // Its parsers take a fifth of a second to load, which no other command should wait for.
  const { readRollFile } = await import('../../roll/file/read-roll-file.ts')
  try {
    // The command line of the roll may choose its nodes.
    const { spec } = readRollFile({ file: name, text: await context.readText(file) })
    return { is: 'found', value: { name, spec } }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const { message, code, fix, details } = error
    if (details.length === 0) return { is: 'failed', text: message, code, ...present({ fix }) }
    const [first = '', place = ''] = details[0]?.split('\n') ?? []
    const others = details.length === 1 ? '' : `, and ${details.length - 1} more`
    return { is: 'failed', text: `${place.replace(/^ *--> /, '')}: ${first}${others}`, code, fix: SHOW_ERRORS }
  }
}

const TONES: Readonly<Partial<Record<Check['state'], Tone>>> = { missing: 'stop', warning: 'hold' }
const STATE_CELLS = 9
const NAME_CELLS_MAX = 30
const FIX = 'fix: '
const TEXT_MAX = 2_000

/** A fix that several lines share is shown once, below the last of them. */
function checkLines(checks: readonly Check[], columns: number): readonly Line[] {
  const nameCells = 2 + Math.min(NAME_CELLS_MAX, Math.max(...checks.map(({ name }) => escapeForeign(name).length)))
  const room = Math.max(20, columns - STATE_CELLS - nameCells)
  const margin = ' '.repeat(STATE_CELLS + nameCells)
  return checks.flatMap(({ name, state, text, fix }, at): readonly Line[] => {
    const [first = '', ...more] = wrapText(text, room, TEXT_MAX)
    const tone = TONES[state]
    const word = tone === undefined ? state : { text: state, tone }
    const head: Line = [word, ' '.repeat(STATE_CELLS - state.length), padCells(escapeForeign(name), nameCells), first]
    const isSaidBelow = fix === undefined || plainText(checks[at + 1]?.fix ?? '') === plainText(fix)
    const fixes = isSaidBelow ? [] : wrapText(fix, room - FIX.length, TEXT_MAX)
    return [
      head,
      ...more.map((line): Line => [margin, line]),
      ...fixes.map((line, row): Line => [margin, row === 0 ? FIX : ' '.repeat(FIX.length), line]),
    ]
  })
}
