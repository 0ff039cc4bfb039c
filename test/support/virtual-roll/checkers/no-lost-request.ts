import type { PodObject } from '../../../../src/sim/actors/pod-object.ts'
import { appOfPod } from '../../../../src/sim/plane/app-of-pod.ts'
import { PODS } from '../../../../src/sim/world/api-resource.ts'
import type { Checker } from './checker.ts'
import type { Front, Loss, LossLog } from './loss-log.ts'
import type { Scene, ServerFact } from './scene.ts'
import { nodeOfServer } from './server-word.ts'

const NAME = 'no-lost-request'
/** `timeout connect` of 1 s and three retries, or a request that waits for its two seconds, and a check that fails. */
const TAIL_MS = 6_000
/** As long as a request waits for its answer. */
const REQUEST_MS = 2_000
/** No ordinary request takes so long: each ends with its answer or after its two seconds. */
const LONG_REQUEST_MS = 4_000
/** A reload closes what clients keep open: a request may be on its way on it. */
const AT_A_RELOAD_MS = 100
/** From the cut of a session until its client has heard of it. */
const AT_A_CUT_MS = 50
/** A pod closes what is idle at the end of its grace, and is gone from the API so much later at most. */
const POD_GONE_MS = 1_500
/** A balancer may keep a connection of before a machine lost its power in its pool, and use it once the machine serves again. */
const DEAD_IN_POOL_MS = 30_000
/** Until a kubelet has heard that its pod is to leave. */
const POD_HEARS_MS = 500

/**
 * No request is lost that the world could have served. A loss is excused by rule alone, and by what happened to the
 * instance that it was sent through: while that instance sends, by no command of a roll, to a node that a roll took
 * out, also by a server that was out before; while people have taken every server of the backend there, or agents that do
 * not do as they should; or while a node is cut off from the instance; and six seconds after each; while a machine has no
 * power or a Node is deleted, by no roll, and until it carries pods again, or for as long as a connection of before may lie in a pool; what was on its way over a kept connection when a
 * reload of the instance, or a pod at the end of its grace, closed it, whether or not that pod then still answers a slow
 * request; what a roll cut because it outlasted the limit; and what took long and was with a process of the balancer that a
 * reload had replaced meanwhile: that process serves it to its end, and nothing tells a roll of it.
 */
export function noLostRequest(scene: Scene, losses: LossLog): Checker {
  const goneAtMs: number[] = []
  /** Pod uid → when its app closes what is idle. */
  const closesAtMs = new Map<string, number>()
  const excused = new Map(losses.fronts.map((front) => [keyOf(front), [] as { from: number; to: number }[]]))
  const isInTrouble = ({ instance, backend }: Front): boolean => {
    const servers = scene.servers().filter((server) => server.instance === instance)
    const takenNodes = new Set([...scene.takenOut.keys].map(nodeOfServer))
    const mustBeOut = ({ key, node }: ServerFact): boolean =>
      scene.takenOut.keys.has(key) || (scene.prior.servers.get(key) !== 'ready' && takenNodes.has(node))
    const isUndone = servers.some((server) => server.by === 'socket' && server.admin === 'ready' && mustBeOut(server))
    const isUnasked =
      servers.some(({ key, by }) => by !== 'socket' && scene.takenOut.keys.has(key)) &&
      scene.reloads.some((reload) => reload.instance === instance && scene.nowMs - reload.atMs < TAIL_MS)
    const isHurt = (node: string): boolean =>
      scene.hurtAgents.some((hurt) => hurt.node === node && scene.nowMs <= hurt.to + TAIL_MS)
    const isByHand = (key: string): boolean => scene.handStates.has(key) || scene.weightless.has(key)
    const behind = servers.filter((server) => server.backend === backend)
    const noneLeft =
      !behind.some(({ isUsable }) => isUsable) &&
      behind.some(({ key, node, by }) => isByHand(key) || (by === 'agent' && isHurt(node)))
    return isUndone || isUnasked || noneLeft
  }
  return {
    onChange: ({ resource, type, object }) => {
      if (resource !== PODS) return
      if (type === 'DELETED') goneAtMs.push(scene.nowMs)
      const { uid, deletionTimestamp } = object.metadata
      if (deletionTimestamp === undefined || closesAtMs.has(uid)) return
      closesAtMs.set(uid, scene.nowMs + appOfPod(object as PodObject).graceMs)
    },
    onLook: () => {
      for (const front of losses.fronts) {
        if (!isInTrouble(front)) continue
        const spans = excused.get(keyOf(front))
        const last = spans?.at(-1)
        if (last !== undefined && last.to >= scene.nowMs) last.to = scene.nowMs + TAIL_MS
        else spans?.push({ from: scene.nowMs - 200, to: scene.nowMs + TAIL_MS })
      }
    },
    atEnd: () => {
      const isExcused = ({ front, dueMs, endedMs, isStale, isReset }: Loss): boolean => {
        const isOfFront = ({ instance }: { readonly instance: string }): boolean => instance === front.instance
        const reloads = scene.reloads.filter(isOfFront)
        return (
          excused.get(keyOf(front))?.some(({ from, to }) => endedMs >= from && dueMs <= to) === true ||
          scene.partitionsMs
            .filter(isOfFront)
            .some(({ from, to }) => endedMs >= from - REQUEST_MS && dueMs <= to + TAIL_MS) ||
          scene.wasOutAt(dueMs) ||
          (isStale && scene.handOutages.some(({ from, to }) => dueMs >= from && dueMs <= to + DEAD_IN_POOL_MS)) ||
          scene.wasOutAt(Math.max(endedMs, dueMs + REQUEST_MS)) ||
          ((isStale || isReset) && reloads.some(({ atMs }) => Math.abs(dueMs - atMs) < AT_A_RELOAD_MS)) ||
          (endedMs - dueMs > LONG_REQUEST_MS && reloads.some(({ atMs }) => dueMs < atMs && atMs < endedMs)) ||
          scene.cutsMs.filter(isOfFront).some(({ atMs }) => Math.abs(endedMs - atMs) < AT_A_CUT_MS) ||
          (isStale && wasClosedByPod(dueMs, goneAtMs)) ||
          (isStale && closesAtMs.values().some((at) => endedMs >= at && endedMs - at < POD_HEARS_MS))
        )
      }
      const lost = [...losses.all, ...losses.others].filter((loss) => !isExcused(loss))
      const [first] = lost
      if (first !== undefined) {
        const at = `${Math.round(first.dueMs)} ms through ${keyOf(first.front)}`
        scene.tell(NAME, `${lost.length} requests, first at ${at}: ${first.text}`)
      }
    },
  }
}

/** A pod was gone from the API so soon after the request was due that it may have closed the connection under it. */
export const wasClosedByPod = (dueMs: number, goneAtMs: readonly number[]): boolean =>
  goneAtMs.some((at) => at >= dueMs && at - dueMs < POD_GONE_MS)

const keyOf = ({ instance, backend }: Front): string => `${instance}:${backend}`
