import { SLOTS_NAMESPACE } from '../model/slot.ts'
import { flagText } from './flag-text.ts'

/** The options of a command line that a command printed by it needs again. */
export interface PasteOptions {
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
  readonly stateDir?: string | undefined
  readonly slotsNamespace?: string | undefined
  readonly grantsNamespace?: string | undefined
  /** The roll file, where commands say `-f roll.yaml`. */
  readonly file?: string | undefined
  /** By which a run reached its cluster, as its journal tells: `evenkeel roll` reads it there, other commands need it. */
  readonly remembered?: Pick<PasteOptions, 'kubeconfig' | 'context'> | undefined
}

/** Completes the commands in a text, so that each works when it is pasted into a shell in the same directory. */
export type Paste = (text: string) => string

/** A part of a text: one command, or the words between two. */
interface Piece {
  readonly text: string
  readonly isCommand: boolean
}

const SUBCOMMANDS =
  'roll (?:resume|abort|status|report|list)|roll|explain (?:node|pod)|budget|dns (?:check|watch|repair)|guard (?:status|explain|hold|release)|rollout (?:status|history|pause|resume|undo|retry|skip)'
const QUOTED = String.raw`(?:[\w@%+=:,./*-]|'[^']*'|\\')+`
/** Options whose value may stand after a space. After each other option, a word is prose. */
const VALUED =
  '-[flno]|--(?:by|context|events|exec|file|for|grants-namespace|html|image|kubeconfig|metrics|namespace|node|once|output|outside|pod|reason|revision|selector|service|slots-namespace|state-dir|timeout|to-revision|why)|(?<=budget )--watch'
const OPTION = ` (?:(?:${VALUED})(?![a-z-])(?:[= ](?!-)${QUOTED})?|-{1,2}[a-zA-Z][a-z-]*(?:=${QUOTED})?)`
/** A run, KIND/NAME or a placeholder in capitals; after `explain` any name. Any other word is prose. */
const OBJECT = String.raw` (?:\d{8}T${QUOTED}|[\w.-]+/${QUOTED}|[A-Z]+(?![\w-]))`
const COMMAND = new RegExp(
  String.raw`\bevenkeel (?:${SUBCOMMANDS})(?:(?<=explain (?:node|pod)) ${QUOTED}|${OBJECT})?(?:${OPTION}|${OBJECT})*`,
  'g',
)

/** A text that is a command as a whole is one piece; of `evenkeel` also those within a sentence. */
export function commandPieces(text: string): readonly Piece[] {
  if (text.startsWith('kubectl ')) return [{ text, isCommand: true }]
  const pieces: Piece[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(COMMAND)) {
    const command = found.replace(/[.,:]+$/, '')
    if (index > from) pieces.push({ text: text.slice(from, index), isCommand: false })
    pieces.push({ text: command, isCommand: true })
    from = index + command.length
  }
  return from < text.length || pieces.length === 0 ? [...pieces, { text: text.slice(from), isCommand: false }] : pieces
}

/** The one function that makes commands to paste. */
export function pasteWith(options: PasteOptions): Paste {
  const given = whereOf(options)
  const where = given.length === 0 ? whereOf(options.remembered ?? {}) : given
  const grants = flagText('--grants-namespace', options.grantsNamespace)
  const stateDir = flagText('--state-dir', options.stateDir)
  const slotsNamespace = options.slotsNamespace === SLOTS_NAMESPACE ? undefined : options.slotsNamespace
  const more: Readonly<Record<string, readonly string[]>> = {
    explain: [...stateDir, ...flagText('--slots-namespace', slotsNamespace), ...grants],
    budget: [...flagText('--namespace', slotsNamespace), ...grants],
    roll: stateDir,
  }
  const [, file] = flagText('-f', options.file === '-' ? undefined : options.file)
  const completed = (command: string): string => {
    const [program, subcommand = ''] = command.split(' ')
    if (program === 'kubectl') return ['kubectl', ...where, command.slice('kubectl '.length)].join(' ')
    const named = file === undefined ? command : command.replace(/(?<= -f )roll\.yaml\b/, () => file)
    return [named, ...(subcommand === 'roll' ? given : where), ...(more[subcommand] ?? [])].join(' ')
  }
  return (text) =>
    commandPieces(text)
      .map((piece) => (piece.isCommand ? completed(piece.text) : withKubectl(piece.text, where)))
      .join('')
}

const whereOf = ({ context, kubeconfig }: Pick<PasteOptions, 'kubeconfig' | 'context'>): readonly string[] => [
  ...flagText('--context', context),
  ...flagText('--kubeconfig', kubeconfig),
]

const withKubectl = (text: string, where: readonly string[]): string =>
  where.length === 0 ? text : text.replace(/: kubectl (?!-f )/g, () => `: kubectl ${where.join(' ')} `)

const PASTED_FIELDS = new Set(['next', 'fix', 'command', 'doubt'])

/** The same for every field of a value that may hold commands: reasons of an event, findings of a plan. */
export function pastedIn<T>(value: T, paste: Paste): T
export function pastedIn(value: unknown, paste: Paste): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => pastedIn(item, paste))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]: [string, unknown]) => {
      if (!PASTED_FIELDS.has(key)) return [key, pastedIn(field, paste)]
      return [key, typeof field === 'string' ? paste(field) : pastedTexts(field, paste)]
    }),
  )
}

const pastedTexts = (field: unknown, paste: Paste): unknown =>
  Array.isArray(field)
    ? field.map((item: unknown) => (typeof item === 'string' ? paste(item) : pastedIn(item, paste)))
    : pastedIn(field, paste)
