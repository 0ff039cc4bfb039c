import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { shipped } from '../support/agent-chart.ts'

const SHIPPED = shipped('rebooter/evenkeel-reboot')
const BOOT = '8d3c0c8b-0000-4000-8000-000000000001'
/** Of the machine, and as a pod writes it. */
const UPTIME = 1_000
const ASKED = `${BOOT} ${UPTIME}`
const OTHER = '8d3c0c8b-0000-4000-8000-000000000002'

/** The shipped script with places of its own, and programs that note how they are called. */
function machine(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'evenkeel-unit-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const at = (name: string) => join(root, name)
  mkdirSync(at('bin'))
  writeFileSync(at('boot_id'), `${BOOT}\n`)
  writeFileSync(at('uptime'), `${UPTIME}.52 3000.10\n`)
  writeFileSync(at('bin/systemctl'), `#!/bin/sh\necho "$@" >>${at('systemctl')}\n`, { mode: 0o755 })
  // Only root may give a directory to another user.
  writeFileSync(at('bin/install'), '#!/bin/sh\nfor last; do :; done\nmkdir -p "$last"\n', { mode: 0o755 })
  const text = SHIPPED.replaceAll('/run/evenkeel-reboot', at('run'))
    .replaceAll('/proc/sys/kernel/random/boot_id', at('boot_id'))
    .replaceAll('/proc/uptime', at('uptime'))
    .replace('PATH=/usr/sbin', `PATH=${at('bin')}:/usr/sbin`)
  writeFileSync(at('script'), text)
  const run = (word: string) => spawnSync('/bin/sh', [at('script'), word], { encoding: 'utf8', timeout: 10_000 })
  return {
    at,
    run,
    request: at('run/inbox/request'),
    calls: () => (existsSync(at('systemctl')) ? readFileSync(at('systemctl'), 'utf8') : ''),
  }
}

test('the machine is rebooted where the file names the boot that runs, and the file is gone before', (t) => {
  const { at, run, request, calls } = machine(t)
  assert.equal(run('ready').status, 0)
  assert.equal(readFileSync(at('run/ready'), 'utf8'), `${BOOT}\n`)
  for (const text of [ASKED, `${ASKED}\n`, `${BOOT} ${UPTIME - 30}\n`]) {
    writeFileSync(request, text)
    assert.equal(run('take').status, 0)
    assert.deepEqual([existsSync(request), existsSync(at('run/taken'))], [false, false])
  }
  assert.equal(calls(), 'reboot\nreboot\nreboot\n')
  assert.equal(run('gone').status, 0)
  assert.equal(existsSync(at('run/ready')), false)
})

test('a request from before the unit began is removed unread', (t) => {
  const { run, request, calls } = machine(t)
  run('ready')
  writeFileSync(request, ASKED)
  run('ready')
  assert.deepEqual([existsSync(request), run('take').status !== 0, calls()], [false, true, ''])
})

/** What a hostile pod may lay into its directory; nothing of it is followed, run or believed. */
const HOSTILE: readonly (readonly [what: string, put: (request: string, root: string) => void])[] = [
  ['another boot', (request) => writeFileSync(request, `${OTHER} ${UPTIME}\n`)],
  [
    'a file that lay there while the units did not run',
    (request) => writeFileSync(request, `${BOOT} ${UPTIME - 31}\n`),
  ],
  ['an uptime that is yet to come', (request) => writeFileSync(request, `${BOOT} ${UPTIME + 1}\n`)],
  ['no uptime', (request) => writeFileSync(request, `${BOOT}\n`)],
  ['an empty uptime', (request) => writeFileSync(request, `${BOOT} \n`)],
  ['an uptime below zero', (request) => writeFileSync(request, `${BOOT} -1\n`)],
  ['an uptime that is too long', (request) => writeFileSync(request, `${BOOT} 99999999999999999999999\n`)],
  ['a sum as the uptime', (request) => writeFileSync(request, `${BOOT} now\n`)],
  ['an octal uptime', (request) => writeFileSync(request, `${BOOT} 01747\n`)],
  ['two uptimes', (request) => writeFileSync(request, `${ASKED} ${UPTIME}\n`)],
  ['a second line', (request) => writeFileSync(request, `${ASKED}\nx\n`)],
  ['another place between', (request) => writeFileSync(request, `${BOOT}\t${UPTIME}\n`)],
  ['nothing', (request) => writeFileSync(request, '')],
  ['a part of the boot', (request) => writeFileSync(request, `${BOOT.slice(0, 35)} ${UPTIME}`)],
  ['the boot and more', (request) => writeFileSync(request, `${BOOT}0 ${UPTIME}`)],
  [
    'a command',
    (request, root) => writeFileSync(request, `$(touch ${root}/owned)\n\`touch ${root}/owned\`; touch ${root}/owned`),
  ],
  ['a pattern', (request) => writeFileSync(request, '*')],
  ['options', (request) => writeFileSync(request, '-n 1 = 1 -o x')],
  ['zeros', (request) => writeFileSync(request, Buffer.alloc(1_000_000))],
  [
    'a link to the right text',
    (request, root) => {
      writeFileSync(join(root, 'right'), ASKED)
      symlinkSync(join(root, 'right'), request)
    },
  ],
  ['a link to nowhere', (request) => symlinkSync('/nowhere', request)],
  ['an endless file', (request) => symlinkSync('/dev/zero', request)],
  ['a directory', (request) => mkdirSync(join(request, 'a/b'), { recursive: true })],
  ['a pipe', (request) => assert.equal(spawnSync('mkfifo', [request]).status, 0)],
]

for (const [what, put] of HOSTILE) {
  test(`the machine runs on: ${what}`, (t) => {
    const { at, run, request, calls } = machine(t)
    run('ready')
    put(request, at(''))
    const { status, signal } = run('take')
    assert.deepEqual([status, signal, calls()], [0, null, ''])
    assert.equal(existsSync(at('owned')), false)
    assert.equal(existsSync(at('run/taken')), false)
    assert.throws(() => lstatSync(request), /ENOENT/)
    assert.equal(readFileSync(at('boot_id'), 'utf8'), `${BOOT}\n`)
  })
}

test('an uptime that is no number counts for nothing just after the boot either', (t) => {
  const { at, run, request, calls } = machine(t)
  run('ready')
  writeFileSync(at('uptime'), '5.01 9.00\n')
  for (const text of [BOOT, `${BOOT} `, `${BOOT} x`, `${BOOT} -1`, `${BOOT} 6`]) {
    writeFileSync(request, text)
    assert.deepEqual([run('take').status, calls()], [0, ''], text)
  }
  writeFileSync(request, `${BOOT} 4\n`)
  assert.deepEqual([run('take').status, calls()], [0, 'reboot\n'])
})

test('the machine shows itself as ready no longer than its path unit watches, also where that unit fails', () => {
  const unit = shipped('rebooter/evenkeel-reboot-ready.service')
  // Requires and PartOf follow a unit that is stopped, and not one that reaches its start limit (systemd.unit(5)).
  for (const line of ['BindsTo', 'After']) assert.match(unit, new RegExp(`^${line}=evenkeel-reboot\\.path$`, 'm'))
})

test('without the file, or with another word, nothing is done', (t) => {
  const { run, calls } = machine(t)
  run('ready')
  assert.notEqual(run('take').status, 0)
  assert.equal(run('reboot').status, 64)
  assert.equal(calls(), '')
})
