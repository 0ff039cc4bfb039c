import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFleet } from '../../support/ingress-api/api-fleet.ts'
import { conditionOf } from '../../support/ingress-api/api-object.ts'
import type { IngressApiGround } from '../../support/ingress-api/ingress-api-ground.ts'

/** What the pods are made of, and what the object says of itself. */
export function fieldsOfWords(ground: () => IngressApiGround): void {
  test('template: labels, annotations and every field of the pod stay as they were written', async () => {
    const fleet = await newFleet(ground(), 'of-template', 2)
    const labels = { app: 'ingress-nginx', 'app.kubernetes.io/name': 'ingress-nginx' }
    const annotations = { 'prometheus.io/port': '10254' }
    const container = { name: 'web', image: 'web:1', args: ['--v=1'], env: [{ name: 'A', value: 'b' }] }
    const pod = { terminationGracePeriodSeconds: 300, containers: [container] }
    await fleet.create('web:1', { template: { metadata: { labels, annotations }, spec: pod } })
    for (const { metadata, spec = {} } of fleet.pods()) {
      assert.deepEqual({ ...metadata.labels, ...labels }, metadata.labels)
      assert.deepEqual({ ...metadata.annotations, ...annotations }, metadata.annotations)
      const [made] = spec.containers as readonly Readonly<Record<string, unknown>>[]
      assert.deepEqual(
        [spec.terminationGracePeriodSeconds, made?.args, made?.env],
        [300, container.args, container.env],
      )
    }
    const { length } = fleet.pods()
    assert.equal(length, 2)
  })

  test('status: counts, conditions and columns say how far a rollout is, and of which spec', async () => {
    const fleet = await newFleet(ground(), 'says-so', 2)
    const { kubectl } = ground().bed
    const row = async (): Promise<Readonly<Record<string, string>>> => {
      const table = await kubectl(['get', 'ingressdaemonsets.evenkeel.dev', fleet.name, '-o', 'wide'])
      const [heads = [], cells = []] = table.split('\n').map((line) => line.trim().split(/\s{2,}/))
      return Object.fromEntries(heads.map((head, i) => [head, cells[i] ?? '']))
    }
    const grace = { annotateDeploymentToDetach: { gracePeriodSeconds: 6 } }
    await fleet.create('web:1', fleet.detaching(grace))
    await kubectl(['wait', `ingressdaemonset.evenkeel.dev/${fleet.name}`, '--for=condition=Ready', '--timeout=10s'])
    const { AGE: _age, REVISION: first, ...settled } = await row()
    assert.deepEqual(settled, {
      ...{ NAME: 'says-so', DESIRED: '2', READY: '2', UPDATED: '2', DETACHED: '0', STUCK: '0' },
      ...{ STATUS: 'AllInService', 'PODS/NODE': '2', IMAGES: 'web:1' },
    })
    await fleet.changeImage('web:2')
    const detached = () => fleet.object()?.status?.detachedNodes === 1
    await ground().until('a node to be detached', detached)
    const { DETACHED, STATUS, REVISION: second, UPDATED } = await row()
    assert.deepEqual([DETACHED, STATUS, UPDATED], ['1', 'RollingOut', '0'])
    assert.notEqual(first, second)
    const object = fleet.object()
    assert.ok(object)
    const [out, ...others] = (object.status?.nodes ?? []) as readonly {
      readonly name: string
      readonly state: string
    }[]
    assert.deepEqual([out?.state, others.map(({ state }) => state)], ['Detaching', ['Queued']])
    assert.deepEqual(
      ['Available', 'Progressing', 'Stalled', 'Degraded', 'Ready'].map((type) => conditionOf(object, type)),
      ['True EnoughInService', 'True RollingOut', 'False NotStalled', 'False AsWanted', 'False RollingOut'],
    )
    assert.equal(object.status?.observedGeneration, object.metadata.generation)
    await fleet.rolledOut('web:2')
    const { UPDATED: updated, READY, STATUS: last } = await row()
    assert.deepEqual([updated, READY, last], ['2', '2', 'AllInService'])
  })
}
