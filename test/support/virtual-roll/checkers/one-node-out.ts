import type { Checker } from './checker.ts'
import type { Scene } from './scene.ts'
import { nodeOfServer } from './server-word.ts'

/**
 * One node is out at most: its servers were taken out by a roll, or its machine goes down or is not back after a roll's
 * reboot. What people took out by hand is theirs.
 */
export function oneNodeOut(scene: Scene): Checker {
  const rebooted = new Map<string, number>()
  const nodesOut = (): Set<string> => {
    // A record may have gone since the last look, and the next node's servers with the very next command.
    scene.takenOut.look()
    const away = scene.servers().filter(({ key, admin }) => admin !== 'ready' && scene.takenOut.keys.has(key))
    const out = new Set(away.map(({ node }) => node))
    for (const [node, boots] of rebooted) {
      const machine = scene.cluster.machines.get(node)
      if (machine?.isOn === true && machine.boots > boots) rebooted.delete(node)
      else out.add(node)
    }
    return out
  }
  const look = (out: ReadonlySet<string>): void => {
    if (out.size > scene.mostOut) scene.tell('one-node-out', `${[...out].toSorted().join(' and ')} are out together`)
  }
  return {
    onAsked: ({ request }) => {
      if (request.kind === 'reboot') rebooted.set(request.node, scene.cluster.machines.get(request.node)?.boots ?? 0)
      if (request.kind === 'reboot') return
      const serving = new Set(scene.servers().flatMap(({ key, admin }) => (admin === 'ready' ? [key] : [])))
      const taken = scene.words(request).filter(({ key, to }) => to !== 'ready' && serving.has(key))
      look(new Set([...nodesOut(), ...taken.map(({ key }) => nodeOfServer(key))]))
    },
    onLook: () => look(nodesOut()),
  }
}
