/**
 * Runs the tests in the order of their cost: what needs no cluster, then what brings clusters up.
 * `node test/run.ts fast` runs the first group only; any other word selects the files whose path contains it.
 */
import { globSync } from 'node:fs'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const root = new URL('..', import.meta.url).pathname

// Each file is a process, and most of them load the same modules: their types are stripped once, and not for each.
process.env.NODE_COMPILE_CACHE ??= `${root}node_modules/.cache/evenkeel-tests`
const wanted = process.argv.slice(2)

const CLUSTER = ['test/cluster/', 'test/testbed/']

/** The longest first, so that no lane is left with it at the end. Whatever is not named comes after these. */
const LONGEST = [
  'virtual/swarm',
  'contract/real-haproxy',
  'contract/embedded-kubectl',
  'report/page',
  'roll-api-restarts',
  'roll-luck',
  'roll-trouble',
  'roll-killed',
  'roll-input',
  'kube-adapter',
  'cluster-contract',
  'roll-budgets',
]

/** Its figures are those of the README, of a cluster that has the machine to itself. */
const ALONE = 'test/cluster/roll-clean.test.ts'

const place = (file: string): number => {
  const at = LONGEST.findIndex((name) => file.includes(name))
  return at === -1 ? LONGEST.length : at
}

const all = globSync('test/**/*.test.ts', { cwd: root }).toSorted()
const clusters = all.filter((file) => CLUSTER.some((folder) => file.startsWith(folder)))
const beside = clusters.filter((file) => file !== ALONE)
const longestFirst = (files: readonly string[]): readonly string[] =>
  files.toSorted((left, right) => place(left) - place(right))

// Half of the time a file waits for something, so that there is room for one more than there are processors.
const groups = [
  { files: longestFirst(all.filter((file) => !clusters.includes(file))), concurrency: 3 },
  { files: longestFirst(beside), concurrency: 2 },
  { files: [ALONE], concurrency: 1 },
]
const chosen = wanted[0] === 'fast' ? groups.slice(0, 1) : groups
const words = wanted[0] === 'fast' ? [] : wanted

/** Whether all of them passed; tells of each as it ends. */
async function passes(files: readonly string[], concurrency: number): Promise<boolean> {
  let failed = 0
  const tests = run({ files: [...files], cwd: root, concurrency, execArgv: ['--disable-warning=ExperimentalWarning'] })
  tests.on('test:fail', ({ todo }) => {
    failed += todo === undefined ? 1 : 0
  })
  for await (const text of tests.compose(spec)) process.stdout.write(text)
  return failed === 0
}

for (const { files, concurrency } of chosen) {
  const named = files.filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  if (named.length > 0 && !(await passes(named, concurrency))) {
    process.exitCode = 1
    break
  }
}
