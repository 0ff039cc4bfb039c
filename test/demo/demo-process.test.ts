import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { ephemeralPort } from '../support/ephemeral-port.ts'
import { inOwn, requiresOwnLoopback } from '../support/namespaces.ts'
import { shippedProgram } from '../support/shipped-program.ts'

const PROGRAM = shippedProgram('evenkeel')

interface Demo {
  readonly child: ChildProcess
  /** Of this demo alone: what it leaves there is left. */
  readonly folder: string
  said(): string
}

/** Listens on every address of the machine that the demo runs on, in its own process: for the kernel that is the same. */
const LISTENS = `
  import { createServer } from 'node:net'
  const [host, ...ports] = (process.env.TAKEN ?? '').split(' ')
  for (const port of ports)
    await new Promise((done) => createServer().on('error', done).listen(Number(port), host, done))`

/** In a network of its own, where these ports are taken on all addresses. */
const besides = (host: string, ports: readonly number[]): Surroundings => ({
  before: [...(inOwn('--net') ?? []), 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'],
  node: ['--import', `data:text/javascript,${encodeURIComponent(LISTENS)}`],
  env: { TAKEN: [host, ...ports].join(' ') },
})

interface Surroundings {
  readonly before?: readonly string[]
  readonly node?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

function start(
  t: TestContext,
  words: readonly string[],
  { before = [], node = [], env: more }: Surroundings = {},
): Demo {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-test-'))
  const argv = ['--disable-warning=ExperimentalWarning', ...node, PROGRAM, 'demo', '--progress', 'plain', ...words]
  const env = { ...process.env, TMPDIR: folder, ...more }
  const [file = process.execPath, ...args] = [...before, process.execPath, ...argv]
  const child = spawn(file, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
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

for (const host of ['127.0.0.1', '0.0.0.0', '::']) {
  test(`a --port that is taken on ${host} is said before any plan begins, and nothing is left`, async (t) => {
    const port = await ephemeralPort()
    const server = createServer().listen(port, host)
    await once(server, 'listening')
    t.after(() => server.close())
    const demo = start(t, ['--compare', '--port', String(port)])
    const [code] = await once(demo.child, 'close')
    assert.equal(code, 2)
    assert.equal(
      demo.said(),
      `error: port ${port} of 127.0.0.1 cannot be taken: in use (demo.port)\n  = fix: choose another port, or omit --port\n`,
    )
    assert.deepEqual(readdirSync(demo.folder), [])
  })
}

/** Of its pods, of its two node ports, and one of the two by which demos part the addresses among them. */
const TAKEN = [
  ['0.0.0.0', [8080, 30_080, 30_088, 30_999]],
  ['::', [8080, 30_080, 30_088, 30_998]],
] as const

for (const [host, ports] of TAKEN) {
  test(`where ports ${ports.join(', ')} are taken on ${host}, it takes others`, requiresOwnLoopback(), async (t) => {
    const demo = start(t, ['--plan', 'evenkeel'], besides(host, ports))
    await running(demo)
    demo.child.kill('SIGINT')
    const [code] = await once(demo.child, 'close')
    assert.equal(code, 130, demo.said())
  })
}

test(
  'where no net of addresses can be had for a port, it says which, and what to do',
  requiresOwnLoopback(),
  async (t) => {
    const demo = start(t, ['--plan', 'evenkeel'], besides('0.0.0.0', [30_999, 30_998]))
    const [code] = await once(demo.child, 'close')
    assert.equal(code, 2)
    assert.match(
      demo.said(),
      /error: ports 30999 and 30998 are both taken on every address of this machine \(demo\.address-taken\)\n {2}= fix: end what listens on one of them: ss -ltnp 'sport = :30999'\n$/,
    )
  },
)
