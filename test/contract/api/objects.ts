import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiDoor } from './api-door.ts'
import { field, fields } from './field.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const DAEMON_SETS = '/apis/apps/v1/namespaces/default/daemonsets'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases'

const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'none' }] } },
  },
})

/** Making, reading and replacing objects. */
export function objectsContract(door: () => ApiDoor): void {
  const ask: ApiDoor['ask'] = (...words) => door().ask(...words)

  test('what is made is stamped, and read back as it was stored', async () => {
    const made = await ask('POST', MAPS, {
      body: { metadata: { name: 'stamped', labels: { a: 'b' } }, data: { k: 'v' } },
    })
    assert.equal(made.status, 201)
    assert.deepEqual(fields(made.body, 'kind', 'apiVersion', 'metadata.namespace', 'data.k'), [
      'ConfigMap',
      'v1',
      'default',
      'v',
    ])
    assert.match(String(field(made.body, 'metadata.uid')), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.match(String(field(made.body, 'metadata.creationTimestamp')), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.match(String(field(made.body, 'metadata.resourceVersion')), /^\d+$/)
    const read = await ask('GET', `${MAPS}/stamped`)
    assert.equal(read.status, 200)
    assert.deepEqual(field(read.body, 'metadata.uid'), field(made.body, 'metadata.uid'))
    assert.deepEqual(field(read.body, 'metadata.resourceVersion'), field(made.body, 'metadata.resourceVersion'))
  })

  test('a version is refused of a new object, but not where it is only tried', async () => {
    const body = { metadata: { name: 'versioned', resourceVersion: '7' } }
    assert.equal((await ask('POST', MAPS, { body })).status, 500)
    assert.equal((await ask('POST', `${MAPS}?dryRun=All`, { body })).status, 201)
  })

  test('an old resourceVersion is refused first, whatever else is wrong with the object', async () => {
    const { body } = await ask('POST', MAPS, { body: { metadata: { name: 'stale' } } })
    const metadata = { name: 'stale', resourceVersion: '1', deletionTimestamp: '2020-01-01T00:00:00Z' }
    assert.equal((await ask('PUT', `${MAPS}/stale`, { body: { ...(body as object), metadata } })).status, 409)
  })

  test('a name is taken once', async () => {
    await ask('POST', MAPS, { body: { metadata: { name: 'taken' } } })
    const { status, body } = await ask('POST', MAPS, { body: { metadata: { name: 'taken' } } })
    assert.equal(status, 409)
    assert.deepEqual(fields(body, 'reason', 'message', 'details.kind'), [
      'AlreadyExists',
      'configmaps "taken" already exists',
      'configmaps',
    ])
  })

  test('a name may be left to the server, and a bad one or none is invalid', async () => {
    const made = await ask('POST', MAPS, { body: { metadata: { generateName: 'some-' } } })
    assert.match(String(field(made.body, 'metadata.name')), /^some-[a-z0-9]{5}$/)
    const bad = await ask('POST', MAPS, { body: { metadata: { name: 'Not_A_Name' } } })
    assert.deepEqual([bad.status, ...fields(bad.body, 'reason', 'details.kind')], [422, 'Invalid', 'ConfigMap'])
    assert.match(
      String(field(bad.body, 'message')),
      /^ConfigMap "Not_A_Name" is invalid: metadata\.name: Invalid value: /,
    )
    const none = await ask('POST', MAPS, { body: { metadata: {} } })
    assert.equal(none.status, 422)
    assert.match(
      String(field(none.body, 'message')),
      /metadata\.name: Required value: name or generateName is required/,
    )
  })

  test('what is not there is not found, and neither is its namespace or its kind', async () => {
    const nobody = await ask('GET', `${DEPLOYMENTS}/nobody`)
    assert.deepEqual(
      [nobody.status, ...fields(nobody.body, 'reason', 'message', 'details.group', 'details.kind')],
      [404, 'NotFound', 'deployments.apps "nobody" not found', 'apps', 'deployments'],
    )
    const nowhere = await ask('POST', '/api/v1/namespaces/nowhere/configmaps', { body: { metadata: { name: 'x' } } })
    assert.deepEqual([nowhere.status, field(nowhere.body, 'message')], [404, 'namespaces "nowhere" not found'])
    const unknown = await ask('GET', '/apis/apps/v1/namespaces/default/wishes')
    assert.equal(unknown.status, 404)
  })

  test('an object of another kind or namespace is refused', async () => {
    const kind = await ask('POST', MAPS, { body: { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'odd' } } })
    assert.deepEqual([kind.status, field(kind.body, 'reason')], [400, 'BadRequest'])
    const place = await ask('POST', MAPS, { body: { metadata: { name: 'odd', namespace: 'kube-system' } } })
    assert.deepEqual(
      [place.status, field(place.body, 'message')],
      [400, 'the namespace of the provided object does not match the namespace sent on the request'],
    )
  })

  test('a replacement under the version that was read is made, under an older one it is a conflict', async () => {
    const { body: first } = await ask('POST', MAPS, { body: { metadata: { name: 'raced' }, data: { n: '1' } } })
    const second = { ...(first as object), data: { n: '2' } }
    assert.equal((await ask('PUT', `${MAPS}/raced`, { body: second })).status, 200)
    const { status, body } = await ask('PUT', `${MAPS}/raced`, { body: { ...(first as object), data: { n: '3' } } })
    assert.deepEqual(
      [status, ...fields(body, 'reason', 'message')],
      [
        409,
        'Conflict',
        'Operation cannot be fulfilled on configmaps "raced": the object has been modified; please apply your changes to the latest version and try again',
      ],
    )
    assert.equal(field((await ask('GET', `${MAPS}/raced`)).body, 'data.n'), '2')
  })

  test('a replacement without a version is made, but of a Lease it is not', async () => {
    await ask('POST', MAPS, { body: { metadata: { name: 'blind' } } })
    assert.equal(
      (await ask('PUT', `${MAPS}/blind`, { body: { metadata: { name: 'blind' }, data: { k: 'v' } } })).status,
      200,
    )
    await ask('POST', LEASES, { body: { metadata: { name: 'blind' }, spec: { holderIdentity: 'a' } } })
    const { status, body } = await ask('PUT', `${LEASES}/blind`, { body: { metadata: { name: 'blind' }, spec: {} } })
    assert.equal(status, 422)
    assert.match(
      String(field(body, 'message')),
      /metadata\.resourceVersion: Invalid value: .*must be specified for an update/,
    )
  })

  test('a replacement of another object of the same name is a conflict that names both', async () => {
    const { body: made } = await ask('POST', MAPS, { body: { metadata: { name: 'other' } } })
    const uid = '00000000-0000-4000-8000-000000000000'
    const { status, body } = await ask('PUT', `${MAPS}/other`, { body: { metadata: { name: 'other', uid } } })
    assert.equal(status, 409)
    assert.match(
      String(field(body, 'message')),
      new RegExp(
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${field(made, 'metadata.uid')}`,
      ),
    )
  })

  test('what changes nothing is no write', async () => {
    const { body: made } = await ask('POST', MAPS, { body: { metadata: { name: 'same' }, data: { k: 'v' } } })
    const again = await ask('PUT', `${MAPS}/same`, { body: made })
    assert.equal(field(again.body, 'metadata.resourceVersion'), field(made, 'metadata.resourceVersion'))
  })

  test('the spec is counted, and nothing else', async () => {
    const { body: made } = await ask('POST', DEPLOYMENTS, { body: deployment('counted') })
    assert.equal(field(made, 'metadata.generation'), 1)
    const contentType = 'application/merge-patch+json'
    const labelled = await ask('PATCH', `${DEPLOYMENTS}/counted`, {
      contentType,
      body: { metadata: { labels: { x: 'y' } } },
    })
    assert.equal(field(labelled.body, 'metadata.generation'), 1)
    const paused = await ask('PATCH', `${DEPLOYMENTS}/counted`, { contentType, body: { spec: { paused: true } } })
    assert.equal(field(paused.body, 'metadata.generation'), 2)
  })

  test('a DaemonSet counts the changes of its template apart, in an annotation that no client can write', async () => {
    const contentType = 'application/merge-patch+json'
    const { replicas: _, ...counting } = deployment('template-counted').spec
    const body = { metadata: { name: 'template-counted' }, spec: counting }
    const counted = ({ body: of }: { readonly body: unknown }): unknown =>
      (field(of, 'metadata.annotations') as Readonly<Record<string, string>>)[
        'deprecated.daemonset.template.generation'
      ]
    assert.equal(counted(await ask('POST', DAEMON_SETS, { body })), '1')
    const change = async (patch: object) =>
      counted(await ask('PATCH', `${DAEMON_SETS}/template-counted`, { contentType, body: patch }))
    assert.equal(await change({ spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: null } } }), '1')
    assert.equal(await change({ spec: { template: { metadata: { annotations: { x: 'y' } } } } }), '2')
    assert.equal(await change({ metadata: { annotations: null } }), '2')
  })

  test('a status is written by its own way, which writes no spec', async () => {
    await ask('POST', '/api/v1/nodes', { body: { metadata: { name: 'two-faced' } } })
    const contentType = 'application/merge-patch+json'
    const both = { spec: { unschedulable: true }, status: { conditions: [{ type: 'Seen', status: 'True' }] } }
    const main = await ask('PATCH', '/api/v1/nodes/two-faced', { contentType, body: both })
    assert.equal(field(main.body, 'spec.unschedulable'), true)
    const conditions = (field(main.body, 'status.conditions') ?? []) as readonly { readonly type: string }[]
    assert.deepEqual(
      conditions.filter(({ type }) => type === 'Seen'),
      [],
    )
    const own = { spec: { unschedulable: false }, status: { conditions: [{ type: 'Seen', status: 'True' }] } }
    const status = await ask('PATCH', '/api/v1/nodes/two-faced/status', { contentType, body: own })
    assert.equal(field(status.body, 'spec.unschedulable'), true)
    assert.equal(field(status.body, 'status.conditions.0.type'), 'Seen')
  })

  test('a dry run answers as the write would, and writes nothing', async () => {
    const made = await ask('POST', `${MAPS}?dryRun=All`, { body: { metadata: { name: 'tried' } } })
    assert.deepEqual([made.status, field(made.body, 'metadata.name')], [201, 'tried'])
    assert.equal((await ask('GET', `${MAPS}/tried`)).status, 404)
    await ask('POST', MAPS, { body: { metadata: { name: 'kept' }, data: { k: 'v' } } })
    const gone = await ask('DELETE', `${MAPS}/kept?dryRun=All`)
    assert.equal(gone.status, 200)
    const changed = await ask('PUT', `${MAPS}/kept?dryRun=All`, {
      body: { metadata: { name: 'kept' }, data: { k: 'w' } },
    })
    assert.equal(field(changed.body, 'data.k'), 'w')
    assert.equal(field((await ask('GET', `${MAPS}/kept`)).body, 'data.k'), 'v')
  })

  test('the status of what is made says nothing but the numbers that cannot be left out', async () => {
    const { selector, template } = deployment('fresh').spec
    const spec = { replicas: 0, selector, template }
    const apps = '/apis/apps/v1/namespaces/default'
    const source = { persistentVolumeName: 'none' }
    const rows: readonly (readonly [string, object, object])[] = [
      [`${apps}/deployments`, spec, {}],
      [`${apps}/replicasets`, spec, { replicas: 0 }],
      [`${apps}/statefulsets`, { ...spec, serviceName: 'none' }, { replicas: 0, availableReplicas: 0 }],
      [
        `${apps}/daemonsets`,
        { selector, template: { ...template, spec: { ...template.spec, nodeSelector: { 'test.local/no': 'node' } } } },
        { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
      ],
      [
        '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
        { selector, minAvailable: 0 },
        { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
      ],
      [
        '/apis/storage.k8s.io/v1/volumeattachments',
        { attacher: 'test.local', nodeName: 'n9', source },
        { attached: false },
      ],
    ]
    for (const [path, made, status] of rows) {
      const body = { metadata: { name: 'fresh' }, spec: made, status: { replicas: 7, attached: true } }
      const answer = await ask('POST', path, { body })
      assert.deepEqual([answer.status, field(answer.body, 'status')], [201, status], path)
    }
  })
}
