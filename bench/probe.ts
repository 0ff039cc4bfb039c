/**
 * The prober's own lateness: how far from their scheduled time requests begin, at the rate given.
 * `node bench/probe.ts [REQUESTS_PER_SECOND] [SECONDS]` (1000, 10). Prints a line, then JSON.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { availableParallelism, loadavg } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { ChildProbeSource } from '../src/adapters/node/child-probe-source.ts'
import { systemClock } from '../src/adapters/node/system-clock.ts'
import { systemRandom } from '../src/adapters/node/system-random.ts'
import type { ProbeTarget, Sample } from '../src/model/probe.ts'

const GOAL_P99_MS = 2
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

function report(samples: readonly Sample[], ratePerSecond: number, cpuShare: number) {
  const sent = samples.filter((sample) => sample.verdict !== 'skipped')
  const errors = sent.map((sample) => Math.abs(sample.startedLateMs)).sort((a, b) => a - b)
  const quantileMs = (q: number): number => errors[Math.min(errors.length - 1, Math.floor(q * errors.length))] ?? 0
  return {
    bench: 'probe.startError',
    ratePerSecond,
    sent: sent.length,
    skipped: samples.length - sent.length,
    failed: sent.filter((sample) => sample.verdict === 'failed').length,
    p50Ms: quantileMs(0.5),
    p99Ms: quantileMs(0.99),
    p999Ms: quantileMs(0.999),
    maxMs: quantileMs(1),
    goalP99Ms: GOAL_P99_MS,
    met: quantileMs(0.99) <= GOAL_P99_MS,
    proberCpuShare: Math.round(cpuShare * 1_000) / 1_000,
    cores: availableParallelism(),
    loadAverage: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  }
}

async function main(): Promise<void> {
  const ratePerSecond = Number(process.argv[2] ?? 1_000)
  const seconds = Number(process.argv[3] ?? 10)
  const server = fork(fileURLToPath(import.meta.url), ['serve'])
  const [port] = await once(server, 'message')
  const { samples, cpuShare } = await measure(
    {
      name: 'loopback',
      url: `http://127.0.0.1:${port}/`,
      control: false,
      ratePerSecond,
      keptShare: 0.5,
      keptConnections: 8,
      timeoutMs: 2_000,
      expectStatus: [200, 200],
      servedByHeader: 'x-served-by',
    },
    seconds,
  )
  server.kill()
  const found = report(samples, ratePerSecond, cpuShare)
  const verdict = found.met ? 'met' : 'MISSED'
  process.stdout.write(
    `probe at ${ratePerSecond}/s: start error p50 ${found.p50Ms} ms, p99 ${found.p99Ms} ms (goal ${GOAL_P99_MS} ms, ` +
      `${verdict}), max ${found.maxMs} ms; ${found.sent} sent, ${found.skipped} skipped, ${found.failed} failed\n`,
  )
  process.stdout.write(`${JSON.stringify(found)}\n`)
}

if (process.argv[2] === 'serve') serve()
else await main()
