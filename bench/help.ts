/**
 * How long the bundle takes to say its help, and, in turns with it, how long Node takes to do nothing.
 * `node bench/help.ts [RUNS]` (15 of each). Builds dist/ first. Prints a line, then JSON.
 */
import { execFile } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { HelpDocument } from './help/help-document.ts'

const GOAL_MS = 150

const run = promisify(execFile)

async function took(argv: readonly string[]): Promise<number> {
  const begun = performance.now()
  await run(process.execPath, argv)
  return Math.round((performance.now() - begun) * 10) / 10
}

const median = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? 0

async function measure(bundle: string, runs: number): Promise<HelpDocument> {
  const [timesMs, bareTimesMs]: [number[], number[]] = [[], []]
  for (let i = 0; i < runs; i += 1) {
    bareTimesMs.push(await took(['-e', '0']))
    timesMs.push(await took([bundle, '--help']))
  }
  for (const times of [timesMs, bareTimesMs]) times.sort((a, b) => a - b)
  const medianMs = median(timesMs)
  return {
    bench: 'help',
    timesMs,
    medianMs,
    bareTimesMs,
    bareMedianMs: median(bareTimesMs),
    goalMs: GOAL_MS,
    met: medianMs <= GOAL_MS,
    cores: availableParallelism(),
    loadAverage: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  }
}

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))
await run(process.execPath, [path('bin/build.ts')])
const found = await measure(path('dist/evenkeel.js'), Number(process.argv[2] ?? 15))
const { timesMs, medianMs, bareMedianMs, met } = found
process.stdout.write(
  `evenkeel --help from the bundle: median ${medianMs} ms of ${timesMs.length} (goal ${GOAL_MS} ms, ` +
    `${met ? 'met' : 'MISSED'}), ${timesMs[0]} to ${timesMs.at(-1)} ms; node -e 0: median ${bareMedianMs} ms\n`,
)
process.stdout.write(`${JSON.stringify(found)}\n`)
