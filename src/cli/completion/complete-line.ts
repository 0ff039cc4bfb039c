import type { Command } from 'commander'
import { present } from '../../ground/model/present.ts'
import { type OptionShape, optionsOf } from './option-shape.ts'
import { type Candidate, type LiveValues, plain, valuesOfArgument, valuesOfOption, type Wanted } from './values.ts'

/** What the scripts read in the last line, in cobra's form, which kubectl expects of its plugins. */
const SHELL_PART = { files: ':0', folders: ':16', nothing: ':4' } as const

/** A name with one of these would end its line early, or steer the terminal. */
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/

/** The line before its last word. */
interface Reading {
  readonly command: Command
  readonly options: readonly OptionShape[]
  readonly operands: readonly string[]
  /** Its value is the last word. */
  readonly pending?: OptionShape
  /** `--` precedes the last word. */
  readonly isOver: boolean
  readonly given: ReadonlyMap<string, string>
}

/**
 * The candidates for the last of these words, in the form that the scripts read: a line for each, with a tab and a description,
 * then a line that says what the shell adds. Never rejects: a failed look-up has no candidates.
 */
export async function completionText(
  program: Command,
  words: readonly string[],
  load: () => Promise<LiveValues>,
): Promise<string> {
  const current = words.at(-1) ?? ''
  const reading = await read(program, words.slice(0, -1))
  const wanted = wantedAt(reading, current)
  const isShells = wanted === 'files' || wanted === 'folders'
  const typed = isOptionWithValue(reading, current) ? (partsOf(current)[1] ?? '') : current
  const commands = commandsAt(reading, current).filter(({ value }) => value.startsWith(typed))
  // For a word that begins like a command no cluster is asked.
  const isCommand = typed !== '' && commands.length > 0
  const others = isShells || isCommand ? [] : await candidatesOf(wanted, reading, load)
  const lines = [...commands, ...others]
    .filter(({ value }) => value.startsWith(typed) && !CONTROL.test(value))
    .map(({ value, about }) => (about === '' ? value : `${value}\t${about}`))
  return [...lines, SHELL_PART[isShells ? wanted : 'nothing'], ''].join('\n')
}

async function read(program: Command, words: readonly string[]): Promise<Reading> {
  const options = await optionsOf(program)
  let reading: Reading = { command: program, options, operands: [], isOver: false, given: new Map() }
  for (const word of words) reading = await readOn(reading, word)
  return reading
}

async function readOn({ pending, ...reading }: Reading, word: string): Promise<Reading> {
  const { command, options, operands, isOver, given } = reading
  const withValue = (option: OptionShape, value: string): Reading => ({
    ...reading,
    given: new Map([...given, [option.flags.at(-1) ?? '', value]]),
  })
  if (pending !== undefined) return withValue(pending, word)
  if (!isOver && word === '--') return { ...reading, isOver: true }
  if (!isOver && isFlag(word)) {
    const [flag, value] = partsOf(word)
    const option = options.find(({ flags }) => flags.includes(flag))
    if (option?.value === undefined) return reading
    return value === undefined ? { ...reading, pending: option } : withValue(option, value)
  }
  const sub = operands.length === 0 && !isOver ? subCommand(command, word) : undefined
  if (sub === undefined) return { ...reading, operands: [...operands, word] }
  return { ...reading, command: sub, options: await optionsOf(sub) }
}

/** `--output=json` is its flag and the value. */
function partsOf(word: string): readonly [flag: string, value?: string] {
  const at = word.indexOf('=')
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)]
}

/** `-` is a file: the standard input. */
const isFlag = (word: string): boolean => word.startsWith('-') && word !== '-'

const subCommand = (command: Command, word: string): Command | undefined =>
  command.commands.find((sub) => sub.name() === word)

const isOptionWithValue = ({ pending, isOver }: Reading, current: string): boolean =>
  pending === undefined && !isOver && current.startsWith('--') && current.includes('=')

function wantedAt(reading: Reading, current: string): Wanted {
  const { command, options, operands, pending, isOver } = reading
  if (pending !== undefined) return valuesOfOption(pending)
  if (isOptionWithValue(reading, current)) {
    const [flag] = partsOf(current)
    const option = options.find(({ flags }) => flags.includes(flag))
    return option === undefined ? 'nothing' : valuesOfOption(option)
  }
  if (current.startsWith('-') && !isOver)
    return options.flatMap(({ flags, about }) => flags.map((value) => ({ value, about })))
  const [first, ...more] = operands
  // The command `help` is commander's, and not in the tree.
  if (first === 'help' && more.length === 0 && namesOf(command).some(({ value }) => value === first))
    return namesOf(command)
  const all = command.registeredArguments
  const argument = all[operands.length] ?? all.findLast(({ variadic }) => variadic)
  return argument === undefined ? 'nothing' : valuesOfArgument(argument.name(), argument.argChoices)
}

const commandsAt = ({ command, operands, pending, isOver }: Reading, current: string): readonly Candidate[] =>
  operands.length > 0 || pending !== undefined || isOver || current.startsWith('-') ? [] : namesOf(command)

const namesOf = (command: Command): readonly Candidate[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((sub) => ({ value: sub.name(), about: sub.summary() || sub.description() }))

async function candidatesOf(
  wanted: Exclude<Wanted, 'files' | 'folders'>,
  { given }: Reading,
  load: () => Promise<LiveValues>,
): Promise<readonly Candidate[]> {
  if (wanted === 'nothing') return []
  if (typeof wanted !== 'string') return wanted
  const [kubeconfig, context] = [given.get('--kubeconfig'), given.get('--context')]
  try {
    const live = await load()
    switch (wanted) {
      case 'runs':
        return plain(await live.runs(given.get('--state-dir')))
      case 'contexts':
        return plain(await live.contexts(kubeconfig))
      case 'nodes': {
        const place = {
          ...present({ kubeconfig, context }),
        }
        return plain(await live.nodes(place))
      }
    }
  } catch {
    // A shell cannot show the reason, and the command itself will.
    return []
  }
}
