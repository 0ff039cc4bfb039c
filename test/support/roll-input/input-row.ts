import assert from 'node:assert/strict'
import type { InputGround } from './input-ground.ts'

/** One kind of wrong input: how it is given, and what must be said of it. */
export interface InputRow {
  readonly title: string
  /** What follows `evenkeel`; `-o json` is added. */
  readonly words: (ground: InputGround) => readonly string[]
  /** In place of the kubeconfig of the identity that is shipped. */
  readonly kubeconfig?: (ground: InputGround) => string | Promise<string>
  /** What lies in the state directory before. */
  readonly journals?: (ground: InputGround) => readonly StoredJournal[]
  /** Code of the JSON document on stdout; absent where nothing stands there. */
  readonly code?: string
  /** What stderr names, literally. */
  readonly names: readonly string[]
  /** What stderr says to do, literally. */
  readonly fix: string
  /** What stderr must not say, since it would mislead. */
  readonly never?: readonly string[]
}

/** What the command line and the file are refused for, before any cluster is asked. */
export interface UsageRow extends Omit<InputRow, 'words' | 'kubeconfig' | 'journals'> {
  readonly words: (ground: Pick<InputGround, 'file' | 'write'>) => readonly string[]
}

/** The journal of one run in the state directory. */
export interface StoredJournal {
  readonly run: string
  readonly text: string
  /** Held as by a process that works on the run. */
  readonly inUse?: boolean
}

/** A roll that asks for no confirmation: whatever is not refused, happens. */
export const begun = (file: string, ...words: readonly string[]): readonly string[] => [
  'roll',
  '-f',
  file,
  '--yes',
  ...words,
]

/** First, so that whatever the row says of it counts. */
export function withJson([command = '', ...words]: readonly string[]): readonly string[] {
  const sub = ['resume', 'abort', 'status', 'report'].includes(words[0] ?? '') ? words.slice(0, 1) : []
  return [command, ...sub, '-o', 'json', ...words.slice(sub.length)]
}

interface Refused {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Exit code 2, what is wrong and what to do on stderr, and one document on stdout. */
export function assertRefused(row: Omit<InputRow, 'words'>, { code, stdout, stderr }: Refused): void {
  assert.equal(code, 2, stderr)
  for (const fragment of row.names) assert.ok(stderr.includes(fragment), `${fragment}\nis not in\n${stderr}`)
  const fix = row.code === undefined ? row.fix : `= fix: ${row.fix}`
  assert.ok(stderr.includes(fix), `${fix}\nis not in\n${stderr}`)
  for (const fragment of row.never ?? []) assert.ok(!stderr.includes(fragment), stderr)
  assert.doesNotMatch(stderr, /\n {4}at |bug in evenkeel|Warning/)
  const document = stdout === '' ? undefined : (JSON.parse(stdout) as { readonly error: { readonly code: string } })
  assert.equal(document?.error.code, row.code)
}
