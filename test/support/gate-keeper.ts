import type { Timers } from '../../src/ground/ports/timers.ts'
import { isGoing, type PodObject } from '../../src/sim/actors/pod-object.ts'
import { withCondition } from '../../src/sim/actors/with-condition.ts'
import { PODS } from '../../src/sim/world/api-resource.ts'
import type { World } from '../../src/sim/world/world.ts'

interface GateKeeperParts {
  readonly world: World
  readonly timers: Timers
  /** The type of the condition that pods have for their gate. */
  readonly gate: string
  readonly afterMs: number
}

interface GatedPod extends PodObject {
  readonly spec: PodObject['spec'] & { readonly readinessGates?: readonly { readonly conditionType: string }[] }
}

/** Says of each pod that it may serve, some time after its containers are ready, as controllers of load balancers do (KEP-580). */
export function keepGate({ world, timers, gate, afterMs }: GateKeeperParts): () => void {
  const planned = new Set<string>()
  return world.store.subscribe(PODS, ({ object, type }) => {
    const { metadata } = object
    if (type === 'DELETED' || planned.has(metadata.uid) || !waits(object as GatedPod, gate)) return
    planned.add(metadata.uid)
    timers.later(afterMs, () => {
      planned.delete(metadata.uid)
      const pod = world.store.get(PODS, metadata) as GatedPod | undefined
      if (pod === undefined || pod.metadata.uid !== metadata.uid || !waits(pod, gate)) return
      const conditions = withCondition(pod.status?.conditions ?? [], { type: gate, status: 'True' })
      world.store.put(PODS, { ...pod, status: { ...pod.status, conditions } })
    })
  })
}

const waits = (pod: GatedPod, gate: string): boolean =>
  pod.spec.readinessGates?.some(({ conditionType }) => conditionType === gate) === true &&
  !isGoing(pod) &&
  !isTrue(pod, gate) &&
  isTrue(pod, 'ContainersReady')

const isTrue = ({ status }: PodObject, wanted: string): boolean =>
  status?.conditions?.some(({ type, status }) => type === wanted && status === 'True') === true
