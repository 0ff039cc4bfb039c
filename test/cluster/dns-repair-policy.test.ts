import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Bed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { shipped } from '../support/agent-chart.ts'
import type { RawApi } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'
import { KubeGround } from './kube-ground.ts'

const NAMESPACE = 'kube-system'
const REPAIRER = '--as=system:serviceaccount:evenkeel:evenkeel-dns'
/** The admission of a real API server hears of a policy in its own time. */
const IN_FORCE_WITHIN_MS = 30_000

describe('the repair of DNS by the shipped rights and policy', requires('testbed'), () => {
  const ground = new KubeGround()
  let bed: Bed
  let raw: RawApi

  /** What the API server says to that patch, where it refuses it. */
  const refusalOf = (patch: readonly object[], ...flags: readonly string[]): Promise<string | undefined> =>
    bed
      .kubectl(['patch', 'pod', '-n', NAMESPACE, 'coredns', '--type=json', '-p', JSON.stringify(patch), ...flags])
      .then(() => undefined)
      .catch((error: unknown) => String(error))
  const IMAGE = [{ op: 'replace', path: '/spec/containers/0/image', value: 'other' }]

  before(async () => {
    ;({ bed, raw } = await ground.open())
    for (const file of ['dns-rbac.yaml', 'dns-repair-rbac.yaml', 'dns-repair-policy.yaml'])
      await bed.apply(shipped(file))
    await bed.kubectl(['wait', '--for=create', 'serviceaccount/default', '-n', NAMESPACE, '--timeout=30s'])
    const metadata = { name: 'coredns', labels: { 'k8s-app': 'kube-dns', team: 'platform' } }
    const spec = { containers: [{ name: 'coredns', image: 'none' }] }
    const made = await raw('POST', `/api/v1/namespaces/${NAMESPACE}/pods`, { metadata, spec })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const what = 'the policy to be in force'
    await waitFor({ what, limitMs: IN_FORCE_WITHIN_MS, everyMs: 200 }, async () =>
      (await refusalOf(IMAGE, REPAIRER, '--dry-run=server')) === undefined ? undefined : true,
    )
  })
  after(() => ground.close())

  test('may change nothing of a pod but its labels, and add none that makes it a pod of another Service', async () => {
    for (const [patch, refusal] of [
      [IMAGE, /does not change the spec of a pod/],
      [[{ op: 'add', path: '/metadata/annotations', value: { a: 'b' } }], /does not change the annotations of a pod/],
      [[{ op: 'add', path: '/metadata/finalizers', value: ['a.test/b'] }], /does not change the finalizers of a pod/],
      [
        [
          {
            op: 'add',
            path: '/metadata/ownerReferences',
            value: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u' }],
          },
        ],
        /does not change the owners of a pod/,
      ],
      [[{ op: 'add', path: '/metadata/labels/app', value: 'shop' }], /takes labels away and sets/],
      [[{ op: 'replace', path: '/metadata/labels/team', value: 'shop' }], /takes labels away and sets/],
    ] as const)
      assert.match((await refusalOf(patch, REPAIRER)) ?? 'it was done', refusal)
  })

  test('may put a pod in quarantine', async () => {
    const value = { team: 'platform', 'evenkeel.dev/quarantine': 'dns' }
    assert.equal(await refusalOf([{ op: 'replace', path: '/metadata/labels', value }], REPAIRER), undefined)
    const labels = await bed.kubectl(['get', 'pod', '-n', NAMESPACE, 'coredns', '-o', 'jsonpath={.metadata.labels}'])
    assert.deepEqual(JSON.parse(labels), value)
  })

  test('is alone held to that: others change images as before', async () => {
    assert.equal(await refusalOf(IMAGE), undefined)
  })
})
