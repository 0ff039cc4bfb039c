import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { tryLock } from '../../src/adapters/node/file-lock.ts'
import { requires } from '../support/requires.ts'
import { Program, type ProgramEnd } from '../support/roll-bed/program.ts'
import { auditedRequests } from '../support/roll-input/audited-requests.ts'
import { BALANCER_ROWS } from '../support/roll-input/balancer-rows.ts'
import { CLUSTER_ROWS } from '../support/roll-input/cluster-rows.ts'
import { InputGround } from '../support/roll-input/input-ground.ts'
import type { InputRow, StoredJournal } from '../support/roll-input/input-row.ts'
import { JOURNAL_ROWS } from '../support/roll-input/journal-rows.ts'
import { NODE_ROWS } from '../support/roll-input/node-rows.ts'
import { fileLines, worldLines } from '../support/roll-input/untouched.ts'
import { USAGE_ROWS } from '../support/roll-input/usage-rows.ts'

const real = requires('testbed')
const ROWS = [...CLUSTER_ROWS, ...BALANCER_ROWS, ...NODE_ROWS, ...JOURNAL_ROWS, ...USAGE_ROWS]

let opened: InputGround | undefined
let world: readonly string[] = []
const ground = (): InputGround => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip !== false) return
  opened = await InputGround.open()
  world = await worldLines(opened)
})
after(async () => opened?.close())

interface Surroundings {
  readonly kubeconfig: string
  readonly stateHome: string
}

function evenkeel(words: readonly string[], { kubeconfig, stateHome }: Surroundings): Promise<ProgramEnd> {
  const env = { KUBECONFIG: kubeconfig, XDG_STATE_HOME: stateHome }
  return new Program(ground().roll.enter([...ground().roll.program, ...words]), { env }).ended()
}

test('nothing is wrong with the file that each row spoils', real, async () => {
  const around = { kubeconfig: ground().kubeconfig, stateHome: ground().directory() }
  const { code, stdout, stderr } = await evenkeel(['roll', '-f', ground().file(), '--dry-run', '-o', 'json'], around)
  assert.equal(code, 0, stderr)
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly { readonly severity: string }[] }
  assert.deepEqual(
    findings.filter(({ severity }) => severity === 'error'),
    [],
  )
})

// Two at a time: each is a process, and most of its time is the start of it.
describe('wrong input ends with exit code 2, says what to do and touches nothing', { ...real, concurrency: 2 }, () => {
  for (const row of ROWS) test(row.title, { timeout: 60_000 }, () => refused(row))
})

async function refused(row: InputRow): Promise<void> {
  const stateHome = ground().directory()
  const stateDir = join(stateHome, 'evenkeel')
  const journals = row.journals?.(ground()) ?? []
  for (const journal of journals) store(journal, stateDir)
  const before = fileLines(stateHome)
  const letGo = await holdInUse(journals, stateDir)
  const kubeconfig = (await row.kubeconfig?.(ground())) ?? ground().kubeconfig
  const end = await evenkeel(withJson(row.words(ground())), { kubeconfig, stateHome })
  letGo()
  judge(row, end)
  assert.deepEqual(fileLines(stateHome), before)
  assert.deepEqual(await worldLines(ground()), world)
}

function judge(row: InputRow, { code, stdout, stderr }: ProgramEnd): void {
  assert.equal(code, 2, stderr)
  for (const fragment of row.names) assert.ok(stderr.includes(fragment), `${fragment}\nis not in\n${stderr}`)
  const fix = row.code === undefined ? row.fix : `= fix: ${row.fix}`
  assert.ok(stderr.includes(fix), `${fix}\nis not in\n${stderr}`)
  for (const fragment of row.never ?? []) assert.ok(!stderr.includes(fragment), stderr)
  assert.doesNotMatch(stderr, /\n {4}at |bug in evenkeel|Warning/)
  assert.equal(codeOf(stdout), row.code)
}

const LOCK = 'lock.db'

function store({ run, text }: StoredJournal, stateDir: string): void {
  mkdirSync(join(stateDir, run), { recursive: true })
  writeFileSync(join(stateDir, run, 'journal.jsonl'), text)
  writeFileSync(join(stateDir, run, LOCK), '')
}

/** Resolves with how to let go again. No file that is held may be read meanwhile: closing it would end the lock. */
async function holdInUse(journals: readonly StoredJournal[], stateDir: string): Promise<() => void> {
  const held = journals.filter(({ inUse }) => inUse === true)
  const locks = await Promise.all(held.map(({ run }) => tryLock(join(stateDir, run, LOCK))))
  return () => {
    for (const lock of locks) lock?.release()
  }
}

/** First, so that whatever the row says of it counts. */
const withJson = ([command = '', ...words]: readonly string[]): readonly string[] => {
  const sub = ['resume', 'abort', 'status', 'report'].includes(words[0] ?? '') ? words.slice(0, 1) : []
  return [command, ...sub, '-o', 'json', ...words.slice(sub.length)]
}

/** Of the one document on stdout. */
function codeOf(stdout: string): string | undefined {
  if (stdout === '') return undefined
  const { error } = JSON.parse(stdout) as { readonly error: { readonly code: string } }
  return error.code
}

test('whoever was refused wrote nothing to the API server', real, () => {
  const { reads, writes } = auditedRequests(readFileSync(ground().roll.bed.auditLog, 'utf8'))
  assert.deepEqual(writes, [])
  assert.ok(reads > 100, `the log has ${reads} reads`)
})
