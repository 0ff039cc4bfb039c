/**
 * What the polls of a balancer cost HAProxy and us: five times a second everything, and, in turns with that, everything at
 * every fourth poll and one node's servers at the others. `node bench/poll.ts [SERVERS]` (2000). Prints a line, then JSON.
 */
import { execFileSync } from 'node:child_process'
import { loadavg } from 'node:os'
import process from 'node:process'
import { systemClock } from '../src/ground/machine/system-clock.ts'
import { systemRandom } from '../src/ground/machine/system-random.ts'
import { HaproxyBalancer } from '../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import { BenchHaproxy } from './poll/bench-haproxy.ts'
import type { PollCost, PollDocument } from './poll/poll-document.ts'
import { spentMs } from './virtual/spent-ms.ts'

const BACKENDS = ['web', 'edge']
const ROUNDS = 9
/** A round is so many polls, one right after the other. */
const POLLS = 40
const POLLS_A_SECOND = 5
const WHOLE_EVERY = 4

const never = new AbortController().signal
const servers = Number(process.argv[2] ?? 2_000)
const haproxy = await BenchHaproxy.start(BACKENDS, servers / BACKENDS.length)
const instance = { name: 'lb-1', address: { kind: 'unix', path: haproxy.socket } } as const
const balancer = new HaproxyBalancer({
  spec: { name: 'edge', instances: [instance], backends: BACKENDS },
  clock: systemClock,
  random: systemRandom,
})
const own = BACKENDS.map((backend) => ({ instance: 'lb-1', backend, server: 'n7' }))

async function polled(looks: boolean): Promise<void> {
  for (let poll = 0; poll < POLLS; poll += 1) {
    const isLook = looks && poll % WHOLE_EVERY > 0
    const reading = await (isLook ? balancer.readCounters('lb-1', own, never) : balancer.read('lb-1', never))
    if (reading?.servers.length !== servers) throw new Error('a poll did not tell all servers')
  }
}

async function costOf(looks: boolean): Promise<PollCost> {
  const [haproxyBefore, oursBefore] = [haproxy.spentMs(), process.cpuUsage()]
  await polled(looks)
  const seconds = POLLS / POLLS_A_SECOND
  return { haproxyMs: (haproxy.spentMs() - haproxyBefore) / seconds, oursMs: spentMs(oursBefore) / seconds }
}

function median(costs: readonly PollCost[]): PollCost {
  const middle = (key: keyof PollCost): number => {
    const sorted = costs.map((cost) => cost[key]).toSorted((a, b) => a - b)
    return Math.round(100 * (sorted[Math.floor(sorted.length / 2)] ?? 0)) / 100
  }
  return { haproxyMs: middle('haproxyMs'), oursMs: middle('oursMs') }
}

const [whole, looks]: [PollCost[], PollCost[]] = [[], []]
// The first round compiles.
for (let round = 0; round <= ROUNDS; round += 1) {
  const costs = [await costOf(false), await costOf(true)] as const
  if (round === 0) continue
  whole.push(costs[0])
  looks.push(costs[1])
}
await haproxy.stop()
const found: PollDocument = {
  bench: 'poll',
  haproxy: execFileSync('haproxy', ['-v'], { encoding: 'utf8' }).split('\n')[0] ?? '',
  servers,
  rounds: ROUNDS,
  whole: median(whole),
  looks: median(looks),
  loadAverage: Math.round(10 * (loadavg()[0] ?? 0)) / 10,
}
process.stdout.write(
  `a second of polls, ${servers} servers: HAProxy ${found.looks.haproxyMs} ms (everything each time ${found.whole.haproxyMs} ms), ` +
    `we ${found.looks.oursMs} ms (${found.whole.oursMs} ms)\n${JSON.stringify(found)}\n`,
)
