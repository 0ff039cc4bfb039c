import { runDisruptionController } from '../../src/sim/actors/disruption-controller.ts'
import { runNodeTainter } from '../../src/sim/actors/node-tainter.ts'
import type { ActorParts } from '../../src/sim/actors/run-reconciler.ts'
import { runVolumeBinder } from '../../src/sim/actors/volume-binder.ts'
import type { PickNode } from '../../src/sim/scheduler/place-pod.ts'
import { runScheduler } from '../../src/sim/scheduler/scheduler.ts'
import type { ControlPlane } from '../contract/control/control-plane.ts'
import { virtualPlane } from '../contract/doors/control-planes.ts'
import { CLASSES, type SchedulingCluster } from './scheduling-cluster.ts'
import { type PodFact, SchedulingPlay, type Settled } from './scheduling-play.ts'

/**
 * Plays a cluster on the real plane and then on the embedded scheduler, step by step. Where the real scheduler draws one of
 * several nodes, the embedded one takes the same: it is a difference if that node is not among those that it would take. What
 * differs, in words.
 */
export async function compareScheduling(cluster: SchedulingCluster, real: ControlPlane): Promise<readonly string[]> {
  const play = new SchedulingPlay(real, cluster)
  const seen = await play.run().finally(() => play.cleanUp())
  const strange: string[] = []
  const embedded = embeddedScheduler(cluster.seed, drawnAs(seen, strange))
  await makeClasses(embedded)
  const ours = await new SchedulingPlay(embedded, cluster).run(seen)
  await embedded.close()
  return [...strange, ...differences(ours, seen)]
}

export async function makeClasses(plane: ControlPlane): Promise<void> {
  for (const body of CLASSES) await plane.door.ask('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { body })
}

function drawnAs(seen: readonly Settled[], strange: string[]): PickNode {
  return ({ metadata: { namespace = '', name } }, nodes) => {
    const facts = seen.flatMap(({ pods }) => pods.get(`${namespace}/${name}`) ?? [])
    const drawn = facts.flatMap(({ node, nominated }) => [nominated, node]).filter((each) => each !== undefined)
    const found = nodes.find(({ metadata }) => drawn.includes(metadata.name))
    // A pod that was driven out before anything came to rest was not seen on its node.
    const isGone = seen.at(-1)?.pods.has(`${namespace}/${name}`) === false
    if (found === undefined && nodes.length > 0 && !isGone) {
      const names = nodes.map(({ metadata }) => metadata.name).join(' ')
      strange.push(`${namespace}/${name}: embedded would take ${names}; real ${drawn.join(' ') || 'none'}`)
    }
    return found ?? nodes[0]
  }
}

const embeddedScheduler = (seed: number, pick: PickNode): ControlPlane =>
  virtualPlane(`scheduling ${seed}`, (parts) => [
    runScheduler(parts, pick),
    runVolumeBinder(parts),
    runNodeTainter(withTimersLater(parts)),
    runDisruptionController(parts),
  ])

/** A real taint is a request: by then the scheduler has tried the pods that the change of the node itself brought back. */
const TAINT_LATE_MS = 30

const withTimersLater = ({ world, timers }: ActorParts): ActorParts => ({
  world,
  timers: { later: (ms, run) => timers.later(ms + TAINT_LATE_MS, run) },
})

function differences(embedded: readonly Settled[], real: readonly Settled[]): readonly string[] {
  return embedded.flatMap(({ answer, pods }, step) => {
    const theirs = real[step]?.pods ?? new Map<string, PodFact>()
    if (answer !== real[step]?.answer) return [`step ${step}: embedded answers ${answer}, real ${real[step]?.answer}`]
    const names = [...new Set([...pods.keys(), ...theirs.keys()])]
    return names.flatMap((name) => {
      const [one, other] = [JSON.stringify(pods.get(name)), JSON.stringify(theirs.get(name))]
      return one === other ? [] : [`step ${step}, ${name}:\n    embedded ${one}\n    real     ${other}`]
    })
  })
}
