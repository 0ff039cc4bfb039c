import { wallMs } from '../../../src/ground/model/time.ts'
import { runControllers } from '../../../src/sim/actors/run-controllers.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import { NAMESPACES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import { stampOf } from '../../../src/sim/world/world.ts'
import { openBed } from '../../../testbed/bed.ts'
import { administrator } from '../../support/administrator.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'
import type { ControlPlane } from '../control/control-plane.ts'
import { httpClientDoor } from './http-client-door.ts'
import { portDoor } from './port-door.ts'

/** No node becomes NotReady because nobody renews its Lease. */
const GRACE_SECONDS = 24 * 60 * 60

/** A world of its own in virtual time. */
export function embeddedPlane(seed: string): ControlPlane {
  const time = new VirtualTime({ startAt: wallMs(Date.UTC(2026, 0, 1)), turns: turnsOfLoop })
  const world = { store: new Store(), clock: time, random: new SeededRandom(seed) }
  for (const name of ['default', 'kube-system', 'kube-node-lease']) {
    createObject(world, { resource: NAMESPACES, body: { metadata: { name } } })
  }
  runControllers({ world, timers: time }, { gracePeriodMs: GRACE_SECONDS * 1_000, monitorPeriodMs: 5_000 })
  return {
    door: portDoor(world, time),
    pass: (ms) => time.advance(ms),
    nowMs: () => time.monoMs(),
    stamp: () => stampOf(time.wallMs()),
  }
}

/** The API server, the controllers and the scheduler of a bed without nodes. */
export async function realPlane(): Promise<{ readonly plane: ControlPlane; readonly close: () => Promise<void> }> {
  const bed = await openBed({ controlPlaneOnly: true, monitorGraceSeconds: GRACE_SECONDS })
  const { server, tls } = administrator(bed.kubeconfig)
  const { door, close } = httpClientDoor(server, tls)
  return {
    plane: {
      door,
      pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      nowMs: () => performance.now(),
      stamp: () => stampOf(Date.now()),
    },
    close: async () => {
      close()
      await bed.close()
    },
  }
}
