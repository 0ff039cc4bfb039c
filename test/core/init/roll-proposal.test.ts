import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InitFacts } from '../../../src/core/init/init-facts.ts'
import type { RollSpec } from '../../../src/model/roll-spec.ts'
import { aBudget, aNode, aPod, aWorkload } from '../../support/roll-world.ts'
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

type Case = readonly [what: string, facts: Partial<InitFacts>, answers: Readonly<Record<string, string>>, Expected]

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
      ({ name, instances, backends }) => `${name} ${instances.map((one) => one.name).join('+')} ${backends.join(',')}`,
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

test('a backend tells through which Service, or which DaemonSet, its port leads', () => {
  const service = {
    ...{ namespace: 'shop', name: 'web', type: 'NodePort', selector: { app: 'cart' }, nodePorts: [30_080] },
    ...{ externalTrafficPolicy: 'Cluster', internalTrafficPolicy: 'Cluster' },
  }
  const facts = {
    ...FACTS,
    services: found(service),
    pods: found(aPod('cart-1', 'n1')),
    workloads: found(
      aWorkload({ controller: { kind: 'Deployment', name: 'cart', uid: 'uid-d' } }),
      aWorkload({ kind: 'Deployment', uid: 'uid-d', desired: 1 }),
    ),
  }
  const { text, spec } = proposed(facts)
  assert.match(text, /# 3 servers of nodes, port 30080 \(NodePort of Service shop\/web\)\n +- web\n/)
  assert.match(text, /# {3}polite:\n +# {5}# Deployment shop\/cart, which has 1 replica\n +# {5}- selector: app=cart\n/)
  assert.equal(spec.drain.polite, undefined, 'it is a suggestion')
})

test('data that would be lost is a question, and stays unless a person says otherwise', () => {
  const pods = found(
    aPod('cache', 'n1', { usesEmptyDir: true }),
    aPod('by-hand', 'n2', { controller: undefined } as never),
    aPod('elsewhere', 'n9', { usesEmptyDir: true }),
  )
  const asked = proposed({ ...FACTS, pods })
  assert.deepEqual(asked.questions.map(({ id, preset }) => `${id} ${preset}`).slice(0, 2), [
    'emptyDir n',
    'unmanaged n',
  ])
  assert.deepEqual([asked.spec.drain.deleteEmptyDirData, asked.spec.drain.deleteUnmanaged], [false, false])
  assert.match(asked.questions[0]?.why ?? '', /^1 pod of these nodes \(shop\/cache\) keeps data in an emptyDir/)
  const allowed = proposed({ ...FACTS, pods }, { emptyDir: 'y', unmanaged: 'yes' })
  assert.deepEqual([allowed.spec.drain.deleteEmptyDirData, allowed.spec.drain.deleteUnmanaged], [true, true])
})

test('a budget that allows no eviction is a finding, with a way on as a suggestion', () => {
  const made = proposed({ ...FACTS, budgets: found(aBudget()) })
  assert.ok(made.found.includes('allows no eviction now: PodDisruptionBudget shop/cart'))
  assert.match(made.text, /# {3}blocked:\n +# {5}- namespaces: \[shop\]\n/)
  assert.equal(made.spec.drain.blocked, undefined)
})

test('how a node is rebooted is an answer: ssh, ssh with a user, or a command', () => {
  const rebootBy = (reboot: string) => proposed(FACTS, { reboot }).spec.reboot
  const ssh = rebootBy('ssh')
  assert.ok(ssh.kind === 'ssh' && ssh.user === undefined)
  const ops = rebootBy('ssh ops')
  assert.ok(ops.kind === 'ssh' && ops.user === 'ops')
  const own = rebootBy(`"/opt/my tools/cycle" {node} '{bootId} now' a\\ b`)
  assert.ok(own.kind === 'command')
  assert.deepEqual(own.command, ['/opt/my tools/cycle', '{node}', '{bootId} now', 'a b'])
})

const HOW: readonly (readonly [answer: string, fault: RegExp | undefined])[] = [
  ['ssh', undefined],
  ['ssh root', undefined],
  ['ssh ro ot', /^answer "ssh"/],
  ['', /^answer "ssh"/],
  ['reboot {node}', /must get \{bootId\}/],
  ['reboot "{bootId}', /quote is not closed/],
  ['reboot {bootId}', undefined],
]

test('an answer that cannot be is refused', () => {
  const fault = (id: string, answer: string) =>
    proposed(FACTS)
      .questions.find((question) => question.id === id)
      ?.faultOf?.(answer)
  for (const [answer, expected] of HOW) {
    if (expected === undefined) assert.equal(fault('reboot', answer), undefined, answer)
    else assert.match(fault('reboot', answer) ?? '', expected, answer)
  }
  assert.match(fault('probe', 'ftp://a/') ?? '', /not an http or https URL/)
  assert.match(fault('probe', 'http://me:pw@a/') ?? '', /without a user/)
  assert.equal(fault('probe', 'http://a/ https://b/x'), undefined)
})

test('foreign names cannot end a comment or steer a terminal', () => {
  const context = { context: 'a b\n  evil: true\u001b[2J', server: 'https://x', user: 'u' }
  const { text, spec } = proposed({ ...FACTS, context })
  assert.equal(spec.name, 'a-b-evil-true-2J')
  assert.match(text, /# For context a b\\x0a {2}evil: true\\x1b\[2J \(https:\/\/x\)\.\n/)
})

test('probes by the address that haproxy.cfg binds to, which is the default of the question', () => {
  const config = {
    ...{
      file: 'haproxy.cfg',
      sockets: [],
      notUnderstood: [{ line: 3, text: '.if x', why: 'conditions are not evaluated' }],
    },
    backends: [{ name: 'web', mode: 'http', disabled: false, servers: [] }],
    frontends: [
      { name: 'in', mode: 'http', backends: ['web'], binds: [{ address: '192.0.2.7', port: 80, tls: false }] },
      { name: 'tls', mode: 'http', backends: ['web'], binds: [{ address: '192.0.2.7', port: 443, tls: true }] },
      { name: 'any', mode: 'http', backends: ['web'], binds: [{ address: '*', port: 80, tls: false }] },
    ],
  } as const
  const made = proposed({ ...FACTS, config })
  assert.deepEqual(
    made.spec.probe?.targets.map(({ url }) => url),
    ['http://192.0.2.7:80/'],
  )
  assert.deepEqual(made.leftOut, [{ what: 'haproxy.cfg:3 ".if x"', why: 'conditions are not evaluated' }])
})
