import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { tryLock } from '../../src/ground/machine/file-lock.ts'
import { requires } from '../support/requires.ts'
import { Program, type ProgramEnd } from '../support/roll-bed/program.ts'
import { auditedRequests } from '../support/roll-input/audited-requests.ts'
import { BALANCER_ROWS } from '../support/roll-input/balancer-rows.ts'
import { CLUSTER_ROWS } from '../support/roll-input/cluster-rows.ts'
import { InputGround } from '../support/roll-input/input-ground.ts'
import { assertRefused, type InputRow, type StoredJournal, withJson } from '../support/roll-input/input-row.ts'
import { JOURNAL_ROWS } from '../support/roll-input/journal-rows.ts'
import { NODE_ROWS } from '../support/roll-input/node-rows.ts'
import { fileLines, worldLines } from '../support/roll-input/untouched.ts'

const real = requires('testbed')
const ROWS = [...CLUSTER_ROWS, ...BALANCER_ROWS, ...NODE_ROWS, ...JOURNAL_ROWS]

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
  assertRefused(row, end)
  assert.deepEqual(fileLines(stateHome), before)
  assert.deepEqual(await worldLines(ground()), world)
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

test('no refused command wrote anything to the API server', real, () => {
  const { reads, writes } = auditedRequests(readFileSync(ground().roll.bed.auditLog, 'utf8'))
  assert.deepEqual(writes, [])
  assert.ok(reads > 100, `the log has ${reads} reads`)
})
