/**
 * Mutation testing with StrykerJS: one change of the source at a time, each tried with the tests that reach it.
 * `node test/mutants.ts [words] [--minutes N] [--sample SEED]`; words select source files by their paths, `--sample` takes
 * some 300 mutants of `run`, `io` and what speaks protocols in `ground`. What neither the source nor its tests changed for is not tried again, and
 * a run that is stopped, or has used up its minutes, goes on where it ended. Prints scores and what no test sees in Markdown.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isDrawn } from './support/mutants/drawn-mutants.ts'
import { readReport, resultLines } from './support/mutants/results.ts'
import { LEFT_OUT_FILE, type Sample, strykerOptions } from './support/mutants/stryker-options.ts'

const root = new URL('..', import.meta.url).pathname
const STRYKER = `${root}node_modules/@stryker-mutator/core/bin/stryker.js`
const FOLDER = '.cache/mutants'

/** Of some 300 in a sample. */
const ONE_IN = 40

/** Whether it came to its end. It is asked to stop when its minutes are over, and keeps what it has by then. */
async function stryker(optionsFile: string, minutes: number | undefined): Promise<boolean> {
  const words = ['--disable-warning=ExperimentalWarning', STRYKER, 'run', optionsFile]
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  const end = (): boolean => child.kill('SIGINT')
  const timer = minutes === undefined ? undefined : setTimeout(end, minutes * 60_000)
  // Ctrl-C reaches Stryker by itself, and a second signal would cost what it has: here it only may not end this process.
  process.on('SIGINT', () => undefined).on('SIGTERM', end)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  return code === 0
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string' }, sample: { type: 'string' }, results: { type: 'boolean' } },
})
const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
const sample: Sample | undefined =
  values.sample === undefined ? undefined : { seed: Number(values.sample), oneIn: ONE_IN }

process.chdir(root)
const folders =
  sample === undefined
    ? 'src/{*/{decide,actuators},ground/loop}/**/*.ts'
    : 'src/{*/{run,io},ground/{kube,net,machine}}/**/*.ts'
const all = globSync(positionals.length === 0 ? folders : 'src/**/*.ts').toSorted()
const sources = all.filter((file) => positionals.length === 0 || positionals.some((word) => file.includes(word)))
if (sources.length === 0) throw new Error(`No source file has ${positionals.join(' or ')} in its path`)

const resultsFile = `${FOLDER}/${sample === undefined ? 'results' : `sample-${sample.seed}`}.json`
let complete = true
if (values.results !== true) {
  mkdirSync(FOLDER, { recursive: true })
  const optionsFile = `${FOLDER}/options.json`
  writeFileSync(optionsFile, JSON.stringify(strykerOptions({ sources, resultsFile, ...(sample && { sample }) })))
  complete = await stryker(optionsFile, minutes)
}
const report = readReport(resultsFile)
if (report === undefined)
  throw new Error('Nothing was tried: the tests fail without a mutant, or it was stopped too early')
const isWanted = sample === undefined ? () => true : (place: Parameters<typeof isDrawn>[1]) => isDrawn(sample, place)
if (sample !== undefined) console.log(`One mutant in ${sample.oneIn}, drawn by ${sample.seed}`)
const leftOut = sample !== undefined && existsSync(LEFT_OUT_FILE) ? readFileSync(LEFT_OUT_FILE, 'utf8') : ''
if (leftOut !== '') console.log(`Left out, since they failed without a mutant:\n${leftOut}`)
if (!complete) console.log('Not all were tried. The same command goes on from here.')
console.log(resultLines(report, new Set(sources), isWanted).join('\n'))
