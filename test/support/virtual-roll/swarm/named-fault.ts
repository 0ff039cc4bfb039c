import type { Step } from '../../../../src/roll/model/step.ts'
import type { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import type { Cell, FaultName } from './cells.ts'
import { type ApiTrouble, CURRENT, type Fault, OTHER } from './fault.ts'

/** Of all requests, unless said otherwise here. */
const SHARES: Partial<Readonly<Record<ApiTrouble, number>>> = {
  conflicts: 0.7,
  tooMany: 0.7,
  errors: 0.7,
  cut: 0.7,
  doneErrors: 0.7,
  foreign: 0.7,
}
const LONGEST_MS: Partial<Readonly<Record<ApiTrouble, number>>> = { evictionsUnheard: 12_000, staleLists: 20_000 }

/** A slot is renewed every 2.5 s, and in some steps nothing else is asked for. */
const SHORTEST_MS = 2_500

/** The node under way is not cordoned by the roll in these. */
const SCHEDULABLE: ReadonlySet<Step> = new Set(['slot', 'record', 'cordon', 'settle', 'attach', 'soak'])

/** The fault of a cell as a cue brings it about: its times count from the cue. */
export function namedFault(random: SeededRandom, { step, fault: name }: Cell): readonly Fault[] {
  const lasting = (longestMs: number) => ({ fromMs: 0, toMs: random.between(SHORTEST_MS, longestMs) })
  const node = random.next() < 0.7 ? CURRENT : OTHER
  const server = `${random.next() < 0.5 ? 'web' : 'edge'}/${node}`
  if (name.startsWith('api.')) return apiFaults(random, name.slice('api.'.length) as ApiTrouble)
  switch (name as Exclude<FaultName, `api.${string}`>) {
    case 'watchesStop':
    case 'logForgotten':
    case 'leaseDeleted':
    case 'kill':
    case 'amended':
    case 'journalLost':
      return [{ kind: name as 'kill', atMs: 0 }]
    case 'oneWatchStops.nodes':
    case 'oneWatchStops.pods':
      return [{ kind: 'oneWatchStops', atMs: 0, of: name.slice('oneWatchStops.'.length) as 'nodes' }]
    case 'weight0':
      return [{ kind: 'weight0', server, ...lasting(8_000) }]
    case 'podComes':
    case 'volumeLeaks':
      return [{ kind: name as 'podComes', node: CURRENT, ...lasting(10_000) }]
    case 'balancerSilent':
      return [{ kind: 'balancerSilent', ...lasting(8_000) }]
    case 'balancerSlow':
      return [{ kind: 'balancerSlow', ...lasting(12_000), byMs: random.between(100, 4_000) }]
    case 'reload.forgets':
    case 'reload.keeps':
      return [{ kind: 'reload', atMs: 0, keepsStates: name === 'reload.keeps' }]
    case 'byHand.drain':
    case 'byHand.maint':
    case 'byHand.ready':
      return [{ kind: 'byHand', atMs: 0, server, to: name.slice('byHand.'.length) as 'ready' }]
    case 'partition':
      return [{ kind: 'partition', node, ...lasting(6_000) }]
    case 'ssh.ignored':
    case 'ssh.lost':
    case 'ssh.refused':
    case 'ssh.unheard':
    case 'ssh.unreached':
      return [{ kind: 'ssh', luck: name.slice('ssh.'.length) as 'lost', ...lasting(20_000) }]
    case 'machine.slow':
      return [{ kind: 'machine', node: CURRENT, luck: { kind: 'slow', byMs: random.between(1_000, 25_000) } }]
    case 'machine.never':
    case 'machine.neverReady':
    case 'machine.noKubelet':
      return [{ kind: 'machine', node: CURRENT, luck: { kind: name.slice('machine.'.length) as 'never' } }]
    case 'nodeAnew':
      return [{ kind: 'nodeAnew', atMs: 0, node: CURRENT, againMs: random.between(50, 8_000) }]
    case 'nodeDies':
      return [{ kind: 'nodeDies', node: OTHER, ...lasting(20_000) }]
    case 'cordoned':
      return [{ kind: 'cordon', atMs: 0, node: SCHEDULABLE.has(step) ? node : OTHER, to: true }]
    case 'uncordoned':
      return [{ kind: 'cordon', atMs: 0, node: CURRENT, to: false }]
    case 'clock':
      return [{ kind: 'clock', atMs: 0, byMs: random.between(-10_000, 60_000) }]
    case 'journal.failing':
    case 'journal.full':
    case 'journal.slow':
      return [
        {
          kind: 'journal',
          luck: name.slice('journal.'.length) as 'slow',
          ...lasting(12_000),
          byMs: random.between(50, 3_000),
        },
      ]
  }
}

function apiFaults(random: SeededRandom, what: ApiTrouble): readonly Fault[] {
  const toMs = random.between(SHORTEST_MS, LONGEST_MS[what] ?? 8_000)
  const trouble: Fault = { kind: 'api', what, share: SHARES[what] ?? 1, fromMs: 0, toMs }
  // Nothing is listed anew unless a watch cannot go on.
  return what === 'staleLists' ? [trouble, { kind: 'logForgotten', atMs: 0 }] : [trouble]
}
