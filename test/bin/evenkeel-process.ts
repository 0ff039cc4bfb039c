import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { shippedProgram } from '../support/shipped-program.ts'

export const BINARY = shippedProgram('evenkeel')

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The real binary as a process of its own, without the terminal and the colours of the process that runs the tests. */
export function start(words: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  return spawn(process.execPath, [BINARY, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, HOME, LANG: 'C.UTF-8', TERM: 'xterm', ...env },
  })
}

export async function ended(child: ChildProcess): Promise<Ended> {
  const { stdout, stderr } = child
  const [out, err, [code]] = await Promise.all([
    stdout === null ? '' : text(stdout),
    stderr === null ? '' : text(stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, out, err }
}

export const evenkeel = (...words: readonly string[]): Promise<Ended> => ended(start(words))
