import { confirmed, needsConfirming } from '../../core/dns/confirmed.ts'
import { diagnose } from '../../core/dns/diagnosis/diagnose.ts'
import type { Finding } from '../../core/dns/diagnosis/finding.ts'
import { queriesToSeeAll } from '../../core/dns/sampling.ts'
import type { DnsScene, Path, VantageFacts } from '../../core/dns/scene.ts'
import { type DnsVerdict, verdictOf } from '../../core/dns/verdict.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DataPort } from '../../ports/data-port.ts'
import type { DnsAsker } from '../../ports/dns-asker.ts'
import type { DnsObjects } from '../../ports/dns-objects.ts'
import type { PodLoopback } from '../../ports/pod-loopback.ts'
import type { Random } from '../../ports/random.ts'
import { DeadlineError, withDeadline } from '../../runtime/deadline.ts'
import { type Deployment, findDeployment, type Sought } from './deployment.ts'
import { sweepLoopbacks } from './loopbacks.ts'
import { withSurroundings } from './surroundings.ts'
import { type SweepTarget, sweep, type Vantage } from './sweep.ts'

interface CheckParts {
  readonly objects: DnsObjects
  readonly asker: DnsAsker
  readonly loopback: PodLoopback
  readonly dataPort: DataPort
  readonly clock: Clock
  readonly random: Random
  readonly sought: Sought
  readonly timeoutMs: number
  /** Of this machine, where it is one of the cluster. */
  readonly node?: string
}

export interface DnsCheck {
  readonly verdict: DnsVerdict
  readonly findings: readonly Finding[]
  readonly scene: DnsScene
  readonly facts: Deployment['facts']
  readonly notes: readonly string[]
  readonly queries: number
  readonly rounds: 1 | 2
  readonly tookMs: number
}

/** Between two rounds, at least: what one burst lost is not lost again for the same reason. */
const BETWEEN_ROUNDS_MS = 500
const CONTROL_WITHIN_MS = 1_000
/** One lost packet must not make a place worthless. */
const CONTROL_TRIES = 2
const API_PORT = 443

/** One check: a round, and another one where the first saw something wrong. Rejects with UserError where nothing can be asked. */
export async function checkDns(parts: CheckParts, signal: AbortSignal): Promise<DnsCheck> {
  const { clock, random } = parts
  const begunAt = clock.monoMs()
  const deployment = await findDeployment(parts.objects, { sought: parts.sought, wallMs: clock.wallMs() }, signal)
  const vantage: Vantage = { facts: await fromHere(parts, deployment, signal), asker: parts.asker }
  const targets = targetsOf(deployment)
  const round = async (): Promise<Round> => {
    const swept = await sweep(vantage, { targets, facts: deployment.facts, timeoutMs: parts.timeoutMs, random }, signal)
    const { vantages, paths, ...rest } = await byWhatIsReached(
      { swept, here: vantage.facts, deployment, parts },
      signal,
    )
    return { scene: { ...deployment.known, api: 'answers', vantages, paths }, ...rest }
  }
  const seen = await seenIn(round, parts, signal)
  const { facts } = deployment
  const findings = diagnose(seen.scene)
  const notes = [...deployment.notes, ...seen.notes]
  return { ...seen, verdict: verdictOf(findings), findings, facts, notes, tookMs: clock.monoMs() - begunAt }
}

interface Round {
  readonly scene: DnsScene
  readonly notes: readonly string[]
  readonly queries: number
}

interface FromHere {
  readonly swept: { readonly paths: readonly Path[]; readonly queries: number }
  readonly here: VantageFacts
  readonly deployment: Deployment
  readonly parts: CheckParts
}

/**
 * What a round from here is worth. Where the network of Services is not reached and pods are, as by routes to them alone, only
 * pods are judged. Where nothing is reached, pods are asked on their own loopbacks.
 */
async function byWhatIsReached(
  { swept: { paths, queries }, here, deployment, parts }: FromHere,
  signal: AbortSignal,
): Promise<Omit<Round, 'scene'> & Pick<DnsScene, 'vantages' | 'paths'>> {
  if (here.control !== 'fails') return { vantages: [here], paths, notes: [], queries }
  const ofPods = paths.filter(({ target }) => target.kind === 'pod')
  const isReached = ({ reading: { udp, tcp } }: Path): boolean =>
    udp === 'answers' || udp === 'loses' || tcp === 'answers'
  if (ofPods.some(isReached)) {
    const notes = [`${here.name} reaches pods and not Services: pods alone are judged from there`]
    return { vantages: [{ ...here, control: 'answers' }], paths: ofPods, notes, queries }
  }
  const { known, facts } = deployment
  const { loopback, random, timeoutMs } = parts
  const { namespace } = known.service
  const inside = await sweepLoopbacks({ namespace, pods: known.pods, facts, loopback, random, timeoutMs }, signal)
  return {
    vantages: [here, ...(inside.vantage === undefined ? [] : [inside.vantage])],
    paths: [...paths, ...inside.paths],
    notes: inside.notes,
    queries: queries + inside.queries,
  }
}

/** One round, or where it saw something wrong two, and what lies around that. */
async function seenIn(
  round: () => Promise<Round>,
  parts: CheckParts,
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

/** Whether this place reaches the network of Services at all: the API's own address there, over TCP. */
async function fromHere(
  { dataPort, clock, node }: CheckParts,
  { facts }: Deployment,
  signal: AbortSignal,
): Promise<VantageFacts> {
  const [address] = facts.apiAddresses
  const at = { name: 'here', ...(node === undefined ? {} : { node }) }
  if (address === undefined) return { ...at, control: 'notAsked' }
  const limit = { clock, limitMs: CONTROL_WITHIN_MS, signal, what: 'the control' }
  for (let i = 0; i < CONTROL_TRIES; i += 1) {
    try {
      if (await withDeadline(limit, (limited) => dataPort.answers({ address, port: API_PORT }, limited)))
        return { ...at, control: 'answers' }
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error
    }
  }
  return { ...at, control: 'fails' }
}
