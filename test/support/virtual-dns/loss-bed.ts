import { type DnsCheck, DnsChecks } from '../../../src/dns/run/check-dns.ts'
import { QUERIES_PER_SECOND } from '../../../src/dns/run/paced-asker.ts'
import type { Place } from './dns-faults.ts'
import { DnsGround } from './dns-ground.ts'
import { DnsProcess } from './dns-process.ts'
import { dnsScenario } from './dns-scenario.ts'
import type { DnsSetup } from './dns-setup.ts'

/** Who loses: of two pods the first one, or the place that asks. */
export interface Loss {
  readonly of: 'pod' | 'place'
  readonly share: number
}

interface Counted {
  readonly checks: number
  /** How often each was said, such as `Loses the pod`. */
  readonly said: ReadonlyMap<string, number>
  /** Of one check, on the average. */
  readonly queries: number
  readonly seconds: number
}

/** Of all packets over UDP, where nothing is at fault. */
const BACKGROUND = 0.001
const USUAL: DnsSetup = {
  workload: 'Deployment',
  families: ['IPv4'],
  ...{ lacksIpv6: false, isHostNetwork: false, hasWindows: false, isFull: false, hasCaches: false, isIsolated: false },
  beside: 'nothing',
  policy: 'none',
  corefile: 'standard',
  lost: BACKGROUND,
  hasLoad: true,
  clocksAheadMs: [],
}
const CHECK_LIMIT_MS = 600_000

/** Checks of a healthy cluster of two pods of DNS, one after the other in virtual time, of which queries are lost by chance. */
export class LossBed {
  readonly #ground: DnsGround
  readonly #here: Place

  private constructor(ground: DnsGround) {
    this.#ground = ground
    this.#here = ground.placeOf({ kind: 'host', pick: 0 }, { name: 'here', owner: 'checks' })
  }

  static async open(): Promise<LossBed> {
    return new LossBed(await DnsGround.open({ ...dnsScenario('loss'), nodes: 3, replicas: 2, setup: USUAL }))
  }

  end(): void {
    this.#ground.end()
  }

  /** So many checks from a node, or from two relays as well. Absent: nothing but chance loses. */
  async checked(checks: number, from: 'node' | 'relays', loss?: Loss): Promise<Counted> {
    const ground = this.#ground
    const { cluster, pods, board } = ground
    const process = new DnsProcess({
      ...{ ground, place: this.#here, outside: {}, clockAheadMs: 0, perSecond: QUERIES_PER_SECOND },
      hasRelays: from === 'relays',
      onRelay: () => undefined,
    })
    const [pod] = pods.serving()
    const { node = '' } = this.#here
    const fault = { fromMs: 0, toMs: 0, pick: 0, share: loss?.share ?? 0 }
    if (loss?.of === 'pod') board.begin({ ...fault, kind: 'loses', pod: pod?.uid ?? '' })
    if (loss?.of === 'place') board.begin({ ...fault, kind: 'placeLoses', node })
    const running = new DnsChecks(process.checks)
    const words = new Map([
      [pod?.name ?? '', 'the pod'],
      [node, 'the place'],
    ])
    try {
      return await count(checks, words, async () => {
        const never = new AbortController().signal
        return cluster.time.settle(running.next({}, never), CHECK_LIMIT_MS)
      })
    } finally {
      await cluster.time.settle(running.close(), CHECK_LIMIT_MS)
      for (const one of board.active) board.end(one)
    }
  }
}

async function count(
  checks: number,
  words: ReadonlyMap<string, string>,
  next: () => Promise<DnsCheck>,
): Promise<Counted> {
  const said = new Map<string, number>()
  let [queries, seconds] = [0, 0]
  for (let one = 0; one < checks; one += 1) {
    const check = await next()
    const text = check.findings
      .map(({ code, subjects }) => [code, ...subjects.map(({ name }) => words.get(name) ?? name)].join(' '))
      .join(', ')
    said.set(text, (said.get(text) ?? 0) + 1)
    queries += check.queries / checks
    seconds += check.tookMs / 1_000 / checks
  }
  return { checks, said, queries, seconds }
}
