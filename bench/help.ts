/** How long the bundle takes to say its help: `node bench/help.ts [RUNS]` (15). Build it first: `npm run build`. */
import { execFile } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const GOAL_MS = 150

const bundle = fileURLToPath(new URL('../dist/evenkeel.js', import.meta.url))
const runs = Number(process.argv[2] ?? 15)
const times: number[] = []
for (let i = 0; i < runs; i += 1) {
  const begun = performance.now()
  await promisify(execFile)(process.execPath, [bundle, '--help'])
  times.push(Math.round((performance.now() - begun) * 10) / 10)
}
times.sort((a, b) => a - b)
const medianMs = times[Math.floor(times.length / 2)] ?? 0
const met = medianMs <= GOAL_MS
process.stdout.write(
  `evenkeel --help from the bundle: median ${medianMs} ms of ${runs} (goal ${GOAL_MS} ms, ${met ? 'met' : 'MISSED'}), ` +
    `${times[0]} to ${times.at(-1)} ms\n`,
)
process.stdout.write(
  `${JSON.stringify({ bench: 'help', timesMs: times, medianMs, goalMs: GOAL_MS, met, cores: availableParallelism(), loadAverage: loadavg()[0] })}\n`,
)
