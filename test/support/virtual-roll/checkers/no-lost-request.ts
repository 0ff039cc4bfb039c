import type { Checker } from './checker.ts'
import type { Loss, LossLog } from './loss-log.ts'
import type { Scene } from './scene.ts'

const NAME = 'no-lost-request'
/** `timeout connect` of 1 s and three retries, or a request that waits for its two seconds, and a check that fails. */
const TAIL_MS = 6_000
/** A reload closes what clients keep open: a request may be on its way on it. */
const AT_A_RELOAD_MS = 100

/**
 * No request is lost that the world could have served. Excused is by rule alone: while somebody else than a roll has the
 * balancer send to a node that a roll took out, or while people have taken every server of a backend, and 6 s after; and
 * what was on a kept connection that a reload closed.
 */
export function noLostRequest(scene: Scene, losses: LossLog): Checker {
  const excused: { from: number; to: number }[] = []
  return {
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
      const isExcused = ({ dueMs, isStale }: Loss): boolean =>
        excused.some(({ from, to }) => dueMs >= from && dueMs <= to) ||
        (isStale && scene.reloadsMs.some((at) => Math.abs(dueMs - at) < AT_A_RELOAD_MS))
      const lost = losses.all.filter((loss) => !isExcused(loss))
      const [first] = lost
      if (first !== undefined)
        scene.tell(NAME, `${lost.length} requests, first at ${Math.round(first.dueMs)} ms: ${first.text}`)
    },
  }
}
