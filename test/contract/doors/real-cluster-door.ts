import { type Bed, openBed } from '../../../testbed/bed.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { administrator } from '../../support/administrator.ts'
import type { ClusterDoor } from '../cluster/cluster-door.ts'
import { httpClientDoor } from './http-client-door.ts'

export interface OpenedCluster {
  readonly door: ClusterDoor
  close(): Promise<void>
}

const WAIT_MS = 30

/** Three real nodes that carry these, and nothing else. */
export async function openRealCluster(
  manifestsOn: (nodes: readonly string[]) => readonly object[],
): Promise<OpenedCluster> {
  const bed = await openBed({ nodes: 3, fast: true, darkMs: 500, addons: false })
  try {
    await bed.apply(manifestsOn(bed.nodes))
    const { server, tls } = administrator(bed.kubeconfig)
    const client = httpClientDoor(server, tls)
    const close = async (): Promise<void> => {
      client.close()
      await bed.close()
    }
    return { door: doorOn(bed, client.door), close }
  } catch (error) {
    await bed.close()
    throw error
  }
}

function doorOn(bed: Bed, api: ClusterDoor['api']): ClusterDoor {
  return {
    api,
    nodes: bed.nodes,
    nowMs: () => performance.now(),
    reboot: (node) => bed.reboot(node),
    powerCycle: (node) => bed.reboot(node, { hard: true }),
    powerOff: (node) => bed.powerOff(node),
    powerOn: (node) => bed.powerOn(node),
    staticPod: async (node, file, manifest) => {
      const path = `/etc/kubernetes/manifests/${file}.json`
      if (manifest === undefined) await bed.exec(node, ['rm', path])
      else await bed.exec(node, ['tee', path], JSON.stringify(manifest))
    },
    waitUntil: ({ what, limitMs }, ask) => waitFor({ what, limitMs, everyMs: WAIT_MS }, async () => ask()),
  }
}
