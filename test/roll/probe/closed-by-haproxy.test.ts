import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import net, { type Socket } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import { ChildProbeSource } from '../../../src/ground/machine/child-probe-source.ts'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { LedgerProbe } from '../../../src/roll/probe/ledger-probe.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { ephemeralPort } from '../../support/ephemeral-port.ts'
import { LocalHaproxy } from '../../support/local-haproxy.ts'
import { Origin } from '../../support/origin.ts'
import { requires } from '../../support/requires.ts'
import { aTarget } from '../decide/availability/a-sample.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/probe-process.ts', import.meta.url))
/** Each of eight kept connections is used every 160 ms, and HAProxy closes what is idle shortly before. */
const KEEP_ALIVE_MS = 140
const PERIOD_MS = 160
const RACES_WANTED = 5

interface Judged {
  sent: number
  failed: number
  repeated: number
}

/**
 * A client of the test's own, which shares nothing with the prober: one request after another over a connection that it keeps. Where
 * that is closed before a byte of an answer came, it asks once more over another one.
 */
class JudgingClient {
  readonly judged: Judged = { sent: 0, failed: 0, repeated: 0 }
  readonly #dial: () => Socket
  #socket: Socket | undefined
  #isOver = false

  constructor(dial: () => Socket) {
    this.#dial = dial
  }

  async run(): Promise<void> {
    for (let dueAt = performance.now(); !this.#isOver; dueAt += PERIOD_MS) {
      await pause(Math.max(0, dueAt - performance.now()))
      const kept = this.#socket?.destroyed === false && this.#socket.readable ? this.#socket : undefined
      let heard = await this.#ask(kept ?? this.#dial())
      if (kept !== undefined && heard === '') {
        this.judged.repeated += 1
        heard = await this.#ask(this.#dial())
      }
      this.judged.sent += 1
      if (!heard.startsWith('HTTP/1.1 200 ')) this.judged.failed += 1
    }
    this.#socket?.destroy()
  }

  stop(): void {
    this.#isOver = true
  }

  /** All that came until the end of the answer, or of the connection. */
  #ask(socket: Socket): Promise<string> {
    this.#socket = socket
    return new Promise((resolve) => {
      let text = ''
      const over = (): void => {
        for (const event of ['data', 'end', 'close', 'error']) socket.removeAllListeners(event)
        socket.on('error', () => socket.destroy())
        socket.once('end', () => socket.destroy())
        resolve(text)
      }
      socket.removeAllListeners('end')
      socket.on('data', (chunk) => {
        text += chunk.toString()
        if (text.endsWith('\r\n\r\nok')) over()
      })
      for (const event of ['end', 'close', 'error']) socket.once(event, over)
      socket.write('GET / HTTP/1.1\r\nhost: judge\r\n\r\n')
    })
  }
}

/** A real HAProxy with a short time for idle connections, in front of a server that always answers. */
async function front(t: TestContext, secure: boolean) {
  const [origin, port] = [await Origin.start(t), await ephemeralPort()]
  const pem = ['cert', 'key'].map((name) =>
    readFileSync(new URL(`../../ground/net/fixtures/self-signed-${name}.pem`, import.meta.url), 'utf8'),
  )
  const sections = (directory: string): string => `
frontend front
  timeout http-keep-alive ${KEEP_ALIVE_MS}ms
  bind 127.0.0.1:${port}${secure ? ` ssl crt ${join(directory, 'both.pem')}` : ''}
  default_backend web
backend web
  server a 127.0.0.1:${origin.port}
`
  const global = (directory: string): string => {
    writeFileSync(join(directory, 'both.pem'), pem.join('\n'))
    return ''
  }
  const haproxy = await LocalHaproxy.start(t, { sections, global, kind: 'master and worker' })
  const dial = (): Socket => {
    const to = { host: '127.0.0.1', port }
    const socket = secure ? tls.connect({ ...to, rejectUnauthorized: false }) : net.connect(to)
    return socket.setNoDelay()
  }
  return { haproxy, dial, url: `${secure ? 'https' : 'http'}://127.0.0.1:${port}/` }
}

/** Stands still for 45 ms again and again, as behind other programs on a busy machine, until told to stop. */
async function heldDown(pid: number, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    process.kill(pid, 'SIGSTOP')
    await pause(45)
    process.kill(pid, 'SIGCONT')
    await pause(70)
  }
}

for (const secure of [false, true]) {
  test(
    `a prober that is held down meets connections that HAProxy has just closed, and reports no failure; ${secure ? 'TLS' : 'plain'}`,
    requires('haproxy'),
    async (t) => {
      const { haproxy, dial, url } = await front(t, secure)
      const clients = Array.from({ length: 4 }, () => new JudgingClient(dial))
      const judging = clients.map((client) => client.run())
      const targets = [aTarget({ url, keptConnections: 8, insecure: true })]
      const pids: number[] = []
      const onSpawn = (pid: number): void => void pids.push(pid)
      const source = new ChildProbeSource({
        program: PROGRAM,
        targets,
        clock: systemClock,
        random: systemRandom,
        onSpawn,
      })
      const probe = new LedgerProbe({ targets, source, clock: systemClock })
      const stop = new AbortController()
      const running = probe.run(() => undefined, stop.signal)
      const status = () => probe.status()
      const retried = () => status().lanes.reduce((sum, lane) => sum + (lane.retried ?? 0), 0)
      await waitFor({ what: 'the first answers', limitMs: 30_000 }, () => status().greenStreak > 50 || undefined)
      const release = new AbortController()
      const end = async (): Promise<void> => {
        release.abort()
        await holding
        stop.abort(new Error('enough'))
        await running
        for (const client of clients) client.stop()
        await Promise.all(judging)
      }
      const holding = heldDown(pids[0] ?? 0, release.signal)
      t.after(end)
      const enough = { what: `${RACES_WANTED} lost races`, limitMs: 30_000, explain: () => JSON.stringify(status()) }
      await waitFor(enough, () => retried() >= RACES_WANTED || undefined)
      for (let reloads = 0; reloads < 3; reloads += 1) await haproxy.reload()
      await end()
      const [kept] = status().lanes.filter(({ lane }) => lane === 'kept')
      assert.deepEqual(status().windows, [])
      assert.ok((kept?.retried ?? 0) >= RACES_WANTED)
      assert.equal(status().lanes.find(({ lane }) => lane === 'new')?.retried, undefined)
      for (const { judged } of clients) assert.deepEqual([judged.failed, judged.sent > 0], [0, true])
    },
  )
}
