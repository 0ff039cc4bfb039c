import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import type { FileEnd } from '../support/runner/closing-lines.ts'
import { closingLines } from '../support/runner/closing-lines.ts'
import { byDay, stagesOf } from '../support/runner/lanes.ts'

const SAMPLES: Readonly<Record<string, string>> = {
  loops: "test('begins', () => {})\ntest('loops', () => { for (;;); })",
  starts: `
    import { spawn } from 'node:child_process'
    test('starts what does not end', () => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
      console.log('PID' + child.pid)
      return new Promise(() => {})
    })`,
  fails: "test('fails', () => { throw new Error('as it should') })\ntest('passes', () => {})",
  skips: "test('needs a part', { skip: 'the part is not installed' }, () => {})\ntest('passes', () => {})",
  void: "test('is void', (t) => t.diagnostic('void, made once more: 7 of 10'))",
  empty: '',
  // The first bytes of an event of Node's own runner, and no event behind them.
  bytes: "test('prints', () => { process.stdout.write(Buffer.from([0xff, 0x0f, 0, 0, 0, 4, 1, 2, 3, 4])) })",
  dies: "test('dies', () => process.exit(0))",
}

const RUN_LANE = new URL('../support/runner/run-lane.ts', import.meta.url).pathname

/** The samples as one lane, run by another process: a runner within a test runs nothing. */
async function ended(t: TestContext, concurrency: number | 'oneProcess', names: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), 'evenkeel-lane-'))
  t.after(() => rmSync(root, { recursive: true }))
  for (const name of names)
    writeFileSync(join(root, `${name}.test.mjs`), `import { test } from 'node:test'\n${SAMPLES[name]}\n`)
  const lane = { files: names.map((name) => `${name}.test.mjs`), concurrency, limitMs: 4_000 }
  const script = `
    import { runLane } from ${JSON.stringify(RUN_LANE)}
    const ends = await runLane(${JSON.stringify(lane)}, { root: ${JSON.stringify(`${root}/`)}, hasScreen: false })
    console.log('\\nENDS' + JSON.stringify(ends))`
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  // A file, since what Node was started with is handed on to each test file.
  const path = join(root, 'lane.mjs')
  writeFileSync(path, script)
  const run = await promisify(execFile)(process.execPath, [path], { cwd: root, env })
  const ends = JSON.parse(run.stdout.slice(run.stdout.lastIndexOf('ENDS') + 4)) as readonly FileEnd[]
  return { ends: new Map(ends.map((end) => [end.file, end])), output: run.stdout }
}

/** Not: it has ended and is only waited for by its parent, which a container's first process may never do. */
function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/stat`
  return existsSync(path) && !/\) Z /.test(readFileSync(path, 'utf8'))
}

test('a file that loops is ended at its limit, and the files behind it are run all the same', async (t) => {
  const { ends } = await ended(t, 1, ['loops', 'fails', 'skips', 'void', 'empty'])
  const loops = ends.get('loops.test.mjs')
  assert.deepEqual([loops?.isGood, loops?.ranOutOfMs], [false, 4_000])
  const facts = ['fails', 'skips', 'void', 'empty'].map((name) => {
    const { passed, failed, skips, voids, failures, isGood } = ends.get(`${name}.test.mjs`) ?? {}
    return { name, passed, failed, skips, voids, failures, isGood }
  })
  assert.deepEqual(facts, [
    {
      name: 'fails',
      passed: 1,
      failed: 1,
      skips: [],
      voids: [],
      failures: ['fails: as it should'],
      isGood: false,
    },
    {
      name: 'skips',
      passed: 1,
      failed: 0,
      skips: ['the part is not installed'],
      voids: [],
      failures: [],
      isGood: true,
    },
    {
      name: 'void',
      passed: 1,
      failed: 0,
      skips: [],
      voids: ['void, made once more: 7 of 10'],
      failures: [],
      isGood: true,
    },
    { name: 'empty', passed: 0, failed: 1, skips: [], voids: [], failures: [], isGood: false },
  ])
})

test('what a file prints cannot be taken for its results, and a file that dies in a test has failed', async (t) => {
  const { ends, output } = await ended(t, 1, ['bytes', 'dies', 'fails'])
  const facts = ['bytes', 'dies'].map((name) => {
    const { passed, failed, isGood } = ends.get(`${name}.test.mjs`) ?? {}
    return { name, passed, failed, isGood }
  })
  assert.deepEqual(facts, [
    { name: 'bytes', passed: 1, failed: 0, isGood: true },
    { name: 'dies', passed: 0, failed: 1, isGood: false },
  ])
  assert.match(output, /✖ fails/)
  assert.match(output, /as it should/)
})

test('what a file has started is ended with it at its limit, and holds up none behind it', async (t) => {
  const { ends, output } = await ended(t, 1, ['starts', 'fails'])
  assert.deepEqual([ends.get('starts.test.mjs')?.ranOutOfMs, ends.get('fails.test.mjs')?.passed], [4_000, 1])
  const pid = Number(/PID(\d+)/.exec(output)?.[1])
  assert.ok(pid > 0)
  assert.equal(isRunning(pid), false)
})

test('files that share a process are ended together at their limit', async (t) => {
  const { ends } = await ended(t, 'oneProcess', ['void', 'loops'])
  const [end] = [...ends.values()]
  assert.deepEqual([end?.file, end?.isGood, end?.ranOutOfMs], ['2 files in one process', false, 4_000])
})

test('when files share a process, each failure is reported with its error', async (t) => {
  const { ends } = await ended(t, 'oneProcess', ['void', 'fails'])
  const [end] = [...ends.values()]
  assert.deepEqual([end?.passed, end?.failed, end?.isGood], [2, 1, false])
  assert.match(end?.failures.join('') ?? '', /✖ fails .*\n.*as it should/)
})

test('the closing lines name what was left out, what was void and what failed, and end with the counts', () => {
  const end = { passed: 2, failed: 0, skips: [], voids: [], failures: [], isGood: true, tookMs: 1_400 }
  const lines = closingLines(
    [
      { ...end, file: 'test/cluster/roll-clean.test.ts', voids: ['void, made once more: 7 of 10'], tookMs: 90_000 },
      { ...end, file: 'test/core/a.test.ts', skips: ['no HAProxy', 'no HAProxy'] },
      {
        ...end,
        file: 'test/core/b.test.ts',
        failed: 1,
        failures: ['adds: 1 !== 2\n\nexpected 2'],
        isGood: false,
        ranOutOfMs: 300_000,
      },
    ],
    { tookMs: 120_000, stagesMs: [20_000, 110_000] },
  )
  assert.deepEqual(lines, [
    '\n120 s, stages over after 20 s, 110 s; slowest: cluster/roll-clean 90 s, core/a 1 s, core/b 1 s',
    'skipped 2: no HAProxy',
    'test/cluster/roll-clean.test.ts: void, made once more: 7 of 10',
    'test/core/b.test.ts: ended after its limit of 300 s',
    'FAILED test/core/b.test.ts',
    '  adds: 1 !== 2\n  \n  expected 2',
    '6 passed, 1 failed, 2 skipped',
  ])
})

test('every file is in one lane, and fast brings no cluster up', () => {
  const files = ['test/core/a.test.ts', 'test/cluster/roll-clean.test.ts', 'test/cluster/kube-x.test.ts']
  const all = [
    ...files,
    'test/cluster/agent-outage.test.ts',
    'test/virtual/swarm.test.ts',
    'test/cli/b.test.ts',
    'test/bin/roll-by-agents.test.ts',
  ]
  const chosen = (isFast: boolean): readonly string[] =>
    stagesOf(all, { isFast, isByName: false }).flatMap((stage) => stage.flatMap((lane) => lane.files))
  assert.deepEqual(chosen(false).toSorted(), all.toSorted())
  assert.deepEqual(chosen(true).toSorted(), [
    'test/bin/roll-by-agents.test.ts',
    'test/cli/b.test.ts',
    'test/core/a.test.ts',
    'test/virtual/swarm.test.ts',
  ])
})

test('files behave politely only where clusters run beside them', () => {
  const polite = (...files: readonly string[]): readonly string[] =>
    stagesOf(files, { isFast: false, isByName: true })
      .flat()
      .flatMap((lane) => (lane.polite === true ? lane.files : []))
  const files = ['test/roll/decide/a.test.ts', 'test/virtual/swarm.test.ts']
  assert.deepEqual(polite(...files), [])
  assert.deepEqual(polite('test/cluster/roll-clean.test.ts', ...files).toSorted(), files)
})

test('files of the night are no part of a run of everything', () => {
  const files = ['test/testbed/cluster.test.ts', 'test/testbed/command-line.test.ts']
  assert.deepEqual(byDay(files), ['test/testbed/command-line.test.ts'])
  assert.deepEqual(
    stagesOf(files, { isFast: false, isByName: true }).flatMap((stage) => stage.flatMap((lane) => lane.files)),
    files,
  )
})
