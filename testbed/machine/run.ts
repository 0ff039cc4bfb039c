import { spawn } from 'node:child_process'
import { searchPath } from './find-command.ts'

export interface RunOptions {
  readonly stdin?: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** After this time the program is killed and its end reported as a failure. */
  readonly limitMs?: number
}

export interface RunResult {
  readonly stdout: string
  readonly stderr: string
  /** The exit code; -1 where a signal ended the program. */
  readonly code: number
}

/** Runs a program to its end and collects what it wrote. Rejects only where it cannot be started. */
export function runToEnd(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const [file = '', ...args] = argv
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      env: { ...process.env, PATH: searchPath, ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.limitMs === undefined ? {} : { timeout: options.limitMs, killSignal: 'SIGKILL' }),
    })
    const written = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        written[stream] += text
      })
    }
    child.on('error', reject)
    child.on('close', (code) => resolve({ ...written, code: code ?? -1 }))
    // A program that ends without reading its input breaks the pipe; its exit code tells more than the pipe does.
    child.stdin.on('error', () => child.stdin.destroy())
    child.stdin.end(options.stdin ?? '')
  })
}

/** As `runToEnd`, for programs that must succeed: an error names the command and quotes the end of what it wrote. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const { stdout, stderr, code } = await runToEnd(argv, options)
  if (code === 0) return stdout
  const said = (stderr.trim() === '' ? stdout : stderr).trim().split('\n').slice(-6).join('\n')
  throw new Error(`${argv.slice(0, 6).join(' ')} ended with ${code}: ${said}`)
}
