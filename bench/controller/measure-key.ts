import process from 'node:process'
import { FollowCache } from '../../src/ground/loop/follow-cache.ts'
import { type Loop, Reconciler } from '../../src/ground/loop/reconciler.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import type { FollowEvent } from '../../src/ground/ports/cluster.ts'
import { spentMs } from '../virtual/spent-ms.ts'

interface Size {
  readonly nodes: number
  readonly pods: number
  readonly changes: number
}

interface OnNode {
  readonly namespace: string
  readonly name: string
  readonly node: string
  readonly ready: boolean
}

const log = { debug: () => undefined, warn: () => undefined }
const podAt = (at: number, { nodes }: Size, ready: boolean): OnNode => ({
  namespace: 'shop',
  name: `pod-${at}`,
  node: `node-${at % nodes}`,
  ready,
})

/** Whether all pods of a node are ready, by an index; nothing is to be done about it. */
const loopOn = (podsOn: (node: string) => readonly OnNode[]): Loop<readonly OnNode[], never> => ({
  name: 'bench',
  gather: async (node) => podsOn(node),
  decide: (pods) => {
    const ready = pods.filter((pod) => pod.ready).length
    return { kind: 'settled', reasons: [{ code: 'NothingToDo', text: `${ready} of ${pods.length} pods are ready` }] }
  },
  perform: async () => undefined,
})

function aReconciler(podsOn: (node: string) => readonly OnNode[]): Reconciler<readonly OnNode[], never> {
  const leader = { mayActForMs: () => 60_000 }
  return new Reconciler({ loop: loopOn(podsOn), leader, clock, random, log, sweepMs: 3_600_000, workers: 4 })
}

/** ms of processor time for each, from `change` to the end of the pass that it asks for. */
async function timed<S>(
  reconciler: Reconciler<S, never>,
  count: number,
  change: (at: number) => void,
): Promise<number> {
  const stop = new AbortController()
  const running = reconciler.run(stop.signal).catch((error: unknown) => error)
  while (reconciler.status().underWay > 0 || reconciler.status().passes === 0) await new Promise(setImmediate)
  const before = process.cpuUsage()
  for (let at = 0; at < count; at += 1) {
    const { passes } = reconciler.status()
    change(at)
    while (reconciler.status().passes === passes) await new Promise(setImmediate)
  }
  const ms = spentMs(before) / count
  stop.abort(new Error('over'))
  await running
  return ms
}

/** A pod changes; the key of its node is worked on. */
export async function measureKey(size: Size): Promise<number> {
  let sink: (event: FollowEvent<OnNode>) => void = () => undefined
  const cache = new FollowCache<OnNode>({
    follow: (to) => {
      sink = to
      return new Promise(() => undefined)
    },
    clock,
    onKey: (_key, { before, now }) => {
      const node = now?.node ?? before?.node
      if (node !== undefined) reconciler.add(node)
    },
  })
  const onNode = cache.index(({ node }) => [node])
  const reconciler = aReconciler((node) => onNode.get(node))
  void cache.run(new AbortController().signal)
  sink({ type: 'listed', objects: Array.from({ length: size.pods }, (_, at) => podAt(at, size, true)) })
  return timed(reconciler, size.changes, (at) => {
    sink({ type: 'applied', object: podAt((37 * (at >> 1)) % size.pods, size, at % 2 === 1) })
  })
}

export function measureQueue({ changes }: Size): Promise<number> {
  const reconciler = aReconciler(() => [])
  reconciler.add('first')
  return timed(reconciler, changes, (at) => reconciler.add(`key-${at % 7}`))
}
