/**
 * The prober's own lateness: how far from their scheduled time requests begin, at the rate given; and, in turns with it,
 * that of a loop of the same schedule that asks nothing. `node bench/probe.ts [REQUESTS_PER_SECOND] [SECONDS]` (1000, 10;
 * as long for each of the two). Prints a line, then JSON.
 */
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { availableParallelism, loadavg } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ChildProbeSource } from '../src/ground/machine/child-probe-source.ts'
import { systemClock } from '../src/ground/machine/system-clock.ts'
import { systemRandom } from '../src/ground/machine/system-random.ts'
import type { ProbeTarget, Sample } from '../src/ground/model/probe.ts'
import { lateness } from './probe/lateness.ts'
import type { ProbeDocument } from './probe/probe-document.ts'

const GOAL_P99_MS = 2
/** The machine's other work comes and goes: both sides are to meet the same of it. */
const TURNS = 2
const CLOCK_TICKS_PER_SECOND = 100

function serve(): void {
  const server = http.createServer((_request, reply) => reply.end('OK'))
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

/** Processor time of a process, in seconds (proc(5): fields 14 and 15 of stat). */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND
}

async function measure(target: ProbeTarget, seconds: number) {
  const samples: Sample[] = []
  const stop = new AbortController()
  const clock = systemClock
  const begun = Promise.withResolvers<void>()
  let pid = 0
  const program = fileURLToPath(new URL('../bin/probe-process.ts', import.meta.url))
  const onSpawn = (spawned: number): void => {
    pid = spawned
  }
  const source = new ChildProbeSource({ program, targets: [target], clock, random: systemRandom, onSpawn })
  const running = source.run((told) => {
    if (told.type === 'started') begun.resolve()
    if (told.type === 'batch') samples.push(...told.samples)
  }, stop.signal)
  await begun.promise
  const before = cpuSeconds(pid)
  await clock.sleep(seconds * 1_000, stop.signal)
  const cpuShare = (cpuSeconds(pid) - before) / seconds
  stop.abort(new Error('measured'))
  await running
  return { samples, cpuShare }
}

/** How late each tick of a loop came that only waits for its times. */
async function measureBare(ratePerSecond: number, seconds: number): Promise<readonly number[]> {
  const program = fileURLToPath(new URL('./probe/bare-loop.ts', import.meta.url))
  const args = [program, String(ratePerSecond), String(seconds)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 })
  return JSON.parse(stdout) as readonly number[]
}

interface Measured {
  readonly samples: readonly Sample[]
  readonly bareMs: readonly number[]
  readonly cpuShare: number
}

function report({ samples, bareMs, cpuShare }: Measured, ratePerSecond: number): ProbeDocument {
  const sent = samples.filter((sample) => sample.verdict !== 'skipped')
  const prober = lateness(sent.map((sample) => sample.startedLateMs))
  return {
    bench: 'probe.startError',
    ratePerSecond,
    sent: sent.length,
    skipped: samples.length - sent.length,
    failed: sent.filter((sample) => sample.verdict === 'failed').length,
    prober,
    bare: lateness(bareMs),
    goalP99Ms: GOAL_P99_MS,
    met: prober.p99Ms <= GOAL_P99_MS,
    proberCpuShare: Math.round(cpuShare * 1_000) / 1_000,
    cores: availableParallelism(),
    loadAverage: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  }
}

async function inTurns(target: ProbeTarget, seconds: number): Promise<Measured> {
  const samples: Sample[] = []
  const bareMs: number[] = []
  let cpuShare = 0
  for (let turn = 0; turn < TURNS; turn += 1) {
    bareMs.push(...(await measureBare(target.ratePerSecond, seconds / TURNS)))
    const measured = await measure(target, seconds / TURNS)
    samples.push(...measured.samples)
    cpuShare += measured.cpuShare / TURNS
  }
  return { samples, bareMs, cpuShare }
}

async function main(): Promise<void> {
  const ratePerSecond = Number(process.argv[2] ?? 1_000)
  const seconds = Number(process.argv[3] ?? 10)
  const server = fork(fileURLToPath(import.meta.url), ['serve'])
  const [port] = await once(server, 'message')
  const target: ProbeTarget = {
    name: 'loopback',
    url: `http://127.0.0.1:${port}/`,
    control: false,
    ratePerSecond,
    keptShare: 0.5,
    keptConnections: 8,
    timeoutMs: 2_000,
    expectStatus: [200, 200],
    servedByHeader: 'x-served-by',
  }
  const found = report(await inTurns(target, seconds), ratePerSecond)
  server.kill()
  const { prober, bare } = found
  process.stdout.write(
    `probe at ${ratePerSecond}/s: start error p50 ${prober.p50Ms} ms, p99 ${prober.p99Ms} ms (goal ${GOAL_P99_MS} ms, ` +
      `${found.met ? 'met' : 'MISSED'}), max ${prober.maxMs} ms; ${found.sent} sent, ${found.skipped} skipped, ` +
      `${found.failed} failed; a bare loop p50 ${bare.p50Ms} ms, p99 ${bare.p99Ms} ms\n`,
  )
  process.stdout.write(`${JSON.stringify(found)}\n`)
}

if (process.argv[2] === 'serve') serve()
else await main()
