import type { Endpoint } from '../../ground/model/endpoint.ts'
import { present } from '../../ground/model/present.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import { confirmed, needsConfirming } from '../decide/confirmed.ts'
import { diagnose } from '../decide/diagnosis/diagnose.ts'
import type { DnsFinding } from '../decide/diagnosis/finding.ts'
import { queriesToSeeAll } from '../decide/sampling.ts'
import type { DnsScene } from '../decide/scene.ts'
import { type DnsVerdict, verdictOf } from '../decide/verdict.ts'
import type { ControlProbe } from '../ports/control-probe.ts'
import type { DnsAsker } from '../ports/dns-asker.ts'
import type { DnsObjects } from '../ports/dns-objects.ts'
import type { DnsRelays } from '../ports/dns-relays.ts'
import type { PodCounters } from '../ports/pod-counters.ts'
import type { PodLoopback } from '../ports/pod-loopback.ts'
import { withAskedZone } from './asked-zone.ts'
import type { Deployment, Sought } from './deployment.ts'
import { foundAgain, foundNow, stillThere } from './found-again.ts'
import { askedOnceMore } from './once-more.ts'
import { QUERIES_PER_SECOND } from './paced-asker.ts'
import { relayNodes, vantagesOf } from './places.ts'
import { RelayPool } from './relay-pool.ts'
import { askRound, type Round } from './round.ts'
import { withSurroundings } from './surroundings.ts'
import type { SweepTarget, Vantage } from './sweep.ts'

export interface CheckParts {
  readonly objects: DnsObjects
  readonly asker: DnsAsker
  readonly loopback: PodLoopback
  /** Absent: what pods count themselves is not read. */
  readonly counters?: PodCounters
  readonly control: ControlProbe
  readonly clock: Clock
  readonly random: Random
  readonly sought: Sought
  readonly timeoutMs: number
  /** From one place at most; 800 where it is absent. */
  readonly queriesPerSecond?: number
  /** Of this machine, where it is one of the cluster. */
  readonly node?: string
  /** Absent: nothing is made in the cluster. */
  readonly relays?: readonly DnsRelays[]
}

export interface DnsCheck {
  readonly verdict: DnsVerdict
  readonly findings: readonly DnsFinding[]
  readonly scene: DnsScene
  readonly askedZone: Deployment['askedZone']
  /** As its deployment says; absent: it is known. */
  readonly isZoneAssumed?: true
  /** Of its Service. */
  readonly selector: Readonly<Record<string, string>>
  readonly notes: readonly string[]
  readonly queries: number
  /** From one place at most. */
  readonly queriesPerSecond: number
  readonly rounds: 1 | 2
  readonly tookMs: number
}

/** Of each resolver in a resolv.conf. */
const DNS_PORT = 53
/** What was listed so long ago is listed again before it is asked: pods may be gone. */
const OLD_AFTER_MS = 2_000
/** Between two rounds, at least: what one burst lost is not lost again for the same reason. */
const BETWEEN_ROUNDS_MS = 500
/** One check. Its relays go away with it, however it ends. Rejects with UserError where nothing can be asked. */
export async function checkDns(parts: CheckParts, signal: AbortSignal): Promise<DnsCheck> {
  const checks = new DnsChecks(parts)
  try {
    const check = await checks.next({}, signal)
    return { ...check, notes: [...check.notes, ...(await checks.close())] }
  } finally {
    await checks.close()
  }
}

/** Checks one after another, from relays that stay until `close`. */
export class DnsChecks {
  readonly #parts: CheckParts
  readonly #relays: RelayPool

  constructor(parts: CheckParts) {
    this.#parts = parts
    this.#relays = new RelayPool(parts.relays ?? [], parts.clock)
  }

  /**
   * A round, and another one where the first saw something wrong. `from`: the nodes that relays are to run on, where the check is to
   * choose none. Rejects with UserError where nothing can be asked, with WorldError KUBE_*, or with the signal's reason.
   */
  async next({ from }: { readonly from?: readonly string[] }, signal: AbortSignal): Promise<DnsCheck> {
    const { clock, random, timeoutMs, queriesPerSecond = QUERIES_PER_SECOND } = this.#parts
    const begunAt = clock.monoMs()
    const first = await foundNow(this.#parts, signal)
    const listedAt = clock.monoMs()
    const { relays, notes, isNew } = await this.#relays.on(from ?? relayNodes(first), signal)
    const vantages = await vantagesOf({ here: this.#parts, relays, clock, random, queriesPerSecond }, first, signal)
    const isOld = isNew || clock.monoMs() - listedAt >= OLD_AFTER_MS
    const listed = isOld ? await foundAgain(first, this.#parts, signal) : first
    const asked = { vantages, targets: targetsOf(listed), timeoutMs }
    const found = await withAskedZone(listed, asked, signal)
    const { deployment, ...seen } = await seenIn(found, { ...this.#parts, vantages }, signal)
    const findings = diagnose(seen.scene)
    return {
      ...seen,
      queriesPerSecond,
      verdict: verdictOf(findings),
      findings,
      askedZone: deployment.askedZone,
      ...(deployment.isZoneAssumed ? { isZoneAssumed: true } : {}),
      selector: deployment.selector,
      notes: [...deployment.notes, ...notes, ...seen.notes],
      tookMs: clock.monoMs() - begunAt,
    }
  }

  /** Takes the relays away. Resolves with what could not be taken away, a sentence each. */
  close(): Promise<readonly string[]> {
    return this.#relays.close()
  }
}

interface Seen extends Pick<DnsCheck, 'scene' | 'notes' | 'queries' | 'rounds'> {
  /** As it was asked last. */
  readonly deployment: Deployment
}

/** One round, or where it saw something wrong two, and what lies around that. */
async function seenIn(
  found: Deployment,
  parts: CheckParts & { readonly vantages: readonly Vantage[] },
  signal: AbortSignal,
): Promise<Seen> {
  const round = (deployment: Deployment): Promise<Round> =>
    askRound({ ...parts, targets: targetsOf(deployment), deployment }, signal)
  const first = await round(found)
  if (!needsConfirming(first.scene)) return { ...first, deployment: found, rounds: 1 }
  await parts.clock.sleep(BETWEEN_ROUNDS_MS * (1 + parts.random.next()), signal)
  const deployment = stillThere(await foundAgain(found, parts, signal), found)
  const second = await round(deployment)
  const { askedZone, dnsPorts } = deployment
  const more = await askedOnceMore(confirmed(second.scene, first.scene), { ...parts, askedZone, dnsPorts }, signal)
  const { scene, notes, queries } = await withSurroundings(more.scene, { ...parts, askedZone }, signal)
  return {
    scene,
    deployment,
    notes: [...second.notes, ...notes],
    queries: first.queries + second.queries + more.queries + queries,
    rounds: 2,
  }
}

function targetsOf({ known, serviceAt, cachesAt, outsideAt }: Deployment): readonly SweepTarget[] {
  const { pods, service, nodeLocal } = known
  // One more than serve: a dead one that kube-proxy has kept is met as well.
  const samples = queriesToSeeAll(service.serving + 1)
  const asService = (kind: 'service' | 'exposed', at: Endpoint, tcpPort?: number): SweepTarget => ({
    target: { kind, name: kind === 'service' ? at.address : `${at.address} port ${at.port}` },
    at,
    ...present({ tcpPort }),
    samples: service.isUneven ? 1 : samples,
  })
  return [
    ...pods
      .filter(({ terminating }) => !terminating)
      .flatMap(({ name, addresses, port }): SweepTarget[] =>
        addresses.map((address) => ({
          target: { kind: 'pod', name, ...(addresses.length > 1 ? { address } : {}) },
          at: { address, port },
        })),
      ),
    ...serviceAt.addresses.map((address) => asService('service', { address, port: serviceAt.port })),
    ...(nodeLocal ? service.addresses : []).map((address) => asCache({ address, port: serviceAt.port })),
    ...cachesAt.map((address): SweepTarget => ({ ...asCache({ address, port: DNS_PORT }), from: 'nodes' })),
    ...outsideAt.map(({ tcpPort, ...at }): SweepTarget => ({ ...asService('exposed', at, tcpPort), from: 'cutOff' })),
  ]
}

const asCache = (at: Endpoint): SweepTarget => ({ target: { kind: 'cache', name: at.address }, at })
