import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SocketAsker } from '../../src/dns/io/socket-asker.ts'
import type { DnsQuery } from '../../src/dns/ports/dns-asker.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { ZONE } from '../../test/dns/decide/a-zone.ts'
import type { MemoryDocument, MemoryLook } from './dns-document.ts'
import { withResponders } from './responders.ts'

const QUERIES = 1_000_000
const LOOK_EVERY = 100_000
const AT_ONCE = 64
const SERVERS = 10
/** Short where queries are dropped on purpose: a tenth of a million waits for it. */
const [TIMEOUT_MS, TIMEOUT_OF_DROPPED_MS] = [1_000, 25]
/** A machine that is too busy for all of them asks fewer. */
const SECONDS_MOST = 240

/** Memory of this process under a million queries of one asker, each for another name, with servers of another process. */
export async function measureMemory(dropOneIn?: number): Promise<MemoryDocument> {
  const wanted = { servers: SERVERS, ...(dropOneIn === undefined ? {} : { dropOneIn }) }
  return withResponders(wanted, async (servers) => {
    const asker = new SocketAsker(clock, random)
    const looks: MemoryLook[] = []
    const timeoutMs = dropOneIn === undefined ? TIMEOUT_MS : TIMEOUT_OF_DROPPED_MS
    const never = new AbortController().signal
    const begunAt = clock.monoMs()
    const seconds = (): number => Math.round((clock.monoMs() - begunAt) / 1_000)
    let [asked, unanswered] = [0, 0]
    const ask = async (until: number): Promise<void> => {
      while (asked < until) {
        const at = servers[asked % servers.length]
        asked += 1
        if (at === undefined) throw new Error('there is no server')
        const { kind } = await asker.ask({ at, timeoutMs, question: newName(), over: 'udp' }, never)
        if (kind !== 'reply') unanswered += 1
      }
    }
    while (asked < QUERIES && seconds() < SECONDS_MOST) {
      const until = asked + LOOK_EVERY
      await Promise.all(Array.from({ length: AT_ONCE }, () => ask(until)))
      looks.push({ queries: asked, ...memoryNow() })
    }
    return {
      bench: 'dns.memory',
      ...(dropOneIn === undefined ? {} : { dropOneIn }),
      atOnce: AT_ONCE,
      seconds: seconds(),
      unanswered,
      looks,
    }
  })
}

const newName = (): DnsQuery['question'] => ({
  name: `evenkeel-${random.hex(6)}.default.svc.${ZONE.zone}`,
  type: 'A',
  class: 'IN',
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function memoryNow(): Omit<MemoryLook, 'queries'> {
  // What the first one only marks or still finalizes, the second one frees.
  collect()
  collect()
  const { rss, heapUsed } = process.memoryUsage()
  return { residentMb: mb(rss), heapMb: mb(heapUsed) }
}

const mb = (bytes: number): number => Math.round(bytes / 10_000) / 100
