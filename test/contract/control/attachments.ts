import assert from 'node:assert/strict'
import { field } from '../api/field.ts'
import type { ControlGround, ControlRow } from './control-plane.ts'

const STORAGE = '/apis/storage.k8s.io/v1/volumeattachments'
const DRIVER = 'test.csi'

/** `node attached` of each attachment of its volume. */
async function attachments(ground: ControlGround): Promise<readonly string[]> {
  const all = (await ground.get(STORAGE, 'items')) as readonly unknown[]
  return all
    .filter((one) => field(one, 'spec.source.persistentVolumeName') === ground.name)
    .map((one) => String(field(one, 'spec.nodeName')).replace(`${ground.name}-`, ''))
    .toSorted()
}

async function confirm(ground: ControlGround): Promise<void> {
  const all = (await ground.get(STORAGE, 'items')) as readonly unknown[]
  for (const one of all) {
    if (field(one, 'spec.source.persistentVolumeName') !== ground.name) continue
    await ground.patch(`${STORAGE}/${String(field(one, 'metadata.name'))}/status`, { status: { attached: true } })
  }
}

export const ATTACHMENT_ROWS: readonly ControlRow[] = [
  {
    title: 'a volume for one node is on one node, and stays there until the kubelet says that it has unmounted it',
    run: async (ground) => {
      const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: ground.name, name: 'one' }
      const mode = { storageClassName: 'manual', accessModes: ['ReadWriteOnce'] }
      await ground.create('/api/v1/persistentvolumes', {
        metadata: { name: ground.name },
        spec: {
          ...mode,
          capacity: { storage: '1Gi' },
          persistentVolumeReclaimPolicy: 'Retain',
          claimRef: claim,
          csi: { driver: DRIVER, volumeHandle: ground.name },
        },
      })
      await ground.create(ground.path('persistentvolumeclaims'), {
        metadata: { name: 'one' },
        spec: { ...mode, volumeName: ground.name, resources: { requests: { storage: '1Gi' } } },
      })
      const bound = `${ground.path('persistentvolumeclaims')}/one`
      // A claim that is known before its volume is looked at again 15 s later.
      await ground.until('it to be bound', 40_000, async () => (await ground.get(bound, 'status.phase')) === 'Bound')
      const since = await ground.get(`/api/v1/persistentvolumes/${ground.name}`, 'status.lastPhaseTransitionTime')
      assert.match(String(since), /^\d{4}-/)
      const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' }
      for (const short of ['a1', 'a2']) {
        const name = await ground.node(short)
        await ground.patch(`/api/v1/nodes/${name}`, { metadata: { annotations } })
      }
      const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'one' } }]
      const container = { volumeMounts: [{ name: 'v', mountPath: '/v' }] }
      await ground.pod('first', { nodeName: `${ground.name}-a1`, volumes, container })
      await ground.until('it to be attached', 20_000, async () => (await attachments(ground)).length === 1)
      await confirm(ground)
      await ground.setReady('first')
      const inUse = async (volumesInUse: readonly string[] | null) =>
        await ground.patch(`/api/v1/nodes/${ground.name}-a1/status`, { status: { volumesInUse } })
      await inUse([`kubernetes.io/csi/${DRIVER}^${ground.name}`])
      await ground.plane.pass(1_000)
      await ground.pod('second', { nodeName: `${ground.name}-a2`, volumes, container })
      const event = async () => {
        const all = (await ground.get(ground.path('events'), 'items')) as readonly unknown[]
        const of = all.find((one) => field(one, 'involvedObject.name') === 'second')
        return `${String(field(of, 'type'))} ${String(field(of, 'reason'))}: ${String(field(of, 'message'))}`
      }
      await ground.until('it to be told', 10_000, async () => (await event()) !== 'undefined undefined: undefined')
      assert.equal(
        await event(),
        `Warning FailedAttachVolume: Multi-Attach error for volume "${ground.name}" Volume is already used by pod(s) first`,
      )
      assert.deepEqual(await attachments(ground), ['a1'])
      await ground.remove('first')
      await ground.plane.pass(4_000)
      assert.deepEqual(await attachments(ground), ['a1'], 'its kubelet still has it')
      await inUse(null)
      await ground.until('it to move', 20_000, async () => String(await attachments(ground)) === 'a2')
    },
  },
]
