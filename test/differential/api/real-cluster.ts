import { waitFor } from '../../../testbed/machine/wait-for.ts'
import type { ApiDoor } from '../../contract/api/api-door.ts'
import { eventually } from '../../contract/api/eventually.ts'
import type { ControlPlane } from '../../contract/control/control-plane.ts'
import { realPlane } from '../../contract/doors/control-planes.ts'
import { anyCustomResource } from '../../support/any-custom-resource.ts'

/** A real control plane that serves the custom resources of drawn sequences and collects their garbage. */
export function realCluster(): Promise<ControlPlane> {
  return realPlane(async (bed, door) => {
    await bed.apply([
      anyCustomResource('nodeguards', 'NodeGuard'),
      anyCustomResource('ingressdaemonsets', 'IngressDaemonSet'),
    ])
    await bed.kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=30s'])
    await untilCollected(door)
  })
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
