import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

const LIMIT = new URL('../support/processor-limit.ts', import.meta.url).href

/** How a process ends that has a second of processor time for each piece of work. */
async function ended(work: string): Promise<string | number> {
  const script = `const { limitProcessor } = await import(${JSON.stringify(LIMIT)}); const begin = limitProcessor(1_000); ${work}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: 'ignore',
    timeout: 20_000,
    killSignal: 'SIGTERM',
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return signal ?? code ?? ''
}

test('a process that loops is ended by what it has used of a processor', async () => {
  assert.equal(await ended('for (;;);'), 'SIGKILL')
})

test('a process that waits, or begins another piece of work in time, is not', async () => {
  const used = 'const sum = (since) => { const { user, system } = process.cpuUsage(since); return user + system }'
  const works = 'begin(); { const since = process.cpuUsage(); while (sum(since) < 400_000); }'
  const ends = [
    'setTimeout(() => process.exit(7), 1_500)',
    `${used}; ${works} ${works} ${works} ${works} setTimeout(() => process.exit(7), 600)`,
  ].map(ended)
  assert.deepEqual(await Promise.all(ends), [7, 7])
})
