import assert from 'node:assert/strict'
import { test } from 'node:test'
import { INGRESS_GROUPS } from '../../../src/ground/model/ingress-keys.ts'
import { apiVersionOf, qualifiedResource } from '../../../src/ground/model/object-kind.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { ingressKind } from '../../../src/ingress/decide/ingress-kind.ts'
import { ingress } from '../../support/ingress/ingress-row.ts'

const served = { uid: 'u1', resourceVersion: '7', generation: 1 }
const stored = (object: object): Untrusted => {
  const { metadata } = object as { readonly metadata: object }
  return new Untrusted({ ...object, metadata: { ...metadata, ...served } }, 'object')
}

test('the kind is the same in both groups', () => {
  assert.deepEqual(
    INGRESS_GROUPS.map((group) => apiVersionOf(ingressKind(group))),
    ['evenkeel.dev/v1alpha1', 'ingressdaemonsets.mumoshu.github.io/v1alpha1'],
  )
  assert.deepEqual(
    INGRESS_GROUPS.map((group) => qualifiedResource(ingressKind(group))),
    ['ingressdaemonsets.evenkeel.dev', 'ingressdaemonsets.ingressdaemonsets.mumoshu.github.io'],
  )
  const [ours, theirs] = INGRESS_GROUPS.map((group) => ingressKind(group).parse(stored(ingress({ podsPerNode: 2 }))))
  assert.deepEqual(theirs, { ...ours, group: 'ingressdaemonsets.mumoshu.github.io' })
})

test('an object that no schema has refused is read with what is wrong with it', () => {
  const { parse } = ingressKind('evenkeel.dev')
  const { spec, findings } = parse(stored(ingress({ podsPerNode: 2, minReadyPodsPerNode: 3 })))
  assert.equal(spec.podsPerNode, 2)
  assert.deepEqual(
    findings.map(({ code, severity }) => [code, severity]),
    [['moreReadyThanPods', 'error']],
  )
})
