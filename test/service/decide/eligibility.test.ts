import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Node } from '../../../src/ground/model/node.ts'
import type { IngressSpec } from '../../../src/ingress/model/ingress-daemon-set.ts'
import { eligibilityIn } from '../../../src/service/decide/eligibility.ts'
import { anIngressSpec, podsWith } from '../../support/ingress-objects.ts'
import { aNode } from '../../support/roll-world.ts'

type Json = Readonly<Record<string, unknown>>

const said = (spec: IngressSpec, node: Partial<Node>): string => {
  const { kind, text } = eligibilityIn(spec)(aNode('n1', node))
  return kind === 'Run' ? kind : `${kind}: ${text}`
}

const RUN = 'Run'
const tainted = (...taints: readonly string[]): Partial<Node> => ({
  taints: taints.map((taint) => {
    const [, key = '', value, effect = ''] = /^([^=:]+)(?:=(.*))?:(\w+)$/.exec(taint) ?? []
    return { key, effect, ...(value === undefined ? {} : { value }) }
  }),
})
const ROWS: readonly (readonly [what: string, spec: IngressSpec, node: Partial<Node>, said: string])[] = [
  ['a plain node', anIngressSpec(), {}, RUN],
  [
    'a control plane without a taint',
    anIngressSpec(),
    { labels: { 'node-role.kubernetes.io/control-plane': '' } },
    RUN,
  ],
  ['one that is being deleted', anIngressSpec(), { deleting: true }, 'Leave: is being deleted'],
  [
    'one that the autoscaler removes',
    anIngressSpec({ template: podsWith({ tolerations: [{ operator: 'Exists' }] }) }),
    tainted('ToBeDeletedByClusterAutoscaler=1700000000:NoSchedule'),
    'Leave: has the taint ToBeDeletedByClusterAutoscaler=1700000000:NoSchedule and is about to be removed',
  ],
  [
    'one that the autoscaler only thinks of',
    anIngressSpec(),
    tainted('DeletionCandidateOfClusterAutoscaler=1700000000:PreferNoSchedule'),
    RUN,
  ],
]

const SELECTORS: typeof ROWS = [
  ['a label that nodeSelector asks for', anIngressSpec({ nodeSelector: { edge: '' } }), { labels: { edge: '' } }, RUN],
  [
    'a label with another value',
    anIngressSpec({ nodeSelector: { zone: 'a' } }),
    { labels: { zone: 'b' } },
    'Leave: lacks the label zone=a, which nodeSelector asks for',
  ],
  [
    'a label that every object has from its prototype',
    anIngressSpec({ nodeSelector: { constructor: '' } }),
    {},
    'Leave: lacks the label constructor=, which nodeSelector asks for',
  ],
  [
    'a label that the template asks for',
    anIngressSpec({ nodeSelector: { edge: '' }, template: podsWith({ nodeSelector: { zone: 'a' } }) }),
    { labels: { edge: '' } },
    'Leave: lacks the label zone=a, which the nodeSelector of the template asks for',
  ],
]

const TAINTS: readonly (readonly [what: string, tolerations: readonly Json[], node: Partial<Node>, said: string])[] = [
  [
    'a taint that refuses pods',
    [],
    tainted('gpu=yes:NoSchedule'),
    'Keep: has the taint gpu=yes:NoSchedule, which the template does not tolerate',
  ],
  [
    'a taint that evicts pods',
    [],
    tainted('gpu:NoSchedule', 'away:NoExecute'),
    'Leave: has the taint away:NoExecute, which the template does not tolerate',
  ],
  ['a taint that only asks', [], tainted('gpu=yes:PreferNoSchedule'), RUN],
  [
    'a taint that is tolerated',
    [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }],
    tainted('gpu=yes:NoSchedule'),
    RUN,
  ],
  [
    'one of every effect',
    [{ key: 'gpu', operator: '', value: 'yes' }],
    tainted('gpu=yes:NoSchedule', 'gpu=yes:NoExecute'),
    RUN,
  ],
  [
    'another value',
    [{ key: 'gpu', value: 'no' }],
    tainted('gpu=yes:NoSchedule'),
    'Keep: has the taint gpu=yes:NoSchedule, which the template does not tolerate',
  ],
  [
    'another effect',
    [{ key: 'gpu', operator: 'Exists', effect: 'NoExecute' }],
    tainted('gpu:NoSchedule'),
    'Keep: has the taint gpu:NoSchedule, which the template does not tolerate',
  ],
  ['all taints', [{ operator: 'Exists' }], tainted('a:NoSchedule', 'b=c:NoExecute'), RUN],
  ['a number above', [{ key: 'sla', operator: 'Gt', value: '750' }], tainted('sla=800:NoSchedule'), RUN],
  ['a number below', [{ key: 'sla', operator: 'Lt', value: '750' }], tainted('sla=700:NoSchedule'), RUN],
  [
    'the same number',
    [{ key: 'sla', operator: 'Gt', value: '750' }],
    tainted('sla=750:NoSchedule'),
    'Keep: has the taint sla=750:NoSchedule, which the template does not tolerate',
  ],
  [
    'a toleration for some seconds',
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }],
    tainted('a:NoExecute'),
    RUN,
  ],
  [
    'the network that is not set up',
    [],
    tainted('node.kubernetes.io/network-unavailable:NoSchedule'),
    'Keep: has the taint node.kubernetes.io/network-unavailable:NoSchedule, which the template does not tolerate',
  ],
  [
    'a power cut that an administrator confirms',
    [],
    tainted('node.kubernetes.io/out-of-service=nodeshutdown:NoExecute'),
    'Leave: has the taint node.kubernetes.io/out-of-service=nodeshutdown:NoExecute, which the template does not tolerate',
  ],
]

for (const [what, spec, node, want] of [...ROWS, ...SELECTORS]) {
  test(`eligibility: ${what}`, () => assert.equal(said(spec, node), want))
}

for (const [what, tolerations, node, want] of TAINTS) {
  test(`taints: ${what}`, () => assert.equal(said(anIngressSpec({ template: podsWith({ tolerations }) }), node), want))
}

test('pods of the host network tolerate that the network is not set up', () => {
  const spec = anIngressSpec({ template: podsWith({ hostNetwork: true }) })
  assert.equal(said(spec, tainted('node.kubernetes.io/network-unavailable:NoSchedule')), RUN)
})

test('tolerations that the API server would refuse take pods from no node', () => {
  for (const toleration of [{ key: 'a', operator: 'Is' }, { value: 'a' }, 'a']) {
    const spec = anIngressSpec({ template: podsWith({ tolerations: [toleration] }) })
    assert.match(said(spec, {}), /^Keep: cannot be judged: template\.spec\.tolerations\.0/)
    assert.equal(said(spec, { deleting: true }), 'Leave: is being deleted')
  }
  assert.match(said(anIngressSpec({ template: podsWith({ nodeSelector: { a: 1 } }) }), {}), /^Keep: cannot be judged/)
})

const text = fc.constantFrom('a', 'b', 'c')
const aTaint = fc.record({
  key: text,
  value: text,
  effect: fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule'),
})

test('neither a cordon nor a node that is not Ready changes what a node is', () => {
  const node = fc.record({ labels: fc.dictionary(text, text), taints: fc.array(aTaint, { maxLength: 2 }) })
  const spec = anIngressSpec({
    nodeSelector: { a: 'a' },
    template: podsWith({ tolerations: [{ key: 'b', operator: 'Exists' }] }),
  })
  const trouble = fc.subarray([
    'node.kubernetes.io/unschedulable:NoSchedule',
    'node.kubernetes.io/not-ready:NoSchedule',
    'node.kubernetes.io/not-ready:NoExecute',
    'node.kubernetes.io/unreachable:NoSchedule',
    'node.kubernetes.io/unreachable:NoExecute',
    'node.kubernetes.io/disk-pressure:NoSchedule',
    'node.kubernetes.io/memory-pressure:NoSchedule',
    'node.kubernetes.io/pid-pressure:NoSchedule',
  ])
  fc.assert(
    fc.property(node, trouble, fc.constantFrom('True', 'False', 'Unknown'), (is, more, ready) => {
      const taints = [...is.taints, ...(tainted(...more).taints ?? [])]
      assert.equal(said(spec, { ...is, taints, ready, unschedulable: true }), said(spec, is))
    }),
  )
})

test('another taint never makes a node more eligible', () => {
  const RANK = ['Leave', 'Keep', 'Run']
  const judge = eligibilityIn(anIngressSpec({ template: podsWith({ tolerations: [{ key: 'a', value: 'b' }] }) }))
  fc.assert(
    fc.property(fc.array(aTaint, { maxLength: 3 }), aTaint, (taints, more) => {
      const [fewer, all] = [taints, [...taints, more]].map((list) => judge(aNode('n1', { taints: list })).kind)
      assert.ok(RANK.indexOf(all ?? '') <= RANK.indexOf(fewer ?? ''))
    }),
  )
})
