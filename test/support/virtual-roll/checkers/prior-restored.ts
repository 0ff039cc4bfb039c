import type { NodeObject } from '../../../../src/sim/actors/node-object.ts'
import { controllerOf, isReady } from '../../../../src/sim/actors/pod-object.ts'
import { LEASES } from '../../../../src/sim/world/api-resource.ts'
import { ATTACHED_STAMP, STAMP } from '../virtual-detacher.ts'
import type { Checker } from './checker.ts'
import { SLOT } from './only-with-slot.ts'
import type { Scene } from './scene.ts'

const NAME = 'prior-restored'
const POLITE = 'evenkeel.dev/polite'

/**
 * At the end everything is as it was: each node's cordon, taints, labels and annotations, each server's state; the slot
 * is free, every machine runs, every pod is ready and no pod half on its way, and whatever was ready before is up.
 */
export function priorRestored(scene: Scene): Checker {
  return {
    atEnd: () => {
      for (const text of [...nodesThatDiffer(scene), ...serversThatDiffer(scene), ...notBack(scene)])
        scene.tell(NAME, text)
      for (const slot of scene.cluster.world.store.all(LEASES)) {
        const { holderIdentity = '' } = (slot.spec ?? {}) as { holderIdentity?: string }
        if (SLOT.test(slot.metadata.name) && holderIdentity !== '' && !isLost(scene, holderIdentity))
          scene.tell(NAME, `${holderIdentity} holds the slot`)
      }
    },
  }
}

/**
 * Without its journal a run cannot be resumed to release its slot. No node may bear a record of it, as of any run, and then
 * the next roll takes the slot once it is stale.
 */
const isLost = ({ lostRuns }: Scene, holder: string): boolean => lostRuns.has(holder.slice(0, holder.lastIndexOf('/')))

function nodesThatDiffer(scene: Scene): readonly string[] {
  return scene.nodes().flatMap((node) => {
    const before = scene.prior.nodes.get(node.metadata.name)
    const [was, is] = [before === undefined ? 'nothing' : ownText(before), ownText(node)]
    return was === is ? [] : [`${node.metadata.name} was ${was} and is ${is}`]
  })
}

function ownText({ metadata, spec }: NodeObject): string {
  const { unschedulable = false, taints = [] } = spec as {
    unschedulable?: boolean
    taints?: readonly { key: string; effect: string }[]
  }
  // Times of a detacher are not the roll's.
  const { [STAMP]: _detached, [ATTACHED_STAMP]: _attached, ...annotations } = metadata.annotations ?? {}
  const kept = taints.map(({ key, effect }) => `${key}:${effect}`).toSorted()
  return JSON.stringify([unschedulable, kept, sorted(metadata.labels), sorted(annotations)])
}

const sorted = (map: Readonly<Record<string, string>> = {}): readonly (readonly [string, string])[] =>
  Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1))

const serversThatDiffer = (scene: Scene): readonly string[] =>
  scene.servers().flatMap(({ key, admin, isUsable }) => {
    const [was, byHand] = [scene.prior.servers.get(key), scene.handStates.get(key)]
    // People put back what was ready before; what was not they leave as they set it.
    const isTheirs = byHand === 'drain' && was !== 'ready'
    if (byHand !== undefined) return admin === 'drain' && !isTheirs ? [`${key} is left in drain`] : []
    if (admin !== was) return [`${key} was ${was} and is ${admin}`]
    return was === 'ready' && !isUsable && !scene.weightless.has(key) ? [`${key} is not up`] : []
  })

function notBack(scene: Scene): readonly string[] {
  const machines = [...scene.cluster.machines.all()]
    .filter(({ isOn }) => !isOn)
    .map(({ name }) => `${name} does not run`)
  const nodes = scene
    .nodes()
    .filter((node) => !isNodeReady(node))
    .map(({ metadata }) => `${metadata.name} is not Ready`)
  const pods = scene
    .pods()
    // A Job runs on as it likes.
    .filter((pod) => !isReady(pod) && controllerOf(pod)?.kind !== 'Job')
    .map(({ metadata }) => `${metadata.name} is not ready`)
  const halfAway = scene
    .pods()
    .filter(({ metadata }) => POLITE in (metadata.annotations ?? {}))
    .map(({ metadata }) => `${metadata.name} was let go, and stayed`)
  return [...machines, ...nodes, ...pods, ...halfAway]
}

const isNodeReady = ({ status }: NodeObject): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
