import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { shippedProgram } from './shipped-program.ts'

const PROGRAM = shippedProgram('evenkeel')

/** `evenkeel demo WORDS` as a person runs it, its files below a folder; `through`: the command that starts it. */
export function demoProcess(t: TestContext, words: readonly string[], through: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-test-'))
  const argv = ['--disable-warning=ExperimentalWarning', PROGRAM, 'demo', '--progress', 'plain', ...words]
  const [command = '', ...rest] = [...through, process.execPath, ...argv]
  const child = spawn(command, rest, {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  return { child, folder, said: () => said, printed: text(child.stdout), ended: once(child, 'close') }
}

/** Ctrl-C once it has said that: it ends with 130, prints nothing and leaves no file. */
export async function endsByInterrupt(
  { child, folder, said, printed, ended }: ReturnType<typeof demoProcess>,
  at: RegExp,
): Promise<void> {
  await waitFor({ what: `${at} to be said`, limitMs: 60_000, explain: said }, () => at.test(said()) || undefined)
  child.kill('SIGINT')
  const [code] = await ended
  assert.equal(code, 130)
  assert.equal(await printed, '')
  assert.deepEqual(readdirSync(folder), [])
}
