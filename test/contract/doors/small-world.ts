import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { systemTimers } from '../../../src/ground/machine/system-timers.ts'
import { runDisruptionController } from '../../../src/sim/actors/disruption-controller.ts'
import { runNamespaceController } from '../../../src/sim/actors/namespace-controller.ts'
import { runOwnerGarbageCollector } from '../../../src/sim/actors/owner-garbage-collector.ts'
import { NAMESPACES, NODES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import type { World } from '../../../src/sim/world/world.ts'

/** A world in real time with what the contract needs: two namespaces, a node without kubelet, and three controllers. */
export function smallWorld(): { readonly world: World; readonly close: () => void } {
  const world = { store: new Store(), clock: systemClock, random: systemRandom }
  for (const name of ['default', 'kube-system']) {
    createObject(world, { resource: NAMESPACES, body: { metadata: { name } } })
  }
  createObject(world, { resource: NODES, body: { metadata: { name: 'n1' } } })
  const parts = { world, timers: systemTimers }
  const ends = [runDisruptionController, runOwnerGarbageCollector, runNamespaceController].map((run) => run(parts))
  return {
    world,
    close: () => {
      for (const end of ends) end()
    },
  }
}
