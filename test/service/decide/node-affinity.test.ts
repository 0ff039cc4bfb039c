import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { eligibilityIn } from '../../../src/service/decide/eligibility.ts'
import { anIngressSpec, podsWith } from '../../support/ingress-objects.ts'
import { aNode } from '../../support/roll-world.ts'

type Json = Readonly<Record<string, unknown>>

const said = (terms: readonly unknown[], node: Partial<Node> = {}): string => {
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } }
  const { kind, text } = eligibilityIn(anIngressSpec({ template: podsWith({ affinity: { nodeAffinity } }) }))(
    aNode('n1', node),
  )
  return kind === 'Run' ? kind : `${kind}: ${text}`
}

const RUN = 'Run'
const expressions = (...matchExpressions: readonly Json[]): Json => ({ matchExpressions })
const is = (key: string, operator: string, ...values: readonly unknown[]): Json => ({
  key,
  operator,
  ...(values.length === 0 ? {} : { values }),
})
const named = (operator: string, ...values: readonly string[]): Json => ({
  matchFields: [{ key: 'metadata.name', operator, values }],
})
const NOT_MATCHED = 'Leave: does not match the node affinity of the template: '

const AFFINITY: readonly (readonly [what: string, terms: readonly Json[], node: Partial<Node>, said: string])[] = [
  ['In', [expressions(is('zone', 'In', 'a', 'b'))], { labels: { zone: 'b' } }, RUN],
  ['In without the label', [expressions(is('zone', 'In', 'a', 'b'))], {}, `${NOT_MATCHED}zone In a b`],
  [
    'In of many',
    [expressions(is('zone', 'In', 'a', 'b', 'c', 'd', 'e'))],
    {},
    `${NOT_MATCHED}zone In a b c and 2 more`,
  ],
  ['NotIn', [expressions(is('zone', 'NotIn', 'a'))], { labels: { zone: 'b' } }, RUN],
  ['NotIn without the label', [expressions(is('zone', 'NotIn', 'a'))], {}, RUN],
  [
    'NotIn of its value',
    [expressions(is('zone', 'NotIn', 'a'))],
    { labels: { zone: 'a' } },
    `${NOT_MATCHED}zone NotIn a`,
  ],
  ['Exists', [expressions(is('edge', 'Exists'))], { labels: { edge: '' } }, RUN],
  ['Exists without the label', [expressions(is('edge', 'Exists'))], {}, `${NOT_MATCHED}edge Exists`],
  ['DoesNotExist', [expressions(is('edge', 'DoesNotExist'))], {}, RUN],
  [
    'DoesNotExist with it',
    [expressions(is('gpu', 'DoesNotExist'))],
    { labels: { gpu: '' } },
    `${NOT_MATCHED}gpu DoesNotExist`,
  ],
  ['Gt', [expressions(is('cores', 'Gt', '8'))], { labels: { cores: '16' } }, RUN],
  [
    'Gt of the same number',
    [expressions(is('cores', 'Gt', '8'))],
    { labels: { cores: '8' } },
    `${NOT_MATCHED}cores Gt 8`,
  ],
  [
    'Gt beyond what a double can tell apart',
    [expressions(is('n', 'Gt', '9007199254740992'))],
    { labels: { n: '9007199254740993' } },
    RUN,
  ],
  [
    'Gt of a label that is no number',
    [expressions(is('cores', 'Gt', '8'))],
    { labels: { cores: '9x' } },
    `${NOT_MATCHED}cores Gt 8`,
  ],
  [
    'Gt of a label beyond 64 bits',
    [expressions(is('n', 'Gt', '8'))],
    { labels: { n: '9223372036854775808' } },
    `${NOT_MATCHED}n Gt 8`,
  ],
  ['Lt', [expressions(is('cores', 'Lt', '8'))], { labels: { cores: '4' } }, RUN],
  ['Lt without the label', [expressions(is('cores', 'Lt', '8'))], {}, `${NOT_MATCHED}cores Lt 8`],
  ['its name', [named('In', 'n1')], {}, RUN],
  ['the name of another', [named('In', 'n2')], {}, `${NOT_MATCHED}metadata.name In n2`],
  ['any name but its own', [named('NotIn', 'n1')], {}, `${NOT_MATCHED}metadata.name NotIn n1`],
  [
    'all lines of a term',
    [{ ...expressions(is('zone', 'Exists')), ...named('In', 'n2') }],
    { labels: { zone: 'a' } },
    `${NOT_MATCHED}metadata.name In n2`,
  ],
  ['one of two terms', [expressions(is('zone', 'In', 'a')), named('In', 'n1')], {}, RUN],
  [
    'neither of two terms',
    [expressions(is('zone', 'In', 'a')), named('In', 'n2')],
    {},
    `${NOT_MATCHED}zone In a, nor metadata.name In n2`,
  ],
  ['a term without requirements', [{}], {}, `${NOT_MATCHED}a term without requirements`],
  ['a term without requirements beside one that matches', [{}, named('In', 'n1')], {}, RUN],
]

const REFUSED: readonly (readonly [terms: readonly unknown[], why: string])[] = [
  [[], 'is empty'],
  [['zone=a'], '0 is not an object'],
  [[expressions(is('zone', 'Is', 'a'))], '0.operator is Is'],
  [[expressions(is('zone', 'In'))], '0 has values that In does not take'],
  [[expressions(is('zone', 'Exists', 'a'))], '0 has values that Exists does not take'],
  [[expressions(is('zone', 'Gt', 'a'))], '0 has values that Gt does not take'],
  [[expressions(is('n', 'Lt', '-9223372036854775809'))], '0 has values that Lt does not take'],
  [[expressions(is('zone', 'In', 3))], 'values.0 is not text'],
  [[named('In', 'n1', 'n2')], '0 is not metadata.name In or NotIn one name'],
  [[{ matchFields: [is('spec.unschedulable', 'In', 'true')] }], '0 is not metadata.name In or NotIn one name'],
]

for (const [what, terms, node, want] of AFFINITY) {
  test(`required node affinity: ${what}`, () => assert.equal(said(terms, node), want))
}

test('node affinity that the API server would refuse takes pods from no node', () => {
  for (const [terms, why] of REFUSED) {
    const text = said(terms)
    assert.match(text, /^Keep: cannot be judged: template\.spec\.affinity\./)
    assert.ok(text.endsWith(why), text)
  }
})

test('preferred node affinity keeps no node out', () => {
  const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: named('In', 'n2') }] }
  const spec = anIngressSpec({ template: podsWith({ affinity: { nodeAffinity: preferred } }) })
  assert.equal(eligibilityIn(spec)(aNode('n1')).kind, RUN)
})
