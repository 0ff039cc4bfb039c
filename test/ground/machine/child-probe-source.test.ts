import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ChildProbeSource } from '../../../src/ground/machine/child-probe-source.ts'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import type { ProbeStatus } from '../../../src/ground/model/probe.ts'
import { LedgerProbe } from '../../../src/roll/probe/ledger-probe.ts'
import { aTarget } from '../../roll/decide/availability/a-sample.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/probe-process.ts', import.meta.url))

const anHttpServer = async (t: TestContext, reply: http.RequestListener): Promise<string> => {
  const server = http.createServer(reply)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function until(isSo: () => boolean, limitMs = 20_000): Promise<void> {
  const end = performance.now() + limitMs
  while (!isSo()) {
    assert.ok(performance.now() < end, `not so within ${limitMs} ms: ${isSo}`)
    await pause(20)
  }
}

const sentOf = (facts: ProbeStatus): number => facts.lanes.reduce((sum, lane) => sum + lane.sent, 0)
const okOf = (facts: ProbeStatus): number => facts.lanes.reduce((sum, lane) => sum + lane.sent - lane.failed, 0)
const skippedOf = (facts: ProbeStatus): number => facts.lanes.reduce((sum, lane) => sum + lane.skipped, 0)
const gapMsOf = (facts: ProbeStatus): number => facts.notMeasured.reduce((sum, gap) => sum + gap.to - gap.from, 0)

/** A probe of one server by a real process, stopped when the test ends. */
function aProbe(t: TestContext, url: string) {
  const pids: number[] = []
  const deaths: string[] = []
  const targets = [aTarget({ url })]
  const onSpawn = (pid: number): void => {
    pids.push(pid)
  }
  const source = new ChildProbeSource({ program: PROGRAM, targets, clock: systemClock, random: systemRandom, onSpawn })
  const onDeath = (reason: string): void => {
    deaths.push(reason)
  }
  const probe = new LedgerProbe({ targets, source, clock: systemClock, onDeath })
  const stop = new AbortController()
  const running = probe.run(() => undefined, stop.signal)
  const end = async (): Promise<ProbeStatus> => {
    stop.abort(new Error('enough'))
    await running
    return probe.status()
  }
  t.after(end)
  const pid = (): number => pids.at(-1) ?? 0
  return { probe, pids, deaths, end, pid }
}

const isGone = (pid: number): boolean => {
  if (!existsSync(`/proc/${pid}/stat`)) return true
  return / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

test('a process of its own measures, and ends in order with every verdict told', async (t) => {
  const url = await anHttpServer(t, (_request, reply) => void setTimeout(() => reply.end('OK'), 200))
  const { probe, end, pid } = aProbe(t, url)
  await until(() => sentOf(probe.status()) >= 50)
  const facts = await end()
  assert.equal(okOf(facts), sentOf(facts))
  assert.ok(gapMsOf(facts) < 500)
  assert.ok(facts.lanes.every((lane) => lane.p50Ms >= 199))
  assert.ok(isGone(pid()))
})

test('a server that stands still for half a second does not stop it from asking', async (t) => {
  let stillUntil = 0
  let begun = 0
  const url = await anHttpServer(t, (_request, reply) => {
    begun += 1
    setTimeout(() => reply.end('OK'), Math.max(0, stillUntil - performance.now()))
  })
  const { probe, end } = aProbe(t, url)
  await until(() => sentOf(probe.status()) >= 50)
  stillUntil = performance.now() + 500
  const before = begun
  await pause(450)
  const during = begun - before
  const facts = await end()
  assert.ok(during >= 20, `${during} requests came while the server stood still`)
  assert.equal(okOf(facts), sentOf(facts))
  assert.ok(facts.lanes.every((lane) => lane.maxMs >= 400))
})

test('law: time in which the prober stood still is not measured, and never good; a process that is stopped for a second reports a second', async (t) => {
  const url = await anHttpServer(t, (_request, reply) => reply.end('OK'))
  const { probe, end, pid, deaths } = aProbe(t, url)
  await until(() => sentOf(probe.status()) >= 50)
  process.kill(pid(), 'SIGSTOP')
  await pause(1_000)
  assert.ok(gapMsOf(probe.status()) >= 400, 'silence shows while it lasts')
  process.kill(pid(), 'SIGCONT')
  const seen = sentOf(probe.status())
  await until(() => sentOf(probe.status()) >= seen + 50)
  const facts = await end()
  const gapMs = gapMsOf(facts)
  assert.ok(gapMs >= 900 && gapMs <= 3_000, `${gapMs} ms not measured`)
  assert.ok(skippedOf(facts) >= 85, `${skippedOf(facts)} skipped`)
  assert.deepEqual(facts.windows, [])
  assert.deepEqual(deaths, [])
})

test('killed it is begun again, and the time between is not measured', async (t) => {
  const url = await anHttpServer(t, (_request, reply) => reply.end('OK'))
  const { probe, end, pid, pids, deaths } = aProbe(t, url)
  await until(() => sentOf(probe.status()) >= 50)
  const seen = sentOf(probe.status())
  process.kill(pid(), 'SIGKILL')
  await until(() => sentOf(probe.status()) >= seen + 50)
  const facts = await end()
  assert.equal(pids.length, 2)
  assert.deepEqual(deaths, ['SIGKILL'])
  assert.ok(gapMsOf(facts) >= 100)
  assert.deepEqual(facts.windows, [])
})

test('what killed it is reported in its own words', async (t) => {
  const { deaths } = aProbe(t, 'not a url')
  await until(() => deaths.length > 0)
  assert.match(deaths[0] ?? '', /^exit code 1: .*Invalid URL/s)
})

test('a parent that is gone ends it', async (t) => {
  const url = await anHttpServer(t, (_request, reply) => reply.end('OK'))
  const parent = spawn(
    process.execPath,
    [fileURLToPath(new URL('./probing-parent.ts', import.meta.url)), PROGRAM, url],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  t.after(() => parent.kill('SIGKILL'))
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(String(line).trim())
  assert.ok(pid > 0 && !isGone(pid))
  parent.kill('SIGKILL')
  await until(() => isGone(pid))
})
