import { confirmed, needsConfirming } from '../../core/dns/confirmed.ts'
import { diagnose } from '../../core/dns/diagnosis/diagnose.ts'
import type { Finding } from '../../core/dns/diagnosis/finding.ts'
import { queriesToSeeAll } from '../../core/dns/sampling.ts'
import type { DnsScene } from '../../core/dns/scene.ts'
import { type DnsVerdict, verdictOf } from '../../core/dns/verdict.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ControlProbe } from '../../ports/control-probe.ts'
import type { DnsAsker } from '../../ports/dns-asker.ts'
import type { DnsObjects } from '../../ports/dns-objects.ts'
import type { DnsRelays, OpenRelays } from '../../ports/dns-relays.ts'
import type { PodCounters } from '../../ports/pod-counters.ts'
import type { PodLoopback } from '../../ports/pod-loopback.ts'
import type { Random } from '../../ports/random.ts'
import { DeadlineError, withDeadline } from '../../runtime/deadline.ts'
import { type Deployment, findDeployment, type Sought } from './deployment.ts'
import { relayNodes, vantagesOf } from './places.ts'
import { askRound, type Round } from './round.ts'
import { withSurroundings } from './surroundings.ts'
import type { SweepTarget, Vantage } from './sweep.ts'

interface CheckParts {
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
  /** Of this machine, where it is one of the cluster. */
  readonly node?: string
  /** Absent: nothing is made in the cluster. */
  readonly relays?: readonly DnsRelays[]
}

export interface DnsCheck {
  readonly verdict: DnsVerdict
  readonly findings: readonly Finding[]
  readonly scene: DnsScene
  readonly facts: Deployment['facts']
  /** Of its Service. */
  readonly selector: Readonly<Record<string, string>>
  readonly notes: readonly string[]
  readonly queries: number
  readonly rounds: 1 | 2
  readonly tookMs: number
}

/** Between two rounds, at least: what one burst lost is not lost again for the same reason. */
const BETWEEN_ROUNDS_MS = 500
/** Relays end by themselves where this is not enough. */
const RELAYS_CLOSED_WITHIN_MS = 5_000

/** One check: a round, and another one where the first saw something wrong. Rejects with UserError where nothing can be asked. */
export async function checkDns(parts: CheckParts, signal: AbortSignal): Promise<DnsCheck> {
  const { clock, relays = [] } = parts
  const begunAt = clock.monoMs()
  const deployment = await findDeployment(parts.objects, { sought: parts.sought, wallMs: clock.wallMs() }, signal)
  const opened = await allOpen(relays, relayNodes(deployment), signal)
  try {
    const vantages = await vantagesOf({ here: parts, relays: opened.relays, clock }, deployment, signal)
    const targets = targetsOf(deployment)
    const round = () => askRound({ ...parts, vantages, targets, deployment }, signal)
    const seen = await seenIn(round, { ...parts, vantages }, signal)
    const findings = diagnose(seen.scene)
    const notes = [...deployment.notes, ...opened.notes, ...seen.notes]
    const left = await closed(opened, clock)
    return {
      ...seen,
      verdict: verdictOf(findings),
      findings,
      facts: deployment.facts,
      selector: deployment.selector,
      notes: [...notes, ...left],
      tookMs: clock.monoMs() - begunAt,
    }
  } catch (error) {
    await closed(opened, clock)
    throw error
  }
}

async function allOpen(
  relays: readonly DnsRelays[],
  nodes: readonly string[],
  signal: AbortSignal,
): Promise<OpenRelays> {
  const open: OpenRelays[] = []
  const close: OpenRelays['close'] = async (closing) =>
    (await Promise.all(open.map((one) => one.close(closing)))).flat()
  try {
    for (const one of relays) open.push(await one.open(nodes, signal))
  } catch (error) {
    await close(new AbortController().signal)
    throw error
  }
  return { relays: open.flatMap((one) => one.relays), notes: open.flatMap(({ notes }) => notes), close }
}

/** What could not be taken away, a sentence each: relays go away with the check, however that ends. */
async function closed(opened: OpenRelays, clock: Clock): Promise<readonly string[]> {
  const limit = {
    clock,
    limitMs: RELAYS_CLOSED_WITHIN_MS,
    signal: new AbortController().signal,
    what: 'the API server',
  }
  try {
    return await withDeadline(limit, (limited) => opened.close(limited))
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    return [`relays were not deleted (${error.message}): they end by themselves within a minute`]
  }
}

/** One round, or where it saw something wrong two, and what lies around that. */
async function seenIn(
  round: () => Promise<Round>,
  parts: CheckParts & { readonly vantages: readonly Vantage[] },
  signal: AbortSignal,
): Promise<Pick<DnsCheck, 'scene' | 'notes' | 'queries' | 'rounds'>> {
  const first = await round()
  if (!needsConfirming(first.scene)) return { ...first, rounds: 1 }
  await parts.clock.sleep(BETWEEN_ROUNDS_MS * (1 + parts.random.next()), signal)
  const second = await round()
  const { scene, notes, queries } = await withSurroundings(confirmed(second.scene, first.scene), parts, signal)
  return { scene, notes: [...second.notes, ...notes], queries: first.queries + second.queries + queries, rounds: 2 }
}

function targetsOf({ known, serviceAt, outsideAt }: Deployment): readonly SweepTarget[] {
  const { pods, service, nodeLocal } = known
  // One more than serve: a dead one that kube-proxy has kept is met as well.
  const samples = queriesToSeeAll(service.serving + 1)
  const asService = (address: string, port: number): SweepTarget => ({
    target: { kind: 'service', name: port === serviceAt.port ? address : `${address}:${port}` },
    at: { address, port },
    samples: service.isUneven ? 1 : samples,
  })
  return [
    ...pods
      .filter(({ terminating }) => !terminating)
      .flatMap(({ name, addresses, port }): SweepTarget[] =>
        addresses.slice(0, 1).map((address) => ({ target: { kind: 'pod', name }, at: { address, port } })),
      ),
    ...serviceAt.addresses.map((address) => asService(address, serviceAt.port)),
    ...(nodeLocal
      ? service.addresses.map(
          (address): SweepTarget => ({
            target: { kind: 'cache', name: address },
            at: { address, port: serviceAt.port },
          }),
        )
      : []),
    ...outsideAt.map(({ address, port }) => asService(address, port)),
  ]
}
