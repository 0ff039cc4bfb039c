import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { ephemeralPort } from '../../support/ephemeral-port.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/evenkeel.ts', import.meta.url))

interface Demo {
  readonly child: ChildProcess
  /** Of this demo alone: what it leaves there is left. */
  readonly folder: string
  said(): string
}

function start(t: TestContext, words: readonly string[]): Demo {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-test-'))
  const argv = ['--disable-warning=ExperimentalWarning', PROGRAM, 'demo', '--progress', 'plain', ...words]
  const env = { ...process.env, TMPDIR: folder }
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  t.after(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  return { child, folder, said: () => text }
}

const running = ({ said }: Demo): Promise<true> =>
  waitFor({ what: 'traffic', limitMs: 60_000, explain: said }, () => /nodes are up/.test(said()) || undefined)

/** Processes whose command line names that folder. */
const processesOf = (folder: string): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => commandLine(pid))
    .filter((line) => line.includes(folder))

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

test('Ctrl-C leaves neither a process nor a file, and ends with 130', async (t) => {
  const demo = start(t, ['--plan', 'naive'])
  await running(demo)
  assert.equal(readdirSync(demo.folder).length, 1)
  demo.child.kill('SIGINT')
  const [code] = await once(demo.child, 'close')
  assert.equal(code, 130)
  assert.deepEqual(readdirSync(demo.folder), [])
  assert.deepEqual(processesOf(demo.folder), [])
})

test('a demo that is killed leaves a folder, and nothing that runs', async (t) => {
  const demo = start(t, ['--plan', 'naive'])
  await running(demo)
  demo.child.kill('SIGKILL')
  await waitFor({ what: 'its processes to end', limitMs: 10_000 }, () =>
    processesOf(demo.folder).length === 0 ? true : undefined,
  )
  assert.equal(readdirSync(demo.folder).length, 1)
})

test('a port that is taken is said, and nothing is left', async (t) => {
  const port = await ephemeralPort()
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const demo = start(t, ['--port', String(port)])
  const [code] = await once(demo.child, 'close')
  assert.equal(code, 2)
  assert.match(demo.said(), new RegExp(`port ${port} of 127\\.0\\.0\\.1 cannot be taken: in use \\(demo\\.port\\)`))
  assert.deepEqual(readdirSync(demo.folder), [])
})
