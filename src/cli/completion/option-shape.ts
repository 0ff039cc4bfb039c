import type { Command, Option } from 'commander'
import { present } from '../../ground/model/present.ts'

/** The parts of an option that completion needs. */
export interface OptionShape {
  /** `-o`, `--output`. */
  readonly flags: readonly string[]
  readonly about: string
  /** Absent: it takes no value. In lower case, as in `--events <file>`. */
  readonly value?: string
  readonly choices?: readonly string[]
}

/** Commands that are programs of their own and parse their options themselves: only their help is known here. */
const OWN_HELP = new WeakMap<Command, () => Promise<string>>()

export const setOwnHelp = (command: Command, help: () => Promise<string>): void => {
  OWN_HELP.set(command, help)
}

/** The help of a command that is a program on its own; undefined for all others. */
export const ownHelp = async (command: Command): Promise<string | undefined> => OWN_HELP.get(command)?.()

export async function optionsOf(command: Command): Promise<readonly OptionShape[]> {
  const help = await ownHelp(command)
  return help === undefined ? command.createHelp().visibleOptions(command).map(shapeOf) : optionsInHelp(help)
}

function shapeOf(option: Option): OptionShape {
  const { short, long, description, argChoices, required, optional, flags } = option
  const value = required || optional ? (/[<[]([^>\]]+)/.exec(flags)?.[1] ?? '') : undefined
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    about: description,
    ...present({ value, choices: argChoices }),
  }
}

/** Lines such as `  --fall N, --rise N     refusals and answers in a row         (3, 2)`. */
const optionsInHelp = (help: string): readonly OptionShape[] =>
  [...help.matchAll(/^ {2}(--\S+(?: \S+)*)(?: {2,}(\S+(?: \S+)*))?/gm)].flatMap(([, written = '', about = '']) =>
    written.split(', ').map((one) => {
      const [flag = '', value] = one.split(' ')
      return { flags: [flag], about, ...(value === undefined ? {} : { value: value.toLowerCase() }) }
    }),
  )
