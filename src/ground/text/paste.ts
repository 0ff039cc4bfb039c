import { type Command, isSentence, type Sentence } from '../model/sentence.ts'
import { SLOTS_NAMESPACE } from '../model/slot.ts'
import { clusterWords, flagWords } from './flag-words.ts'

/** The options of a command line that a command printed by it needs again. */
export interface PasteOptions {
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
  readonly stateDir?: string | undefined
  readonly slotsNamespace?: string | undefined
  readonly grantsNamespace?: string | undefined
  /** The roll file, where commands say `-f roll.yaml`. */
  readonly file?: string | undefined
  /** By which a run reached its cluster, as its journal tells: `evenkeel roll` reads it there, unless the journal is in that cluster; other commands need it. */
  readonly remembered?: Pick<PasteOptions, 'kubeconfig' | 'context'> | undefined
}

/** Completes the commands of a sentence, so that each works when it is pasted into a shell in the same directory. */
export type Paste = (sentence: Sentence) => Sentence

export function pasteWith(options: PasteOptions): Paste {
  const given = clusterWords(options)
  const where = given.length === 0 ? clusterWords(options.remembered ?? {}) : given
  const grants = flagWords('--grants-namespace', options.grantsNamespace)
  const stateDir = flagWords('--state-dir', options.stateDir)
  const slotsNamespace = options.slotsNamespace === SLOTS_NAMESPACE ? undefined : options.slotsNamespace
  const more: Readonly<Record<string, readonly string[]>> = {
    explain: [...stateDir, ...flagWords('--slots-namespace', slotsNamespace), ...grants],
    budget: [...flagWords('--namespace', slotsNamespace), ...grants],
    roll: stateDir,
  }
  const file = options.file === undefined || options.file === '-' ? 'roll.yaml' : options.file
  const completed = ({ program, words }: Command): Command => {
    if (program === 'kubectl') return { program, words: [...where, ...words] }
    const [subcommand = ''] = words
    const named = words.map((word, at) => (word === 'roll.yaml' && words[at - 1] === '-f' ? file : word))
    const isFound = subcommand === 'roll' && options.stateDir?.startsWith('configmaps:') !== true
    const added = [...(isFound ? given : where), ...(more[subcommand] ?? [])]
    return { program, words: [...named, ...notIn(words, added)] }
  }
  return (sentence) => {
    if (typeof sentence === 'string') return sentence
    if ('program' in sentence) return completed(sentence)
    return { pieces: sentence.pieces.map((piece) => (typeof piece === 'string' ? piece : completed(piece))) }
  }
}

/** Of flags with their values those that the words do not have yet. */
const notIn = (words: readonly string[], added: readonly string[]): readonly string[] =>
  added.filter((_, at) => !words.includes(added[at - (at % 2)] ?? ''))

/** The same for every sentence in a value: reasons of an event, findings of a plan. */
export function pastedIn<T>(value: T, paste: Paste): T
export function pastedIn(value: unknown, paste: Paste): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isSentence(value)) return paste(value)
  if (Array.isArray(value)) return value.map((item: unknown) => pastedIn(item, paste))
  return Object.fromEntries(
    Object.entries(value).map(([key, field]: [string, unknown]) => [key, pastedIn(field, paste)]),
  )
}
