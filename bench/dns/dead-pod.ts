import { SocketAsker } from '../../src/dns/io/socket-asker.ts'
import { checkDns } from '../../src/dns/run/check-dns.ts'
import { mapAtOnce } from '../../src/ground/loop/map-at-once.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { objectsOf } from '../../test/support/dns/dns-world.ts'
import type { DeadPodDocument } from './dns-document.ts'
import { withResponders } from './responders.ts'

const CHECKS = 20
/** A check waits nearly all of its time. */
const AT_ONCE = 5
const TIMEOUT_MS = 1_000
/** Two rounds in which three queries wait for their timeout, and 500 to 1,000 ms between the rounds. */
const WAITS_MS = 2 * 3 * TIMEOUT_MS + 750

/** Whole checks of a cluster, one of whose two pods drops what comes over UDP, until the pod is named. */
export async function measureDeadPod(): Promise<DeadPodDocument> {
  return withResponders({ servers: 3, silent: 1 }, async ([dead, well, service]) => {
    if (dead === undefined || well === undefined || service === undefined) throw new Error('a server is missing')
    const parts = {
      objects: objectsOf(service, [dead, well]),
      asker: new SocketAsker(clock, random),
      loopback: { ask: async () => ({ kind: 'notAsked' as const, text: 'it is not measured' }) },
      control: { reaches: async () => true },
      clock,
      random,
      sought: {},
      timeoutMs: TIMEOUT_MS,
    }
    const checks = await mapAtOnce(Array.from({ length: CHECKS }), AT_ONCE, () =>
      checkDns(parts, new AbortController().signal),
    )
    const isNamed = ({ findings }: (typeof checks)[number]): boolean =>
      findings.some(({ code, subjects }) => code === 'UdpDead' && subjects.some(({ name }) => name === 'coredns-1'))
    return {
      bench: 'dns.deadPod',
      timeoutMs: TIMEOUT_MS,
      checks: CHECKS,
      missed: checks.filter((check) => check.rounds > 2 || !isNamed(check)).length,
      tookMs: checks.map(({ tookMs }) => Math.round(tookMs)),
      waitsMs: WAITS_MS,
    }
  })
}
