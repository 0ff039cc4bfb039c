import { wallMs } from '../../../src/ground/model/time.ts'
import { runControllers } from '../../../src/sim/actors/run-controllers.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import { NAMESPACES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import { type Bed, openBed } from '../../../testbed/bed.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import type { ApiDoor } from '../../contract/api/api-door.ts'
import { eventually } from '../../contract/api/eventually.ts'
import { httpClientDoor } from '../../contract/doors/http-client-door.ts'
import { portDoor } from '../../contract/doors/port-door.ts'
import { administrator } from '../../support/administrator.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'

/** One of the two clusters, as the driver uses it. */
export interface End {
  readonly name: 'embedded' | 'real'
  readonly door: ApiDoor
  /** Lets time go by. */
  readonly pass: (ms: number) => Promise<void>
  readonly nowMs: () => number
  /** By its own clock, as a kubelet would write it. */
  readonly stamp: () => string
  readonly close: () => Promise<void>
}

const stampOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** No node may become NotReady because nobody renews its Lease. */
const GRACE_SECONDS = 24 * 60 * 60

/** A world of its own in virtual time, with the controllers of a controller manager and no node. */
export function embeddedEnd(seed: number): End {
  const time = new VirtualTime({ startAt: wallMs(Date.UTC(2026, 0, 1)), turns: turnsOfLoop })
  const random = new SeededRandom(`differential ${seed}`)
  const world = { store: new Store(), clock: time, random }
  for (const name of ['default', 'kube-system', 'kube-node-lease']) {
    createObject(world, { resource: NAMESPACES, body: { metadata: { name } } })
  }
  const end = runControllers({ world, timers: time }, { gracePeriodMs: GRACE_SECONDS * 1_000, monitorPeriodMs: 5_000 })
  return {
    name: 'embedded',
    door: portDoor(world, time),
    pass: (ms) => time.advance(ms),
    nowMs: () => time.monoMs(),
    stamp: () => stampOf(time.wallMs()),
    close: async () => end(),
  }
}

const customResource = (plural: string, kind: string): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.evenkeel.dev` },
  spec: {
    group: 'evenkeel.dev',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        // Any object may be one: what the schemas say is for their own tests.
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

/** The API server, the controllers and the scheduler of the test bed, without nodes. */
export async function realEnd(): Promise<End> {
  const bed: Bed = await openBed({ controlPlaneOnly: true, monitorGraceSeconds: GRACE_SECONDS })
  const { server, tls } = administrator(bed.kubeconfig)
  const { door, close } = httpClientDoor(server, tls)
  await bed.apply([customResource('nodeguards', 'NodeGuard'), customResource('ingressdaemonsets', 'IngressDaemonSet')])
  await bed.kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=30s'])
  if (process.env.QUICK !== '1') await untilCollected(door)
  return {
    name: 'real',
    door,
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    nowMs: () => performance.now(),
    stamp: () => stampOf(Date.now()),
    close: async () => {
      close()
      await bed.close()
    },
  }
}

const PROBE = '/apis/evenkeel.dev/v1alpha1/namespaces/default/ingressdaemonsets'

/** The garbage collector learns of new kinds every 30 s (garbagecollector.go, Sync). */
async function untilCollected(door: ApiDoor): Promise<void> {
  const body = { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'IngressDaemonSet', metadata: { name: 'probe' } }
  await eventually('the custom resources', async () => (await door.ask('POST', PROBE, { body })).status === 201)
  await door.ask('DELETE', `${PROBE}/probe`, { body: { propagationPolicy: 'Foreground' } })
  await waitFor({ what: 'the custom resources to be collected', limitMs: 90_000, everyMs: 250 }, async () =>
    (await door.ask('GET', `${PROBE}/probe`)).status === 404 ? true : undefined,
  )
}
