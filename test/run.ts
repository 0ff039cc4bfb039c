/**
 * `npm test`: checks, then runs the tests in the order of their cost: what needs no cluster, then what brings clusters up.
 * The word `fast` brings none up. Any other word selects the files whose path contains it, those of the night among them: then
 * nothing is checked, and the program that is shipped is built only if one of these files starts it.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { closingLines, type FileEnd } from './support/runner/closing-lines.ts'
import { byDay, type Lane, stagesOf } from './support/runner/lanes.ts'
import { runLane } from './support/runner/run-lane.ts'
import { startsShipped } from './support/runner/starts-shipped.ts'
import { SHIPPED_FOLDER } from './support/shipped-program.ts'

const root = new URL('..', import.meta.url).pathname

// Each file is a process, and most of them load the same modules: their types are stripped once, and not for each.
process.env.NODE_COMPILE_CACHE ??= `${root}node_modules/.cache/evenkeel-tests`

const words = process.argv.slice(2)
const all = globSync('test/**/*.test.ts', { cwd: root }).toSorted()
const isFast = words[0] === 'fast'
/** A path may be written as the shell completes it. */
const wanted = (isFast ? words.slice(1) : words).map((word) => (existsSync(word) ? relative(root, word) : word))

const strangers = wanted.filter((word) => !all.some((file) => file.includes(word)))
if (strangers.length > 0) {
  console.error(`no test file has "${strangers.join('" or "')}" in its path; every file is below test/`)
  process.exit(2)
}

if (wanted.length === 0 && spawnSync('npm', ['run', '--silent', 'check'], { cwd: root, stdio: 'inherit' }).status !== 0)
  process.exit(1)

const chosen = wanted.length === 0 ? byDay(all) : all.filter((file) => wanted.some((word) => file.includes(word)))
if (startsShipped(chosen, root)) {
  const shipped = `${root}node_modules/.cache/evenkeel-tests-shipped-${process.pid}`
  process.on('exit', () => rmSync(shipped, { recursive: true, force: true }))
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', `${root}bin/build.ts`, shipped])
  process.env[SHIPPED_FOLDER] = shipped
}

const ends: FileEnd[] = []
/** No stage waits for the polite lanes of a stage before it. */
const polite: Promise<readonly FileEnd[]>[] = []
const startedMs = performance.now()
const stagesMs: number[] = []
for (const stage of stagesOf(chosen, { isFast, isByName: wanted.length > 0 })) {
  const lanes = stage.filter(({ files }) => files.length > 0)
  const ofLane = (lane: Lane, i: number) => runLane(lane, { root, hasScreen: i === 0 })
  polite.push(...lanes.filter((lane) => lane.polite === true).map((lane) => ofLane(lane, lanes.indexOf(lane))))
  const ended = await Promise.all(lanes.filter((lane) => lane.polite !== true).map(ofLane))
  ends.push(...ended.flat())
  stagesMs.push(performance.now() - startedMs)
}
ends.push(...(await Promise.all(polite)).flat())
for (const line of closingLines(ends, { tookMs: performance.now() - startedMs, stagesMs })) console.log(line)
if (ends.length === 0 || ends.some(({ isGood }) => !isGood)) process.exitCode = 1
