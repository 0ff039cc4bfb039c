import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'

interface PartRun {
  /** The lines that are JSON. */
  readonly documents: readonly unknown[]
  readonly code: number
}

/** Runs one bench in a process of its own, with flags of Node where there are some. What it says to people goes to standard error as it comes. */
export async function runPart(
  program: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<PartRun> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...flags, program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const documents: unknown[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) documents.push(JSON.parse(line))
    else process.stderr.write(`${line}\n`)
  }
  const [code] = await ended
  return { documents, code: code ?? 1 }
}
