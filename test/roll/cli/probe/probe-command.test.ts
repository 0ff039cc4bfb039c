import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { CliContext } from '../../../../src/cli/cli-context.ts'
import { Interrupts } from '../../../../src/cli/interrupts.ts'
import { runProgram } from '../../../../src/cli/program.ts'
import { ChildProbeSource } from '../../../../src/ground/machine/child-probe-source.ts'
import { systemClock } from '../../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../../src/ground/machine/system-random.ts'
import type { TextSink } from '../../../../src/ground/text/terminal/text-sink.ts'
import { addProbeCommand } from '../../../../src/roll/cli/probe-command.ts'

const PROGRAM = fileURLToPath(new URL('../../../../bin/probe-process.ts', import.meta.url))

class KeptText implements TextSink {
  text = ''
  onWrite: (() => void) | undefined
  write(text: string): void {
    this.text += text
    this.onWrite?.()
  }
  size = () => ({ columns: 80, rows: 24 })
  flushed = (): Promise<void> => Promise.resolve()
}

/** Serves, except that each request whose number `isBad` names is cut off. */
async function aServer(t: TestContext, isBad: (nth: number) => boolean = () => false): Promise<string> {
  let nth = 0
  const server = http.createServer((request, reply) => {
    nth += 1
    if (isBad(nth)) request.socket.destroy()
    else reply.setHeader('X-Served-By', 'w-1').end('all is well')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Answers 503 for a second, a second after its first request. */
async function aFailingServer(t: TestContext): Promise<string> {
  let firstAt: number | undefined
  const server = http.createServer((_request, reply) => {
    firstAt ??= performance.now()
    const sinceMs = performance.now() - firstAt
    if (sinceMs >= 1_000 && sinceMs < 2_000) reply.statusCode = 503
    reply.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** An address of this machine at which nothing listens. */
async function aDeadAddress(): Promise<string> {
  const server = http.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/`
}

/** Runs `evenkeel probe` with these words; `onOut` sees the result grow. */
async function probe(words: readonly string[], act: (text: string, interrupts: Interrupts) => void = () => undefined) {
  const out = new KeptText()
  const err = new KeptText()
  const file = new KeptText()
  const interrupts = new Interrupts()
  out.onWrite = () => act(out.text, interrupts)
  const context: CliContext = {
    terminal: { env: {}, stdinIsTerminal: false, stdoutIsTerminal: false, stderrIsTerminal: false },
    out,
    err,
    clock: systemClock,
    interrupts,
    readText: () => Promise.reject(new Error('a probe reads no file')),
    openFile: () => file,
    ask: () => Promise.reject(new Error('a probe asks nothing')),
    askLine: () => Promise.reject(new Error('a probe asks nothing')),
    onExit: () => () => undefined,
  }
  const command = addProbeCommand(
    async (targets) => new ChildProbeSource({ program: PROGRAM, targets, clock: systemClock, random: systemRandom }),
  )
  const code = await runProgram({ version: '0', context, commands: [command] }, ['probe', ...words])
  return { code, out: out.text, err: err.text, file: file.text }
}

/** Ctrl-C once the events tell of a request sent. */
const pressOnceSent = (text: string, interrupts: Interrupts): void => {
  if (/"sent":[1-9]/.test(text) && !interrupts.signal.aborted) interrupts.press()
}

const linesOf = (text: string): readonly Readonly<Record<string, unknown>>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)

test('a service that always answers is a success, and the document counts every sample of the file', async (t) => {
  const url = await aServer(t)
  const found = await probe([url, '--duration', '1s', '-o', 'json', '--samples', 'x', '--expect-body', 'is well'])
  assert.equal(found.code, 0, found.err)
  const [document] = linesOf(found.out)
  assert.equal(document?.outcome, 'passed')
  assert.equal(document?.failedRequests, 0)
  assert.deepEqual(document?.windows, [])
  const samples = linesOf(found.file)
  assert.equal(samples.length, Number(document?.sentRequests) + Number(document?.skippedRequests))
  assert.ok(samples.length >= 90 && samples.length <= 300, `${samples.length} samples in a second`)
  assert.deepEqual(document?.servedBy, { 'w-1': document?.sentRequests })
})

test('a failed request is a failure, with its window in the result', async (t) => {
  const url = await aServer(t, (nth) => nth >= 50 && nth < 60)
  const found = await probe([url, '--duration', '1s', '--kept-share', '0'])
  assert.equal(found.code, 1)
  assert.match(found.out, /^10 failed of \d+ requests in [\d.]+ m?s \([\d.]+ %\) {2}http:\/\/127\.0\.0\.1:\d+\/\n/)
  assert.match(
    found.err,
    /^\d\d:\d\d:\d\d\.\d\dZ {2}http:\/\/127\.0\.0\.1:\d+\/: 10 failed in 90 to 110 ms, new, reset\n$/,
  )
})

const FEW = { low: 30, high: 110 }

test('law: a control that was green in the baseline excuses what failed while it got no answer, and nothing else; HTTP 503 of the service fails the probe, though its control has never answered', async (t) => {
  const url = await aFailingServer(t)
  const words = [url, '--control', await aDeadAddress(), '--duration', '3s']
  const found = await probe([...words, '-o', 'json'])
  const [document] = linesOf(found.out)
  const failed = Number(document?.failedRequests)
  assert.ok(failed >= FEW.low && failed <= FEW.high, `${failed} failed`)
  assert.deepEqual([found.code, document?.outcome, document?.notCountedRequests], [1, 'failed', 0])
  const windows = document?.windows as readonly { readonly control: boolean; readonly notCounted: boolean }[]
  assert.deepEqual([...new Set(windows.map(({ notCounted }) => notCounted))], [false])
})

test('the summary tells of these failures, and of the control that excuses nothing', async (t) => {
  const url = await aFailingServer(t)
  const found = await probe([url, '--control', await aDeadAddress(), '--duration', '3s'])
  assert.equal(found.code, 1)
  const [, failed] = /^(\d+) failed of \d+ requests/.exec(found.out) ?? []
  assert.ok(Number(failed) >= FEW.low && Number(failed) <= FEW.high, found.out)
  assert.match(found.out, /control target {3}(\d+) failed of \1; it was not green at first, so it excuses\n/)
  assert.doesNotMatch(`${found.out}${found.err}`, /not counted/)
})

test('requests that got no answer while the control got none either are not counted, and are distinguished', async (t) => {
  let firstAt: number | undefined
  const isDown = (): boolean => {
    firstAt ??= performance.now()
    const sinceMs = performance.now() - firstAt
    return sinceMs >= 2_000 && sinceMs < 3_000
  }
  const [url, control] = [await aServer(t, isDown), await aServer(t, isDown)]
  const words = [url, '--control', control, '--duration', '4s', '--max-failed', '5']
  const found = await probe([...words, '-o', 'json'])
  const [document] = linesOf(found.out)
  assert.equal(found.code, 0, found.out)
  // Which of two servers went down first is a matter of a millisecond, and a request at the very edge may count.
  assert.ok(Number(document?.failedRequests) <= 5, `${document?.failedRequests} count`)
  assert.ok(Number(document?.notCountedRequests) >= FEW.low, `${document?.notCountedRequests} are excused`)
})

test('so many failures as are allowed are a success', async (t) => {
  const url = await aServer(t, (nth) => nth === 20)
  assert.equal((await probe([url, '--duration', '500ms', '--max-failed', '1'])).code, 0)
})

test('events have numbers without a gap and the end is the last, also after Ctrl-C', async (t) => {
  const url = await aServer(t)
  const found = await probe([url, '--duration', '1h', '-o', 'jsonl'], pressOnceSent)
  assert.equal(found.code, 130)
  const events = linesOf(found.out)
  assert.deepEqual(
    events.map((event) => event.seq),
    events.map((_, i) => i + 1),
  )
  assert.equal(events[0]?.type, 'probe.started')
  assert.equal(events.at(-1)?.type, 'probe.ended')
  assert.equal(events.at(-1)?.outcome, 'interrupted')
})

test('without a duration Ctrl-C is how it ends, and the verdict stands', async (t) => {
  const url = await aServer(t)
  assert.equal((await probe([url, '-o', 'jsonl'], pressOnceSent)).code, 0)
})

test('wrong usage touches nothing and says what to write', async () => {
  const unitless = await probe(['http://127.0.0.1:1/', '--timeout', '2'])
  assert.equal(unitless.code, 2)
  assert.match(unitless.err, /"2" has no unit: write ms, s, min or h/)
  assert.equal((await probe([])).code, 2)
  assert.equal((await probe(['127.0.0.1:1'])).code, 2)
  assert.equal((await probe(['--help'])).code, 0)
})
