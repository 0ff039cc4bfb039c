import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterGround } from './cluster-ground.ts'
import type { SeenPod } from './seen-objects.ts'

const DRIVER = 'test.evenkeel.dev'
/** As a kubelet names it. */
const IN_USE = `kubernetes.io/csi/${DRIVER}^handle-1`
/** SHA-256 of handle, driver and node (csi_attacher.go, getAttachmentName). */
const ATTACHMENT = 'csi-892c6581b2478fb9fe2107228de07ce6da04c6b4070bc998202cdab3a17e89d6'

/** A volume that has to be attached to the node whose pod uses it. */
export function volumesContract(ground: () => ClusterGround): void {
  const pod = (): SeenPod | undefined => ground().log.named('pod', 'mounts')
  const inUse = (upTo?: number): readonly string[] =>
    ground()
      .log.all('node', upTo)
      .find(({ metadata }) => metadata.name === 'n2')?.status.volumesInUse ?? []
  let from = 0

  test('a claim is bound to the volume that fits it', async () => {
    from = (await ground().now()).revision
    const storage = { storageClassName: 'remote', accessModes: ['ReadWriteOnce'] }
    await ground().create('/api/v1/persistentvolumes', {
      metadata: { name: 'remote' },
      spec: { ...storage, capacity: { storage: '1Gi' }, csi: { driver: DRIVER, volumeHandle: 'handle-1' } },
    })
    await ground().create('/api/v1/namespaces/default/persistentvolumeclaims', {
      metadata: { name: 'remote' },
      spec: { ...storage, resources: { requests: { storage: '1Gi' } } },
    })
    await ground().until('the claim to be bound', () => ground().log.named('claim', 'remote')?.status.phase === 'Bound')
  })

  test('a pod that uses it gets an attachment on its node, and does not start before that is done', async () => {
    await ground().create('/api/v1/namespaces/default/pods', {
      metadata: { name: 'mounts' },
      spec: {
        nodeName: 'n2',
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'app',
            image: 'testbed.local/app:1',
            imagePullPolicy: 'Never',
            env: [{ name: 'STOP', value: 'immediate' }],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'remote' } }],
      },
    })
    await ground().until('an attachment', () => ground().log.all('attachment').length === 1)
    const [made] = ground().log.changes('attachment', from)
    assert.deepEqual(
      [made?.object.metadata.name, made?.object.spec.attacher, made?.object.spec.nodeName],
      [ATTACHMENT, DRIVER, 'n2'],
    )
    assert.deepEqual(
      [made?.object.spec.source, made?.object.status],
      [{ persistentVolumeName: 'remote' }, { attached: false }],
    )
    // Where a driver does this, it has; on a cluster without one this is the driver.
    const path = `/apis/storage.k8s.io/v1/volumeattachments/${ATTACHMENT}/status`
    await ground().patch(path, { status: { attached: true } })
    await ground().until('it to be attached', () => ground().log.all('attachment')[0]?.status?.attached === true)
    const attached = ground()
      .log.changes('attachment', from)
      .find(({ object }) => object.status?.attached === true)
    const before = ground()
      .log.changes('pod', from)
      .filter(({ object, revision }) => object.metadata.name === 'mounts' && revision < (attached?.revision ?? 0))
    assert.deepEqual([...new Set(before.map(({ object }) => object.status.phase))], ['Pending'])
  })

  test('the kubelet says that it uses it', async () => {
    await ground().until('the node to say so', () => inUse().includes(IN_USE))
  })

  test('it is detached after the pod was told to go, and its kubelet no longer uses it', async () => {
    const { revision } = await ground().now()
    await ground().ask('DELETE', '/api/v1/namespaces/default/pods/mounts')
    await ground().until('both to be gone', () => pod() === undefined && ground().log.all('attachment').length === 0)
    const [gone] = ground()
      .log.changes('attachment', revision)
      .filter(({ type }) => type === 'DELETED')
    const [going] = ground().log.changes('pod', revision)
    assert.ok(gone && going && gone.revision > going.revision)
    assert.deepEqual(inUse(gone.revision), [])
  })
}
