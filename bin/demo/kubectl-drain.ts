import type { EvictionAnswer } from '../../src/ground/model/eviction.ts'
import { isDaemonSetPod, isFinished, type Pod } from '../../src/ground/model/pod.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'
import type { Clock } from '../../src/ground/ports/clock.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'

/** kubectl, drain.go: an eviction that a budget refuses is repeated after 5 s. */
const REFUSED_AGAIN_MS = 5_000
const DRAIN_LIMIT_MS = 120_000
const POLL_EVERY_MS = 500

interface DrainPlace {
  readonly cluster: Pick<Cluster, 'list' | 'evict'>
  readonly clock: Clock
}

interface Drained {
  readonly node: string
  readonly isMeant?: (pod: Pod) => boolean
  /** Called for each eviction that a budget refused. */
  readonly onRefused?: (pod: Pod) => void
}

export async function setCordon(
  cluster: Pick<Cluster, 'patchNode'>,
  { node, cordoned }: { readonly node: string; readonly cordoned: boolean },
  signal: AbortSignal,
): Promise<void> {
  const path = '/spec/unschedulable'
  await cluster.patchNode(node, [cordoned ? { op: 'add', path, value: true } : { op: 'remove', path }], signal)
}

/**
 * Like `kubectl drain --ignore-daemonsets` after its cordon: all evictions are requested at once; it ends when no pod is left.
 */
export async function drainAsKubectl(
  { cluster, clock }: DrainPlace,
  { node, isMeant = () => true, onRefused = () => undefined }: Drained,
  signal: AbortSignal,
): Promise<void> {
  const pods = (await cluster.list('pods', signal)).filter(
    (pod) => pod.nodeName === node && !isDaemonSetPod(pod) && !pod.mirror && !isFinished(pod) && isMeant(pod),
  )
  const limited = AbortSignal.any([signal, AbortSignal.timeout(DRAIN_LIMIT_MS)])
  const evict = async (pod: Pod): Promise<void> => {
    while (!isDone(await cluster.evict(pod, { dryRun: false }, limited))) {
      onRefused(pod)
      await clock.sleep(REFUSED_AGAIN_MS, limited)
    }
  }
  await Promise.all(pods.map(evict))
  const uids = new Set(pods.map(({ uid }) => uid))
  await waitUntil({ clock, signal, what: `the pods of ${node} to end`, limitMs: DRAIN_LIMIT_MS }, async () => {
    const left = await cluster.list('pods', signal)
    return !left.some(({ uid }) => uids.has(uid))
  })
}

const isDone = ({ kind }: EvictionAnswer): boolean => kind === 'accepted' || kind === 'gone' || kind === 'replaced'

interface Wait {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly what: string
  readonly limitMs: number
}

export async function waitUntil({ clock, signal, what, limitMs }: Wait, holds: () => Promise<boolean>): Promise<void> {
  const limitAtMs = clock.monoMs() + limitMs
  while (!(await holds())) {
    if (clock.monoMs() > limitAtMs)
      throw new WorldError(`waited ${limitMs / 1_000} s for ${what}`, { code: 'DEMO_SCRIPT', retry: 'never' })
    await clock.sleep(POLL_EVERY_MS, signal)
  }
}
