import { type EngineRequest, isCordon } from '../engine-request.ts'
import type { Checker } from './checker.ts'
import type { Loss, LossLog } from './loss-log.ts'
import type { Scene } from './scene.ts'
import { nodeOfServer, type ServerWord } from './server-word.ts'

/** A request waits for its two seconds, and the prober a little longer. */
const HEARD_AFTER_MS = 4_000
/** As long as a request waits for its answer. */
const REQUEST_MS = 2_000
/** Fewer may have slipped between the requests that the roll itself sends. */
const MANY = 6
const RECORD = 'evenkeel.dev/record'

/**
 * A process that has acted, and under which requests were lost, takes out no further node, whatever lost them; of two rolls
 * each answers for itself. The node that it had out before and put back it may take out again. A loss does not count where
 * a control target, which was well before, failed at the same time: the prober may be to blame. An answer of the service is
 * its own, unless the prober could reach nothing when it was given. A kept connection that is dead fails the one request that
 * takes it, and tells none of the roll's own.
 */
export function stopsOnLoss(scene: Scene, losses: LossLog): Checker {
  /** Run → its last process that acted, and since when it has. */
  const acting = new Map<string, { readonly process: number; readonly sinceMs: number }>()
  const taken = new Set<string>()
  const isRecorded = (name: string): boolean =>
    scene.nodes().some(({ metadata }) => metadata.name === name && metadata.annotations?.[RECORD] !== undefined)
  /** Run → the nodes that its journal has begun and not ended, on disk. */
  const begun = new Map<string, Set<string>>()
  /**
   * Its record goes with a Node that people delete, until the process writes it anew. A journal on a full disk does not say that a
   * node is through, and its record is off it by then.
   */
  const isUnderWay = (run: string, name: string): boolean =>
    taken.has(name) && (isRecorded(name) || scene.registeredAnew.has(name) || begun.get(run)?.has(name) === true)
  const mayBeTheProbers = ({ dueMs, isAnswered }: Loss): boolean =>
    (isAnswered ? scene.blindMs : scene.controlFailuresMs).some(
      ({ from, to }) => dueMs >= from - REQUEST_MS && dueMs <= to + REQUEST_MS,
    )
  /** On its way back from `maint` a server goes by `drain`. */
  const takesOut = ({ key, to }: ServerWord): boolean =>
    to !== 'ready' && scene.servers().some((server) => server.key === key && server.admin === 'ready')
  /**
   * That a node under way is out is said again at once by a process that takes a roll up, before traffic is green and it
   * begins: a reload forgot it, or the process before had put the node back and died before it was through.
   */
  const isNews = (run: string, { key, to }: ServerWord): boolean =>
    to === 'ready' || !(scene.takenOut.keys.has(key) || isUnderWay(run, nodeOfServer(key)))
  /** A slow balancer carries out a command later than it was sent. */
  const sentMs = ({ kind }: EngineRequest): number => scene.nowMs - (kind === 'balancer' ? scene.balancerLateMs : 0)
  return {
    onJournaled: ({ run, entry }) => {
      const nodes = begun.get(run) ?? new Set()
      begun.set(run, nodes)
      if (entry.type === 'node.started') nodes.add(String(entry.node))
      if (entry.type === 'node.ended') nodes.delete((entry.standing as { readonly node: string }).node)
    },
    onAsked: ({ run, request }) => {
      if (request.kind === 'reboot') return
      const process = scene.processesOf(run)
      const last = acting.get(run)
      const actsSinceMs = last?.process === process ? last.sinceMs : undefined
      const words = scene.words(request)
      const takings = words.filter(takesOut).map(({ key }) => ({ key, node: nodeOfServer(key) }))
      const before = new Set([...scene.takenOut.keys].map(nodeOfServer))
      for (const { key } of takings.filter(({ node }) => !before.has(node) && !isUnderWay(run, node))) {
        const from = actsSinceMs ?? scene.nowMs
        const lost = losses.all.filter(
          (loss) =>
            !loss.isStale &&
            loss.dueMs > from &&
            loss.dueMs < sentMs(request) - HEARD_AFTER_MS &&
            !mayBeTheProbers(loss),
        )
        if (lost.length >= MANY * (1 + scene.lossesAllowed))
          scene.tell('stops-on-loss', `${key} was taken out after ${lost.length} requests were lost`)
      }
      // A server that is down when it is set to drain may be up when it is set to drain again.
      for (const { key } of words.filter(({ to }) => to !== 'ready')) taken.add(nodeOfServer(key))
      if (isCordon(request) || words.some((word) => isNews(run, word)))
        acting.set(run, { process, sinceMs: actsSinceMs ?? scene.nowMs })
    },
  }
}
