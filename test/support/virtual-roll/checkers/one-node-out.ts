import type { Checker } from './checker.ts'
import type { Scene } from './scene.ts'
import { nodeOfServer } from './server-word.ts'
import { TakenOut } from './taken-out.ts'

/**
 * One node is out at most: its servers were taken out by a roll, or its machine goes down or is not back after a roll's
 * reboot. What people took out by hand is theirs.
 */
export function oneNodeOut(scene: Scene): Checker {
  const takenOut = new TakenOut(scene)
  const rebooted = new Map<string, number>()
  const look = (): void => {
    const out = new Set([...takenOut.keys].filter((key) => scene.prior.servers.get(key) === 'ready').map(nodeOfServer))
    for (const [node, boots] of rebooted) {
      const machine = scene.cluster.machines.get(node)
      if (machine?.isOn === true && machine.boots > boots) rebooted.delete(node)
      else out.add(node)
    }
    if (out.size > 1) scene.tell('one-node-out', `${[...out].toSorted().join(' and ')} are out together`)
  }
  return {
    onAsked: ({ request }) => {
      if (request.kind === 'reboot') rebooted.set(request.node, scene.cluster.machines.get(request.node)?.boots ?? 0)
      takenOut.note(request)
      look()
    },
    onLook: look,
  }
}
