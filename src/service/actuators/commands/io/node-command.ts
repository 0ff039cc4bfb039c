import { isIP } from 'node:net'
import { isHostName } from '../../../../ground/machine/host-name.ts'
import { runProcess } from '../../../../ground/machine/run-process.ts'
import { ending, lastWords } from '../../../../ground/machine/ssh-failure.ts'
import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import type { Clock } from '../../../../ground/ports/clock.ts'

interface CommandTarget {
  readonly node: string
  readonly address: string
  readonly port: number
}

export interface CommandRun {
  /** `{node}`, `{address}` and `{port}` are replaced in each word but the program. */
  readonly words: readonly string[]
  readonly target: CommandTarget
  readonly limitMs: number
  /** Its output is read, so it may not be long. Absent: it may print what it likes. */
  readonly isRead?: true
  readonly clock: Clock
}

export type CommandEnd = { readonly ok: true; readonly output: string } | { readonly ok: false; readonly why: string }

const OUTPUT_BYTES_MAX = 64 * 1024

/**
 * Runs one command for one node, on this machine and without a shell, until it ends or its limit is over. `why` continues a
 * sentence: "failed …".
 */
export async function runCommand(
  { words, target, limitMs, isRead, clock }: CommandRun,
  signal: AbortSignal,
): Promise<CommandEnd> {
  const argv = filledIn(words, target)
  if (typeof argv === 'string') return { ok: false, why: argv }
  const flood = new AbortController()
  const chunks: Buffer[] = []
  let bytes = 0
  const onOutput = (chunk: Buffer): void => {
    if (isRead === undefined) return
    bytes += chunk.length
    if (bytes > OUTPUT_BYTES_MAX) flood.abort()
    else chunks.push(chunk)
  }
  try {
    const either = AbortSignal.any([signal, flood.signal])
    const end = await runProcess({ argv, limitMs, onOutput, clock }, either)
    if (flood.signal.aborted) return TOO_MUCH
    if (end.cause === 'exited' && end.exitCode === 0)
      return { ok: true, output: Buffer.concat(chunks).toString('utf8') }
    if (end.cause === 'limit') return { ok: false, why: `did not end within ${limitMs / 1_000} s` }
    if (end.cause === 'notStarted') return { ok: false, why: `could not be started: ${lastWords(end)}` }
    return { ok: false, why: `failed (${ending(end)}): ${lastWords(end)}` }
  } catch (error) {
    if (signal.aborted || !flood.signal.aborted) throw error
    return TOO_MUCH
  }
}

const TOO_MUCH: CommandEnd = { ok: false, why: `printed more than ${OUTPUT_BYTES_MAX / 1024} KiB` }

/** Values from the API are checked before they are filled in; a text says why one is not. */
function filledIn(words: readonly string[], target: CommandTarget): [string, ...string[]] | string {
  const { node, address } = target
  if (!isHostName(node)) return `was not run: ${escapeForeign(node, 80)} is no name to use in a command`
  if (isIP(address) === 0) return 'was not run: the node has no internal address'
  const values = { ...target, port: String(target.port) }
  const [program = '', ...args] = words
  return [
    program,
    ...args.map((word) => word.replaceAll(/\{(node|address|port)\}/g, (_, name: keyof typeof values) => values[name])),
  ]
}
