import type { Checker } from './checker.ts'
import type { Scene, ServerFact } from './scene.ts'

const NAME = 'kept-out'
/** From a reload, or a command that no roll gave, until the server is out again. */
const LIMIT_MS = 1_200
const ASKED_AFTER_MS = 4_000
/** By then a process of a balancer that was reloaded has checked each of its servers. */
const CHECKED_AFTER_MS = 2_500

/**
 * A server that a roll took out stays out until its machine is back and may carry pods. Where anything else sets it ready
 * before, a process of the roll takes it out again within a second, on each instance that answers, as long as such a process
 * runs. A process that never saw it out, on a machine whose reboot no process announced, takes it out by the rules that it
 * would be taken out by in the first place. Before the announcement every process leaves the last usable server of a backend
 * in service, and takes none out of a balancer that has just begun and has checked no other server.
 */
export function keptOut(scene: Scene): Checker {
  const since = new Map<string, number>()
  const outs = new Set<string>()
  let process = 0
  const seenOut = (): Set<string> => {
    if (process !== scene.processes) outs.clear()
    process = scene.processes
    return outs
  }
  const wasReloaded = ({ instance }: ServerFact, withinMs: number): boolean =>
    scene.reloads.some((reload) => reload.instance === instance && scene.nowMs - reload.atMs < withinMs)
  /** A process of a balancer that goes by checks takes every server for up until it has asked it. */
  const isUnasked = (server: ServerFact): boolean =>
    (server.by === 'agent' || server.by === 'mark') && wasReloaded(server, ASKED_AFTER_MS)
  const awaitsChecks = (server: ServerFact): boolean =>
    !scene.isAnnounced(server.node) && wasReloaded(server, CHECKED_AFTER_MS)
  const isWrong = (server: ServerFact): boolean =>
    server.admin === 'ready' &&
    !isUnasked(server) &&
    !awaitsChecks(server) &&
    scene.takenOut.keys.has(server.key) &&
    !isFit(scene, server.node) &&
    (seenOut().has(server.key) || scene.isAnnounced(server.node)) &&
    !scene.servesOn(server)
  return {
    onAsked: ({ request }) => {
      // What an agent is asked it passes on as its balancers check it.
      if (request.kind !== 'balancer') return
      for (const { key, to } of scene.words(request)) if (to !== 'ready') seenOut().add(key)
    },
    onLook: () => {
      const isSomebodyThere = scene.isSomebodyThere()
      for (const server of scene.servers()) {
        const { key } = server
        // What was down before a roll asked for it was not kept out: its balancer may send to it until it has noticed.
        if (!scene.takenOut.keys.has(key)) seenOut().delete(key)
        else if (isSomebodyThere && server.admin !== 'ready') seenOut().add(key)
        if (!isSomebodyThere || !scene.isInstanceHeard(server.instance) || !isWrong(server)) {
          since.delete(key)
          continue
        }
        const from = since.get(key) ?? scene.nowMs
        since.set(key, from)
        if (scene.nowMs - from <= LIMIT_MS) continue
        scene.tell(NAME, `${key} is ready since ${Math.round(scene.nowMs - from)} ms, though a roll took it out`)
        since.set(key, Number.POSITIVE_INFINITY)
      }
    },
  }
}

function isFit(scene: Scene, name: string): boolean {
  const node = scene.nodes().find(({ metadata }) => metadata.name === name)
  const wasCordoned = scene.prior.nodes.get(name)?.spec?.unschedulable === true
  return scene.cluster.machines.get(name)?.isOn === true && (wasCordoned || node?.spec?.unschedulable !== true)
}
