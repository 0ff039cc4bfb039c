/**
 * Runs the tests in the order of their cost: what needs no cluster, then what brings clusters up.
 * `node test/run.ts fast` runs the first group only; any other word selects the files whose path contains it.
 */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'

const root = new URL('..', import.meta.url).pathname
const wanted = process.argv.slice(2)

/** Files that bring a cluster up share the machine badly: one after another. */
const CLUSTER = ['test/cluster/', 'test/testbed/']

/** Beside one that mostly waits, and gives its pods time, there is room for those that measure no traffic. */
const WAITING = 'test/cluster/roll-api-restarts.test.ts'
const UNMEASURED = /^test\/(testbed\/|cluster\/(kube-|roll-(input|stages)\.))/

const all = globSync('test/**/*.test.ts', { cwd: root }).toSorted()
const clusters = all.filter((file) => CLUSTER.some((folder) => file.startsWith(folder)))
const unmeasured = clusters.filter((file) => UNMEASURED.test(file))
const measured = clusters.filter((file) => file !== WAITING && !unmeasured.includes(file))
const groups = [
  { files: all.filter((file) => !clusters.includes(file)), concurrency: 2 },
  { files: wanted[0] === 'fast' ? [] : [WAITING, ...unmeasured], concurrency: 2 },
  { files: wanted[0] === 'fast' ? [] : measured, concurrency: 1 },
]

function run(files: readonly string[], concurrency: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const options = ['--test', `--test-concurrency=${concurrency}`, '--disable-warning=ExperimentalWarning']
  const child = spawn(process.execPath, [...options, ...files], { cwd: root, stdio: 'inherit' })
  child.once('exit', (code) => resolve(code ?? 1))
  return promise
}

for (const { files, concurrency } of groups) {
  const chosen = files.filter(
    (file) => wanted.length === 0 || wanted[0] === 'fast' || wanted.some((word) => file.includes(word)),
  )
  if (chosen.length === 0) continue
  process.exitCode = await run(chosen, concurrency)
  if (process.exitCode !== 0) break
}
