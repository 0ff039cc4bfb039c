import { wallMs } from '../../../src/ground/model/time.ts'
import { runControllers } from '../../../src/sim/actors/run-controllers.ts'
import type { ActorParts } from '../../../src/sim/actors/run-reconciler.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import { NAMESPACES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import { stampOf } from '../../../src/sim/world/world.ts'
import { type Bed, openBed } from '../../../testbed/bed.ts'
import { administrator } from '../../support/administrator.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'
import type { ApiDoor } from '../api/api-door.ts'
import type { ControlPlane } from '../control/control-plane.ts'
import { httpClientDoor } from './http-client-door.ts'
import { portDoor } from './port-door.ts'

/** No node becomes NotReady because nobody renews its Lease. */
const GRACE_SECONDS = 24 * 60 * 60

/** A world of its own in virtual time. `run` starts what works in it, and returns what ends each part. */
export function virtualPlane(seed: string, run: (parts: ActorParts) => readonly (() => void)[]): ControlPlane {
  const time = new VirtualTime({ startAt: wallMs(Date.UTC(2026, 0, 1)), turns: turnsOfLoop })
  const world = { store: new Store(), clock: time, random: new SeededRandom(seed) }
  for (const name of ['default', 'kube-system', 'kube-node-lease']) {
    createObject(world, { resource: NAMESPACES, body: { metadata: { name } } })
  }
  const ends = run({ world, timers: time })
  return {
    door: portDoor(world, time),
    pass: (ms) => time.advance(ms),
    nowMs: () => time.monoMs(),
    stamp: () => stampOf(time.wallMs()),
    close: async () => {
      for (const end of ends) end()
    },
  }
}

/** All controllers of the embedded cluster and its scheduler, without nodes. */
export function embeddedPlane(seed: string): ControlPlane {
  const timing = { gracePeriodMs: GRACE_SECONDS * 1_000, monitorPeriodMs: 5_000 }
  return virtualPlane(seed, (parts) => [runControllers(parts, timing)])
}

/** The API server, the controllers and the scheduler of a bed without nodes. `prepare` runs before anybody else uses it. */
export async function realPlane(prepare?: (bed: Bed, door: ApiDoor) => Promise<void>): Promise<ControlPlane> {
  const bed = await openBed({ controlPlaneOnly: true, monitorGraceSeconds: GRACE_SECONDS })
  const { server, tls } = administrator(bed.kubeconfig)
  const { door, close } = httpClientDoor(server, tls)
  await prepare?.(bed, door)
  return {
    door,
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    nowMs: () => performance.timeOrigin + performance.now(),
    stamp: () => stampOf(Date.now()),
    close: async () => {
      close()
      await bed.close()
    },
  }
}
