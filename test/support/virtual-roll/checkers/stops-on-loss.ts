import type { Checker } from './checker.ts'
import type { LossLog } from './loss-log.ts'
import type { Scene } from './scene.ts'
import { nodeOfServer, serverWords } from './server-word.ts'

/** A request waits for its two seconds, and whoever measures a little longer. */
const HEARD_AFTER_MS = 4_000
/** Fewer may have slipped between the requests that the roll itself sends. */
const MANY = 6
const RECORD = 'evenkeel.dev/record'

/**
 * A process under which requests were lost, whoever is to blame, takes out no further node. The node that it had out
 * before and put back it may take out again.
 */
export function stopsOnLoss(scene: Scene, losses: LossLog): Checker {
  /** Since when a process that began then has acted. */
  let actsSinceMs: number | undefined
  let process = 0
  const taken = new Set<string>()
  const isUnderWay = (name: string): boolean =>
    taken.has(name) &&
    scene.nodes().some(({ metadata }) => metadata.name === name && metadata.annotations?.[RECORD] !== undefined)
  return {
    onAsked: ({ request }) => {
      if (request.kind !== 'balancer') return
      if (process !== scene.processes) actsSinceMs = undefined
      process = scene.processes
      const words = serverWords(request)
      const takings = words.filter(({ to }) => to !== 'ready').map(({ key }) => ({ key, node: nodeOfServer(key) }))
      const before = new Set([...scene.takenOut.keys].map(nodeOfServer))
      for (const { key } of takings.filter(({ node }) => !before.has(node) && !isUnderWay(node))) {
        const from = actsSinceMs ?? scene.nowMs
        const lost = losses.all.filter(({ dueMs }) => dueMs > from && dueMs < scene.nowMs - HEARD_AFTER_MS)
        if (lost.length >= MANY)
          scene.tell('stops-on-loss', `${key} was taken out after ${lost.length} requests were lost`)
      }
      for (const { node } of takings) taken.add(node)
      if (words.length > 0) actsSinceMs ??= scene.nowMs
    },
  }
}
