import { PODS } from '../../../../src/sim/world/api-resource.ts'
import type { Checker } from './checker.ts'
import type { Loss, LossLog } from './loss-log.ts'
import type { Scene } from './scene.ts'

const NAME = 'no-lost-request'
/** `timeout connect` of 1 s and three retries, or a request that waits for its two seconds, and a check that fails. */
const TAIL_MS = 6_000
/** As long as a request waits for its answer. */
const REQUEST_MS = 2_000
/** A reload closes what clients keep open: a request may be on its way on it. */
const AT_A_RELOAD_MS = 100
/** A pod closes what is idle at the end of its grace, and is gone from the API so much later at most. */
const POD_GONE_MS = 1_500

/**
 * No request is lost that the world could have served. Excused is by rule alone: while somebody else than a roll has the
 * balancer send to a node that a roll took out, or while people have taken every server of a backend, or a node is cut off from it, and 6 s after;
 * while a machine has no power or a Node is deleted, by no roll, and until it carries pods again; and what was on its way over a kept connection when a reload, or a pod at the end of its grace, closed it.
 */
export function noLostRequest(scene: Scene, losses: LossLog): Checker {
  const goneAtMs: number[] = []
  const excused: { from: number; to: number }[] = []
  return {
    onChange: ({ resource, type }) => {
      if (resource === PODS && type === 'DELETED') goneAtMs.push(scene.nowMs)
    },
    onLook: () => {
      const servers = scene.servers()
      const isUndone = servers.some(({ key, admin }) => admin === 'ready' && scene.takenOut.keys.has(key))
      const web = servers.filter(({ key }) => key.startsWith('web/'))
      const noneLeft = !web.some(({ isUsable }) => isUsable) && web.some(({ key }) => scene.handStates.has(key))
      if (!isUndone && !noneLeft) return
      const last = excused.at(-1)
      if (last !== undefined && last.to >= scene.nowMs) last.to = scene.nowMs + TAIL_MS
      else excused.push({ from: scene.nowMs - 200, to: scene.nowMs + TAIL_MS })
    },
    atEnd: () => {
      const isExcused = ({ dueMs, isStale, isReset }: Loss): boolean =>
        excused.some(({ from, to }) => dueMs >= from && dueMs <= to) ||
        scene.partitionsMs.some(({ from, to }) => dueMs >= from - REQUEST_MS && dueMs <= to + TAIL_MS) ||
        scene.wasOutAt(dueMs) ||
        scene.wasOutAt(dueMs + REQUEST_MS) ||
        ((isStale || isReset) && scene.reloadsMs.some((at) => Math.abs(dueMs - at) < AT_A_RELOAD_MS)) ||
        (isStale && goneAtMs.some((at) => at >= dueMs && at - dueMs < POD_GONE_MS))
      const lost = losses.all.filter((loss) => !isExcused(loss))
      const [first] = lost
      if (first !== undefined)
        scene.tell(NAME, `${lost.length} requests, first at ${Math.round(first.dueMs)} ms: ${first.text}`)
    },
  }
}
