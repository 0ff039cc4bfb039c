import type { Pauses, ScriptHands } from '../../src/cli/demo/article-script.ts'
import type { EvictionAnswer } from '../../src/model/eviction.ts'
import { isDaemonSetPod, isFinished, type Pod } from '../../src/model/pod.ts'
import { WorldError } from '../../src/model/world-error.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Cluster } from '../../src/ports/cluster.ts'
import type { Machines } from '../../src/sim/machines/machines.ts'
import { INGRESS_NODES } from './article-nodes.ts'

interface ScriptHandsParts {
  readonly cluster: Cluster
  readonly clock: Clock
  readonly machines: Machines
  /** One line for its runtime API; what it says to that. */
  readonly askBalancer: (line: string) => Promise<string>
  readonly nodes: readonly string[]
}

/**
 * The article sleeps 30 s after each boot and 300 s after each uncordon. Its machines take a minute or so to boot, these a
 * second: both are a sixtieth. HAProxy is as quick as there: its 10 s around each change are what they are, and a node that it
 * knows as out stays so for a tenth of the 300 s. That is as long as HAProxy needs to forget connections of before the reboot
 * (`pool-purge-delay` 5 s, half of them each time): less would let a script lose what the article's does not.
 */
export const DEMO_PAUSES: Pauses = {
  afterMaintMs: 10_000,
  afterBootMs: 500,
  afterUncordonMs: 5_000,
  beforeReadyMs: 25_000,
  afterReadyMs: 10_000,
}

const BACKEND = 'web'
/** kubectl, drain.go: what a budget refuses is asked for again after 5 s. */
const REFUSED_AGAIN_MS = 5_000
const DRAIN_LIMIT_MS = 120_000
const LOOK_EVERY_MS = 500
const RETURN_LIMIT_MS = 60_000

/** What the article's script has of the cluster: `kubectl drain`, `reboot`, and a helper for HAProxy's socket. */
export function scriptHands(parts: ScriptHandsParts, signal: AbortSignal): ScriptHands {
  const { cluster, clock, machines, askBalancer, nodes } = parts
  return {
    nodes,
    carriesIngress: (node) => INGRESS_NODES.includes(node),
    pause: (ms) => clock.sleep(ms, signal),
    drain: async (node, what) => {
      await setCordon(cluster, { node, cordoned: true }, signal)
      await drain(parts, { node, what }, signal)
    },
    reboot: async (node) => {
      const before = (await cluster.readNode(node, signal))?.bootId
      if (machines.get(node)?.reboot() !== true) throw failed(`${node} takes no commands`)
      await until({ clock, signal, what: `${node} to come back`, limitMs: RETURN_LIMIT_MS }, async () => {
        const now = (await cluster.readNode(node, signal))?.bootId
        return now !== undefined && now !== before
      })
    },
    uncordon: (node) => setCordon(cluster, { node, cordoned: false }, signal),
    setServers: async (node, state) => {
      const answer = await askBalancer(`set server ${BACKEND}/${node} state ${state}`)
      if (answer.trim() !== '') throw failed(`the balancer says to ${node} ${state}: ${answer.trim()}`)
    },
  }
}

async function setCordon(
  cluster: Cluster,
  { node, cordoned }: { readonly node: string; readonly cordoned: boolean },
  signal: AbortSignal,
): Promise<void> {
  const path = '/spec/unschedulable'
  await cluster.patchNode(node, [cordoned ? { op: 'add', path, value: true } : { op: 'remove', path }], signal)
}

/** Each pod is asked for at once, as kubectl does; over when none of them is left. */
async function drain(
  { cluster, clock }: ScriptHandsParts,
  { node, what }: { readonly node: string; readonly what: 'withVolumes' | 'all' },
  signal: AbortSignal,
): Promise<void> {
  const pods = (await cluster.list('pods', signal)).filter(
    (pod) =>
      pod.nodeName === node &&
      !isDaemonSetPod(pod) &&
      !pod.mirror &&
      !isFinished(pod) &&
      (what === 'all' || pod.claims.length > 0),
  )
  const limited = AbortSignal.any([signal, AbortSignal.timeout(DRAIN_LIMIT_MS)])
  await Promise.all(pods.map((pod) => evicted(cluster, { pod, clock }, limited)))
  const uids = new Set(pods.map(({ uid }) => uid))
  await until({ clock, signal, what: `the pods of ${node} to end`, limitMs: DRAIN_LIMIT_MS }, async () => {
    const left = await cluster.list('pods', signal)
    return !left.some(({ uid }) => uids.has(uid))
  })
}

async function evicted(
  cluster: Cluster,
  { pod, clock }: { readonly pod: Pod; readonly clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const answer = await cluster.evict(pod, { dryRun: false }, signal)
    if (isDone(answer)) return
    await clock.sleep(REFUSED_AGAIN_MS, signal)
  }
}

/** A script that cannot go on ends where it is. */
const failed = (text: string): WorldError => new WorldError(text, { code: 'DEMO_SCRIPT', retry: 'never' })

const isDone = ({ kind }: EvictionAnswer): boolean => kind === 'accepted' || kind === 'gone' || kind === 'replaced'

interface Wait {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly what: string
  readonly limitMs: number
}

async function until({ clock, signal, what, limitMs }: Wait, holds: () => Promise<boolean>): Promise<void> {
  const limitAtMs = clock.monoMs() + limitMs
  while (!(await holds())) {
    if (clock.monoMs() > limitAtMs) throw failed(`waited ${limitMs / 1_000} s for ${what}`)
    await clock.sleep(LOOK_EVERY_MS, signal)
  }
}
