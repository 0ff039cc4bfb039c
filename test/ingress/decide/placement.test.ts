import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Node } from '../../../src/ground/model/node.ts'
import { wantedDeployment } from '../../../src/ingress/decide/deployment.ts'
import { newIdentity } from '../../../src/ingress/decide/names.ts'
import { eligibilityIn } from '../../../src/service/decide/eligibility.ts'
import { daemonPlacement } from '../../../src/sim/actors/daemon-placement.ts'
import { type NodeSelector, nodeSelectorMatches } from '../../../src/sim/actors/node-affinity.ts'
import type { NodeObject } from '../../../src/sim/actors/node-object.ts'
import type { PodTemplate } from '../../../src/sim/actors/owned-pods.ts'
import { anIngress, anIngressSpec, podsWith } from '../../support/ingress-objects.ts'
import { aNode } from '../../support/roll-world.ts'

const word = fc.constantFrom('a', 'b', '1', '2')
const key = fc.constantFrom('x', 'y')
const names = fc.constantFrom('n1', 'n2')

const expression = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values: fc.array(word, { minLength: 1, maxLength: 2 }) }),
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  fc.record({ key, operator: fc.constantFrom('Gt', 'Lt'), values: fc.constantFrom(['1'], ['2']) }),
)
const field = fc.record({
  key: fc.constant('metadata.name'),
  operator: fc.constantFrom('In', 'NotIn'),
  values: fc.tuple(names),
})
const term = fc.record(
  { matchExpressions: fc.array(expression, { maxLength: 2 }), matchFields: fc.array(field, { maxLength: 1 }) },
  { requiredKeys: [] },
)
const required = fc.record({ nodeSelectorTerms: fc.array(term, { minLength: 1, maxLength: 3 }) })
const affinity = required.map((selector) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: selector },
}))

const effect = fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule')
const toleration = fc.oneof(
  fc.record({ key, operator: fc.constant('Exists'), effect }, { requiredKeys: ['operator'] }),
  fc.record({ key, operator: fc.constant('Equal'), value: word, effect }, { requiredKeys: ['key'] }),
)
const pods = fc.record(
  {
    nodeSelector: fc.dictionary(key, word, { maxKeys: 1 }),
    affinity,
    tolerations: fc.array(toleration, { maxLength: 2 }),
    hostNetwork: fc.boolean(),
  },
  { requiredKeys: [] },
)

const taint = fc.record({
  key: fc.constantFrom('x', 'y', 'node.kubernetes.io/disk-pressure', 'node.kubernetes.io/network-unavailable'),
  value: word,
  effect,
})
const aNodeOf = fc
  .record({ name: names, labels: fc.dictionary(key, word, { maxKeys: 2 }), taints: fc.array(taint, { maxLength: 2 }) })
  .map(({ name, ...change }) => aNode(name, change))

const objectOf = ({ name, labels, taints }: Node): NodeObject =>
  ({ metadata: { name, labels }, spec: { taints } }) as unknown as NodeObject

test('a node is what the DaemonSet controller of the embedded cluster takes it for', () => {
  fc.assert(
    fc.property(pods, aNodeOf, (spec, node) => {
      const template = podsWith(spec)
      const { shouldRun, shouldStay } = daemonPlacement(objectOf(node), template as unknown as PodTemplate)
      const { kind } = eligibilityIn(anIngressSpec({ template }))(node)
      assert.equal(kind, shouldRun ? 'Run' : shouldStay ? 'Keep' : 'Leave')
    }),
    { numRuns: 1_000 },
  )
})

test('the pods of a node fit where the template fits, and on no other node', () => {
  fc.assert(
    fc.property(affinity, aNodeOf, names, (asked, node, own) => {
      const ids = anIngress({ template: podsWith({ affinity: asked }) })
      const order = { identity: newIdentity(ids, own), revision: { number: 1, hash: 'a' }, replicas: 1 }
      const made = wantedDeployment(ids, order).spec as { readonly template: { readonly spec: object } }
      const bound = made.template.spec as { readonly affinity: typeof asked }
      const matches = ({ nodeAffinity }: typeof asked): boolean =>
        nodeSelectorMatches(
          nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution as unknown as NodeSelector,
          objectOf(node),
        )
      assert.equal(matches(bound.affinity), node.name === own && matches(asked))
    }),
    { numRuns: 1_000 },
  )
})
