import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InitSnapshot } from '../../../../src/explain/decide/init/init-snapshot.ts'
import type { RollSpec } from '../../../../src/roll/model/roll-spec.ts'
import { aNode } from '../../../support/roll-world.ts'
import { backend, CONTROL, FACTS, instance, proposed, server } from './init-world.ts'

const found = <T>(...value: readonly T[]) => ({ is: 'found', value }) as const
const REFUSED = { is: 'failed', text: 'the API server refused it', code: 'KUBE_FORBIDDEN' } as const
const web = backend('web', [server(1), server(2), server(3)])
const MIXED = found(aNode('n1'), aNode('n2'), aNode('n3'), aNode('n4', { labels: CONTROL }))

interface Expected {
  /** `balancer instance+instance backend,backend`. */
  readonly balancers?: readonly string[]
  readonly nodes?: Partial<RollSpec['nodes']>
  readonly questions?: readonly string[]
  readonly leftOut?: readonly (string | RegExp)[]
  readonly isComplete?: boolean
  /** What the text of the file says. */
  readonly says?: readonly RegExp[]
}

type Case = readonly [what: string, facts: Partial<InitSnapshot>, answers: Readonly<Record<string, string>>, Expected]

const BASE = ['reboot', 'probe']
const PROBES = /^probes: the URL that clients use is not known/

const TABLE: readonly Case[] = [
  [
    'one HAProxy in front of all nodes',
    {},
    {},
    { balancers: ['edge lb-1 web'], nodes: { all: true }, questions: BASE, leftOut: [PROBES], isComplete: true },
  ],
  [
    'a control plane that is not behind it',
    { nodes: MIXED },
    {},
    {
      balancers: ['edge lb-1 web'],
      questions: ['nodes', ...BASE],
      says: [/selector: "!node-role\.kubernetes\.io\/control-plane"/],
    },
  ],
  [
    'a control plane that is to be rolled, and matches no server',
    { nodes: MIXED },
    { nodes: 'all' },
    {
      nodes: { names: ['n1', 'n2', 'n3'] },
      questions: ['nodes', 'unbalanced', ...BASE],
      leftOut: [/^node n4/, PROBES],
    },
  ],
  [
    'the same, and a person wants it rolled without a detach',
    { nodes: MIXED },
    { nodes: 'all', unbalanced: 'y' },
    { nodes: { all: true, allowUnbalanced: true }, leftOut: [PROBES], isComplete: true },
  ],
  [
    'balancers that send to the control plane alone: it is what is rolled',
    {
      nodes: found(aNode('n1', { labels: CONTROL }), aNode('n2', { labels: CONTROL }), aNode('n4')),
      instances: [instance('lb-1', [backend('web', [server(1), server(2)])])],
    },
    {},
    {
      balancers: ['edge lb-1 web'],
      questions: ['nodes', 'unbalanced', ...BASE],
      says: [/selector: node-role\.kubernetes\.io\/control-plane/],
      leftOut: [/^node n4/, PROBES],
    },
  ],
  [
    'workers with their own label',
    {
      nodes: found(aNode('n1', { labels: { 'node-role.kubernetes.io/worker': '' } }), aNode('n4', { labels: CONTROL })),
      instances: [instance('lb-1', [backend('web', [server(1)])])],
    },
    {},
    { says: [/selector: node-role\.kubernetes\.io\/worker\n/] },
  ],
  [
    'a backend of the Kubernetes API, one of other machines, one that is disabled, one without an address',
    {
      instances: [
        instance('lb-1', [
          web,
          backend('kube-api', [server(1, { port: 6443 })], { mode: 'tcp' }),
          backend('mail', [server(9)]),
          backend('old', [server(1)], { disabled: true }),
          backend('dns', [server(1, { address: '' })]),
          backend('empty', []),
        ]),
      ],
    },
    {},
    {
      balancers: ['edge lb-1 web'],
      leftOut: [
        /^backend kube-api of lb-1: it looks like the Kubernetes API/,
        /^backend mail of lb-1: none of its servers has the InternalIP of a node: 10\.0\.0\.9:30080/,
        /^backend old of lb-1: its configuration says "disabled"/,
        /^backend dns of lb-1: no address of its servers is known \(s1\)/,
        'backend empty of lb-1: it has no server',
        PROBES,
      ],
    },
  ],
  [
    'two HAProxies that are the same',
    { instances: [instance('lb-1', [web]), instance('lb-2', [web])] },
    {},
    { balancers: ['edge lb-1+lb-2 web'], questions: BASE },
  ],
  [
    'two HAProxies with different backends are two balancers',
    { instances: [instance('lb-1', [web]), instance('lb-2', [backend('mail', [server(1), server(2), server(3)])])] },
    {},
    { balancers: ['edge-lb-1 lb-1 web', 'edge-lb-2 lb-2 mail'], questions: BASE },
  ],
  [
    'two HAProxies that disagree on a server: both stay, and the file says so',
    { instances: [instance('lb-1', [web]), instance('lb-2', [backend('web', [server(1), server(2)])])] },
    {},
    {
      balancers: ['edge lb-1+lb-2 web'],
      questions: ['balancer', ...BASE],
      says: [
        /# The HAProxies disagree\. Correct this before a roll: server web\/s3 \(10\.0\.0\.3:30080\) is on lb-1\n +# alone\./,
      ],
    },
  ],
  [
    'two HAProxies that disagree on a backend: each has its own, so that nothing that carries traffic is left out',
    { instances: [instance('lb-1', [web, backend('api', [server(1)])]), instance('lb-2', [web])] },
    {},
    { balancers: ['edge-lb-1 lb-1 web,api', 'edge-lb-2 lb-2 web'], questions: ['balancer', ...BASE] },
  ],
  [
    'the same, and a person says which is right',
    { instances: [instance('lb-1', [web, backend('api', [server(1)])]), instance('lb-2', [web])] },
    { balancer: 'lb-2' },
    {
      balancers: ['edge lb-2 web'],
      leftOut: [/^HAProxy lb-1 .*: you said that lb-2 sends the traffic/, PROBES],
      says: [/# - name: edge-lb-1\n/],
    },
  ],
  [
    'a HAProxy that does not answer beside one that does',
    { instances: [instance('lb-1', [web]), instance('lb-2', [], { backends: { is: 'failed', text: 'no route' } })] },
    {},
    {
      balancers: ['edge lb-1 web'],
      leftOut: ['HAProxy lb-2 (/run/lb-2.sock): it did not answer: no route', PROBES],
      isComplete: true,
    },
  ],
  [
    'a socket that may not set states',
    { instances: [instance('lb-1', [web], { level: 'operator' })] },
    {},
    {
      balancers: ['edge lb-1 web'],
      says: [/# Its socket is of level operator; a roll needs "level admin" in haproxy\.cfg\./],
    },
  ],
  [
    'no HAProxy at all: the plan refuses the file until a person writes a balancer',
    { instances: [] },
    {},
    {
      balancers: [],
      nodes: { all: true, allowUnbalanced: false },
      isComplete: false,
      leftOut: [/^load balancers: no runtime socket/, PROBES],
      says: [/# allowUnbalanced: true/, /# balancers:/],
    },
  ],
  [
    'no load balancer, as a person says',
    { instances: [], noBalancer: true },
    {},
    { balancers: [], nodes: { all: true, allowUnbalanced: true }, isComplete: true, leftOut: [PROBES] },
  ],
  [
    'no right to read the nodes: nothing is guessed',
    { nodes: REFUSED, pods: REFUSED },
    {},
    {
      balancers: [],
      isComplete: false,
      questions: BASE,
      leftOut: [/^nodes: the API server refused it/, /^HAProxy lb-1 .*without the nodes/, PROBES, /^pods: /],
      says: [/# nodes:\n/, /# balancers:\n/],
    },
  ],
  [
    'a HAProxy whose servers are no node',
    { instances: [instance('lb-1', [backend('web', [server(9)])])] },
    {},
    {
      balancers: [],
      isComplete: false,
      leftOut: [/^backend web of lb-1/, /^HAProxy lb-1 .*none of its backends sends to a node of the roll/, PROBES],
    },
  ],
]

for (const [what, change, answers, expected] of TABLE) {
  test(`init: ${what}`, () => {
    const made = proposed({ ...FACTS, ...change }, answers)
    const { spec, text } = made
    const shown = spec.balancers.map(
      ({ name, instances, backends }) => `${name} ${instances.join('+')} ${backends.join(',')}`,
    )
    if (expected.balancers !== undefined) assert.deepEqual(shown, expected.balancers, text)
    if (expected.questions !== undefined)
      assert.deepEqual(
        made.questions.map(({ id }) => id),
        expected.questions,
      )
    if (expected.isComplete !== undefined) assert.equal(made.isComplete, expected.isComplete)
    for (const [key, value] of Object.entries(expected.nodes ?? {}))
      assert.deepEqual(spec.nodes[key as keyof RollSpec['nodes']], value, text)
    if (expected.leftOut !== undefined) {
      const lines = made.leftOut.map((one) => `${one.what}: ${one.why}`)
      assert.equal(lines.length, expected.leftOut.length, lines.join('\n'))
      for (const [at, line] of lines.entries()) {
        const wanted: string | RegExp = expected.leftOut[at] ?? /never/
        if (typeof wanted === 'string') assert.equal(line, wanted)
        else assert.match(line, wanted)
      }
    }
    for (const said of expected.says ?? []) assert.match(text, said)
  })
}
