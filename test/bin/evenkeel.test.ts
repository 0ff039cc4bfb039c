import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { BINARY, ended, evenkeel, start } from './evenkeel-process.ts'

test('help goes to stdout with exit 0; no command at all is wrong usage', async () => {
  const help = await evenkeel('--help')
  assert.deepEqual([help.code, help.err], [0, ''])
  assert.match(help.out, /^Usage: evenkeel \[options\] \[command\]\n/)
  assert.match(help.out, /Exit codes: 0 done, nothing failed; 1 failed or stopped; 2 wrong usage or/)
  const bare = await evenkeel()
  assert.deepEqual([bare.code, bare.out], [2, ''])
  assert.match(bare.err, /^Usage: evenkeel/)
})

const ROLL = ['roll', 'roll resume', 'roll abort', 'roll status', 'roll report']
const COMMANDS = [...ROLL, 'bundle', 'doctor', 'init', 'probe', 'agent', 'completion', 'version']

test('every command has a help with an example, within 80 columns', async () => {
  const helps = await Promise.all(COMMANDS.map((command) => evenkeel(...command.split(' '), '--help')))
  for (const [index, { code, out }] of helps.entries()) {
    const command = COMMANDS[index]
    assert.equal(code, 0, command)
    assert.match(out, new RegExp(`Examples?:.*\n(  .*\n)*  evenkeel ${command}`), command)
    const wide = out.split('\n').filter((line) => line.length > 80 && !/^( {2}evenkeel|Ex)/.test(line))
    assert.deepEqual(wide, [], command)
  }
})

test('the version is that of the package, with the commit', async () => {
  const [flag, command] = await Promise.all([evenkeel('--version'), evenkeel('version')])
  assert.match(flag.out, /^\d+\.\d+\.\d+ \(commit (?:[0-9a-f]{12}(?:-changed)?|unknown|of the sources)\)\n$/)
  assert.deepEqual(command, flag)
})

const WRONG: readonly (readonly [line: string, said: RegExp])[] = [
  ['rol', /^error: unknown command 'rol'\n\(Did you mean roll\?\)\n/],
  ['roll --frob', /^error: unknown option '--frob'\n/],
  ['roll', /^error: no nodes to roll are given \(usage\.nodes\)\n {2}= fix: evenkeel roll -f roll\.yaml/],
  ['roll --all --progress live', /^error: --progress live is not possible: stderr is no terminal/],
  [
    'roll --all --no-probe',
    /^error: the roll has to be confirmed, and there is no terminal to ask at \(usage\.nobody-to-ask\)\n {2}= fix: add --yes\n$/,
  ],
  [
    'roll -f /nonexistent/roll.yaml',
    /^error: cannot read \/nonexistent\/roll\.yaml: no such file or directory \(ENOENT\)/,
  ],
  ['roll --all --no-probe -y --kubeconfig /nonexistent', /^error: there is no kubeconfig \/nonexistent/],
  ['agent --node n1 --port 99999', /^error: --port: "99999" is no port: write 1 to 65535/],
  ['agent --node n1 --prot 80', /^error: Unknown option '--prot'/],
  ['roll status --state-dir /nonexistent', /^error: there is no journal of a roll in \/nonexistent/],
]

test('wrong usage and wrong input end with exit 2 and say what to do', async () => {
  const all = await Promise.all(WRONG.map(([line]) => evenkeel(...line.split(' '))))
  for (const [index, { code, out, err }] of all.entries()) {
    const [line = '', said = /never/] = WRONG[index] ?? []
    assert.deepEqual([code, out], [2, ''], `${line}\n${err}`)
    assert.match(err, said)
  }
})

test('all errors of a file come at once, from the real file', async (t) => {
  const dir = await scratch(t)
  await writeFile(
    join(dir, 'roll.yaml'),
    'apiVersion: evenkeel.dev/v1alpha1\nkind: Roll\nmetadata: {name: a}\nspec:\n  soak: 30\n  gates: []\n',
  )
  const { code, err } = await evenkeel('roll', '-f', join(dir, 'roll.yaml'), '--dry-run')
  assert.equal(code, 2)
  assert.match(err, /5 \| {3}soak: 30\n {2}\| {9}\^\^ ms, s, min or h\n {2}= fix: soak: 30s\n/)
  assert.match(err, /\n2 errors in .*roll\.yaml\. Nothing was contacted or changed\.\n$/)
})

test('a reader that goes away does not make it crash', async () => {
  const child = spawn('/bin/sh', ['-c', `"${process.execPath}" "${BINARY}" roll --help | head -n 1`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { code, out, err } = await ended(child)
  assert.deepEqual([code, out, err], [0, 'Usage: evenkeel roll [options] [command] [nodes...]\n', ''])
})

test('Ctrl-C before anything began ends it with exit 130 and nothing was under way', async (t) => {
  const dir = await scratch(t)
  const silent = createServer()
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => silent.close())
  const kubeconfig = join(dir, 'kubeconfig')
  await writeFile(kubeconfig, kubeconfigFor((silent.address() as AddressInfo).port))
  const child = start(['roll', '--all', '--no-probe', '--yes', '--kubeconfig', kubeconfig])
  const end = ended(child)
  await once(silent, 'connection')
  child.kill('SIGINT')
  const { code, out, err } = await end
  assert.deepEqual([code, out, err], [130, '', 'INTERRUPTED  nothing was under way\n'])
})

test('an old Node gets one clear line', async () => {
  const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`
  const launch = fileURLToPath(new URL('../../bin/launch.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', old, launch], { stdio: ['ignore', 'pipe', 'pipe'] })
  assert.deepEqual(await ended(child), {
    code: 2,
    out: '',
    err: 'error: evenkeel needs Node.js 24 or newer; this is 20.20.2\n',
  })
})

async function scratch(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'evenkeel-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

const kubeconfigFor = (port: number): string => `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:${port}'}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`
