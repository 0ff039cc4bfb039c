import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SWITCHED_BY } from '../mutations/rules/rule-switch.ts'
import type { JobReport } from './job.ts'

const ROOT = new URL('../../../..', import.meta.url).pathname
/** More than any of these files takes on a busy machine: a test that waits without end has seen what it waits for. */
const LIMIT_MS = 180_000

/** Runs a test file of this tree without some rules. What failed, by the titles of its tests. */
export async function runTestFile(file: string, without: readonly string[] | undefined): Promise<JobReport> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-spoken-'))
  const spokenFile = join(folder, 'spoken')
  const signal = AbortSignal.timeout(LIMIT_MS)
  const env = {
    ...process.env,
    [SWITCHED_BY.spoken]: spokenFile,
    ...(without && { [SWITCHED_BY.without]: without.join('\n') }),
  }
  const argv = ['--disable-warning=ExperimentalWarning', '--test-reporter=tap', file]
  const child = spawn(process.execPath, argv, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'], signal })
  try {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    child.on('error', () => undefined)
    const [code] = await once(child, 'close', { signal: AbortSignal.timeout(LIMIT_MS + 5_000) })
    const titles = [...said.matchAll(/^not ok \d+ - (.+)$/gm)].map(([, title = '']) => title.trim())
    const spoken = await readFile(spokenFile, 'utf8').catch(() => '')
    const failed = signal.aborted ? ['it takes too long'] : titles.length > 0 || code === 0 ? titles : ['it ends']
    return { kind: 'test', failed, spoken: [...new Set(spoken.split('\n').filter((id) => id !== ''))] }
  } finally {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
}
