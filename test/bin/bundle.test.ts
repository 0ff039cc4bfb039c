import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { FileJournalStore } from '../../src/roll/io/file-journal-store.ts'
import { SPEC } from '../support/report-runs/fixed-spec.ts'
import { cleanRun } from '../support/report-runs/report-runs.ts'
import { requires } from '../support/requires.ts'
import { type Ended, ended, start } from './evenkeel-process.ts'

const RUN = '20261121T061439Z-1f0e'
const at = '2026-11-21T06:14:39.000Z'
const { skip } = requires('tar')

/** Each holds PLANTED, which must not leave this machine. */
const SECRETS = {
  token: 'PLANTED-1',
  nested: { clientSecret: { value: 'PLANTED-2' }, 'client-key-data': 'PLANTED-3' },
  headers: { Authorization: 'Basic PLANTED', Cookie: 'sid=PLANTED' },
  text: 'Bearer PLANTED-4 to https://me:PLANTED@shop.example/a?key=PLANTED#x',
  jwt: 'got eyJPLANTED.eyJPLANTED.PLANTED back',
  slack: 'xoxb-1-PLANTED at https://hooks.slack.com/services/T0/PLANTED',
  pem: '-----BEGIN PRIVATE KEY-----\nPLANTED\n-----END PRIVATE KEY-----\n',
  config: 'kind: Config\nusers:\n- name: me\n  user: {token: PLANTED}\n',
  command: ['curl', '--password', 'PLANTED', '-H', 'X-Api-Key: PLANTED'],
}

async function aStateDir(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-bundle-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

/** A whole roll with planted secrets, in a journal that a crash cut off within a line. */
async function aRun(stateDir: string): Promise<string> {
  const store = new FileJournalStore(stateDir)
  const journal = await store.create({ at, run: RUN, cluster: 'uid-1', tool: '0.1.0' })
  const order = cleanRun().flatMap((event) => (event.type === 'roll.started' ? event.nodes : []))
  await journal.append({ at, type: 'planned', spec: SPEC, order, clusterName: 'prod-eu1' })
  await journal.append({ at, type: 'note', ...SECRETS })
  for (const event of cleanRun()) {
    const reasons = 'reasons' in event && { reasons: [{ code: 'Waits', text: SECRETS.text }] }
    await journal.append({ ...event, ...reasons })
  }
  await journal.close()
  const path = store.pathOf(RUN)
  await appendFile(path, '{"at":"2026-11-21T06:20:00.000Z","type":"note","password":"PLANTED')
  await writeFile(
    join(stateDir, RUN, 'latency.jsonl'),
    `{"at":"${at}","good":9,"failed":0,"p50Ms":1,"p99Ms":2,"maxMs":3}\n`,
  )
  return path
}

const bundle = (...words: readonly string[]): Promise<Ended> =>
  ended(start(['bundle', ...words], { HTTPS_PROXY: 'http://me:PLANTED@proxy.example:1' }))

const unpacked = async (file: string, folder: string): Promise<ReadonlyMap<string, string>> => {
  await promisify(execFile)('tar', ['-xzf', file, '-C', folder])
  const names = await readdir(join(folder, `evenkeel-${RUN}`))
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(folder, `evenkeel-${RUN}`, name), 'utf8')] as const),
    ),
  )
}

test('a run is packed with its report and without one planted secret', { skip }, async (t) => {
  const folder = await aStateDir(t)
  const journal = await aRun(folder)
  const file = join(folder, 'with space.tar.gz')
  const { code, out, err } = await bundle('--state-dir', folder, '--to', file, '-o', 'json')
  assert.equal(code, 0, err)
  const said = JSON.parse(out)
  const { size, mode } = await stat(file)
  assert.deepEqual([said.file, said.bytes, mode & 0o777], [file, size, 0o600])
  assert.ok(said.removed > 20, `${said.removed} values were removed`)
  const { stdout } = await promisify(execFile)('tar', ['-tzvf', file])
  assert.match(stdout, /^-rw------- .* evenkeel-20261121T061439Z-1f0e\/journal\.jsonl$/m)
  const files = await unpacked(file, folder)
  assert.deepEqual([...files.keys()].toSorted(), [...said.files].toSorted())
  for (const [name, text] of files) assert.doesNotMatch(text, /PLANTED|hunter2|s3cret|monitor/, name)

  const lines = files.get('journal.jsonl')?.split('\n') ?? []
  assert.equal(lines.length, (await readFile(journal, 'utf8')).split('\n').length)
  for (const line of lines.slice(0, -1)) assert.equal(typeof JSON.parse(line).type, 'string')
  assert.equal(lines.at(-1), '{"at":"2026-11-21T06:20:00.000Z","type":"note","password":"[removed]"')
  assert.match(files.get('report.html') ?? '', /^<!doctype html>/)
  assert.match(files.get('report.html') ?? '', /\[removed\]/)
  assert.equal(JSON.parse(files.get('report.json') ?? '').outcome, 'completed')
  const about = JSON.parse(files.get('about.json') ?? '')
  assert.equal(about.node, process.version)
  assert.ok(about.variables.includes('HTTPS_PROXY'))
  assert.equal(files.get('README.txt')?.trimEnd().split('\n').length, files.size)

  await rm(journal)
  const state = join(folder, RUN)
  await writeFile(join(state, 'journal.jsonl'), files.get('journal.jsonl') ?? '')
  const again = await ended(start(['roll', 'report', RUN, '--state-dir', folder, '-o', 'json']))
  assert.equal(again.code, 0, again.err)
  assert.equal(JSON.parse(again.out).outcome, 'completed')
})

test('an existing file is not touched', async (t) => {
  const folder = await aStateDir(t)
  await aRun(folder)
  const file = join(folder, 'mine')
  await writeFile(file, 'mine')
  const { code, out, err } = await bundle(RUN, '--state-dir', folder, '--to', file)
  assert.deepEqual([code, out], [2, ''])
  assert.match(
    err,
    /mine exists already \(bundle\.exists\)\n {2}= fix: remove that file, or name another one with --to/,
  )
  assert.equal(await readFile(file, 'utf8'), 'mine')
})

test('an unknown run, and a folder that is not there, end with exit 2', async (t) => {
  const folder = await aStateDir(t)
  await aRun(folder)
  const unknown = await bundle('20200101T000000Z-0000', '--state-dir', folder)
  assert.equal(unknown.code, 2)
  assert.match(unknown.err, /no run "20200101T000000Z-0000" in .*journal\.unknown-run/)
  const nowhere = await bundle('--state-dir', folder, '--to', join(folder, 'none', 'x'))
  assert.equal(nowhere.code, 2)
  assert.match(nowhere.err, /cannot write .*file\.write/)
})

test('a damaged journal is packed without a report, and says so', { skip }, async (t) => {
  const folder = await aStateDir(t)
  await appendFile(await aRun(folder), '\n{"at":"x","type":"y"}\n')
  const file = join(folder, 'run.tar.gz')
  const { code, out } = await bundle(RUN, '--state-dir', folder, '--to', file)
  assert.equal(code, 0)
  assert.match(out, /The journal cannot be read, so there is no report: .*is not an entry, and others follow it/)
  assert.match(out, /Read the files before you send them\..*\nNames of nodes, pods and hosts are still in them/)
  const files = await unpacked(file, folder)
  assert.deepEqual([...files.keys()].toSorted(), ['README.txt', 'about.json', 'journal.jsonl', 'latency.jsonl'])
  for (const [name, text] of files) assert.doesNotMatch(text, /PLANTED/, name)
})
