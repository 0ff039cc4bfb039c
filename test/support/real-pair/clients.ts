import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { ALONE, BACKENDS } from './pair-files.ts'
import type { RealPair } from './real-pair.ts'

const GREEN_IN_A_ROW = 100

export interface FailedRequest {
  readonly fromMs: number
  readonly toMs: number
  readonly why: string
}

interface Counted {
  readonly sent: number
  readonly failed: readonly FailedRequest[]
  readonly slowestMs: number
}

/** Servers behind the pair and clients before it, in a process in the namespace of both. */
export async function sendRequests(pair: RealPair, perSecond: number): Promise<() => Promise<Counted>> {
  const program = new URL(import.meta.url).pathname
  const args = ['netns', 'exec', pair.namespace('out'), process.execPath, program, String(perSecond)]
  const child = spawn('ip', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  return async () => {
    child.stdin.end()
    const { value } = await lines.next()
    if (child.exitCode === null) await once(child, 'exit')
    return JSON.parse(String(value)) as Counted
  }
}

/** An open loop: each request is sent at its time, over a connection of its own, whatever becomes of those before. */
async function run(perSecond: number): Promise<void> {
  for (const address of BACKENDS) {
    const server = createServer((_, response) => response.end(address))
    await once(server.listen(8080, address), 'listening')
  }
  const [failed, flights]: [FailedRequest[], Promise<void>[]] = [[], []]
  let [sent, slowestMs] = [0, 0]
  const send = async (): Promise<void> => {
    sent += 1
    const fromMs = Date.now()
    const why = await one()
    const toMs = Date.now()
    slowestMs = Math.max(slowestMs, toMs - fromMs)
    if (why !== undefined) failed.push({ fromMs, toMs, why })
  }
  // The balancers have found the servers down before these began.
  for (let inARow = 0; inARow < GREEN_IN_A_ROW; ) {
    inARow = (await one()) === undefined ? inARow + 1 : 0
    await pause(20)
  }
  process.stdout.write('ready\n')
  const startedAt = performance.now()
  const timer = setInterval(() => {
    while (sent < ((performance.now() - startedAt) / 1000) * perSecond) flights.push(send())
  }, 2)
  process.stdin.resume()
  await once(process.stdin, 'end')
  clearInterval(timer)
  await Promise.all(flights)
  process.stdout.write(`${JSON.stringify({ sent, failed, slowestMs })}\n`, () => process.exit(0))
}

const one = (): Promise<string | undefined> =>
  new Promise((resolve) => {
    const asked = request({ host: ALONE.virtualAddress, port: 80, agent: false, timeout: 5_000 }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode === 200 ? undefined : `status ${response.statusCode}`))
      response.once('error', (error) => resolve(error.message))
    })
    asked.once('timeout', () => asked.destroy(new Error('no answer')))
    asked.once('error', (error) => resolve(error.message))
    asked.end()
  })

if (process.argv[1] === new URL(import.meta.url).pathname) await run(Number(process.argv[2]))
