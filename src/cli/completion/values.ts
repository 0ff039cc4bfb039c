import type { OptionShape } from './option-shape.ts'

export interface Candidate {
  readonly value: string
  readonly about: string
}

/** The options in the line that name the cluster. */
interface GivenPlace {
  readonly kubeconfig?: string
  readonly context?: string
}

/** Values that are looked up while a line is typed. Each rejects where the look-up fails. */
export interface LiveValues {
  /** Newest first. */
  readonly runs: (stateDir: string | undefined) => Promise<readonly string[]>
  readonly contexts: (kubeconfig: string | undefined) => Promise<readonly string[]>
  /** Within two seconds. */
  readonly nodes: (place: GivenPlace) => Promise<readonly string[]>
}

/** The kinds of values at one place of a line. `files` and `folders` come from the shell. */
export type Wanted = 'runs' | 'contexts' | 'nodes' | 'files' | 'folders' | 'nothing' | readonly Candidate[]

const BY_NAME: Readonly<Record<string, Wanted>> = {
  run: 'runs',
  runs: 'runs',
  node: 'nodes',
  nodes: 'nodes',
  file: 'files',
  dir: 'folders',
}

const BY_FLAG: Readonly<Record<string, Wanted>> = { '--context': 'contexts', '--node': 'nodes' }

export function valuesOfOption({ flags, value = '', choices }: OptionShape): Wanted {
  if (choices !== undefined) return plain(choices)
  const known = flags.find((flag) => flag in BY_FLAG)
  return (known === undefined ? BY_NAME[value] : BY_FLAG[known]) ?? 'nothing'
}

export const valuesOfArgument = (name: string, choices: readonly string[] | undefined): Wanted =>
  choices === undefined ? (BY_NAME[name] ?? 'nothing') : plain(choices)

export const plain = (values: readonly string[]): readonly Candidate[] => values.map((value) => ({ value, about: '' }))
