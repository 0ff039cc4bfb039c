import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../../src/ground/model/node.ts'
import { mendRun } from '../../../../src/roll/decide/resume/mend-run.ts'
import type { RunSoFar } from '../../../../src/roll/decide/resume/run-so-far.ts'
import type { RollSpec } from '../../../../src/roll/model/roll-spec.ts'
import type { StepHook } from '../../../../src/roll/model/step-hook.ts'
import type { BalancerSpec } from '../../../../src/service/model/balancer-spec.ts'
import { formatRecord, RECORD_ANNOTATION } from '../../../../src/service/model/node-record.ts'
import { aHook } from '../../../support/gate-and-hook-world.ts'
import { aNode, aRecord, aSpec } from '../../../support/roll-world.ts'

const [EDGE] = aSpec().balancers as readonly [BalancerSpec<'haproxy'>]
const out = (name: string): Node => aNode(name, { annotations: { [RECORD_ANNOTATION]: formatRecord(aRecord()) } })

/** n1 is through, n2 is out, n3 and n4 are not begun. */
const RUN: RunSoFar = { id: 'run-1', spec: aSpec(), order: ['n1', 'n2', 'n3', 'n4'], done: ['n1'] }
const NODES = [aNode('n1'), out('n2'), aNode('n3', { labels: { disk: 'ssd' } }), aNode('n4'), aNode('n5')]

const mended = (change: Partial<RollSpec>) => mendRun(RUN, aSpec(change), NODES)
const choosing = (change: Partial<RollSpec['nodes']>): Partial<RollSpec> => ({
  nodes: { names: [], all: false, allowUnbalanced: false, ...change },
})

const ALLOWED: readonly (readonly [what: string, change: Partial<RollSpec>])[] = [
  [
    'the way to the machines',
    { reboot: { kind: 'ssh', user: 'ops', command: ['reboot'], resendAfterMs: 1, returnLimitMs: 2 } },
  ],
  [
    'every limit',
    {
      detach: { idleLimitMs: 1 },
      settle: { limitMs: 1, timesInARow: 1, dataPort: false },
      attach: { limitMs: 1 },
      soakMs: 1,
    },
  ],
  ['the stages of the drain', { drain: { ...aSpec().drain, deleteEmptyDirData: true, blockedLimitMs: 1 } }],
  [
    'where a balancer is reached',
    {
      balancers: [
        {
          ...EDGE,
          via: {
            kind: 'haproxy',
            instances: [{ name: 'lb-1', address: { kind: 'tcp', host: '10.0.0.9', port: 9999 } }],
          },
        },
      ],
    },
  ],
  ['the last server of a backend', { balancers: [{ ...EDGE, allowLastServer: true }] }],
  ['how long a Lease lasts', { slots: { namespace: 'evenkeel', leaseDurationMs: 30_000 } }],
  ['its name', { name: 'another' }],
]

for (const [what, change] of ALLOWED) {
  test(`a run may go on by a file that changes ${what}`, () => {
    assert.deepEqual(mended(change), { ok: true, order: ['n1', 'n2', 'n3', 'n4'], strangers: ['n5'] })
  })
}

const CHECKS = { intervalMs: 2_000, fall: 3, rise: 2, drainsAtOnce: false, slackMs: 2_000 }
const OTHER = { name: 'edge', instances: ['edge'], backends: ['nodes'], allowLastServer: false } as const
const marked = (key: string): BalancerSpec => ({
  ...OTHER,
  via: { kind: 'mark', mark: { kind: 'label', key, value: '' }, markDelayMs: 10_000, checks: CHECKS, dataPort: 443 },
})
const asked = (key: string): BalancerSpec => ({
  ...OTHER,
  via: {
    kind: 'detacher',
    request: { key, value: 'yes' },
    detachedKey: 'example.com/detached',
    dataPort: 443,
    graceMs: 1,
    attachGraceMs: 1,
    skewMs: 1,
  },
})

const REFUSED: readonly (readonly [
  what: string,
  change: Partial<RollSpec>,
  found: readonly (readonly [path: string, text: string])[],
  had?: RollSpec['balancers'],
])[] = [
  [
    'the slot lies elsewhere: a second node could be out',
    { slots: { namespace: 'other', leaseDurationMs: 120_000 } },
    [['spec.slots.namespace', 'the slot of this run is in namespace "evenkeel"']],
  ],
  ['a balancer is gone', { balancers: [] }, [['spec.balancers', 'balancer "edge" of this run is not in the file']]],
  [
    'a balancer is new',
    { balancers: [EDGE, { ...EDGE, name: 'inner' }] },
    [['spec.balancers.1', 'balancer "inner" is not part of this run']],
  ],
  [
    'an instance has another name',
    { balancers: [{ ...EDGE, instances: ['lb-2'] }] },
    [
      ['spec.balancers.0.instances', 'instance "lb-1" of this run is not in the file'],
      ['spec.balancers.0.instances.0', 'instance "lb-2" is not part of this run'],
    ],
  ],
  [
    'a backend is gone and another is there',
    { balancers: [{ ...EDGE, backends: ['app'] }] },
    [
      ['spec.balancers.0.backends', 'backend "web" of this run is not in the file'],
      ['spec.balancers.0.backends.0', 'backend "app" is not part of this run'],
    ],
  ],
  [
    'a balancer takes nodes out by another mark, which would leave the one on the node',
    { balancers: [marked('example.com/out-of-service')] },
    [
      [
        'spec.balancers.0',
        'balancer "edge" of this run takes nodes out by label example.com/out on the Node, which the file does not have',
      ],
    ],
    [marked('example.com/out')],
  ],
  [
    'a detacher is asked by another annotation',
    { balancers: [asked('example.com/off')] },
    [
      [
        'spec.balancers.0',
        'balancer "edge" of this run takes nodes out by annotation example.com/detach=yes on the Node, which the file does not have',
      ],
    ],
    [asked('example.com/detach')],
  ],
  [
    'a balancer is of another kind',
    { balancers: [{ ...marked('example.com/out'), backends: EDGE.backends, instances: EDGE.instances }] },
    [['spec.balancers.0', 'balancer "edge" of this run takes nodes out in another way than that of the file']],
  ],
  [
    'the node that is out is not chosen',
    choosing({ names: ['n3'] }),
    [['spec.nodes', 'n2 is kept out by this run, and the file does not choose it']],
  ],
]

for (const [what, change, found, had = [EDGE]] of REFUSED) {
  test(`a file is refused where ${what}`, () => {
    const answer = mendRun({ ...RUN, spec: aSpec({ balancers: had }) }, aSpec(change), NODES)
    assert.ok(!answer.ok)
    assert.deepEqual(
      answer.findings.map(({ path, text }) => [path.join('.'), text]),
      found,
    )
    assert.ok(answer.findings.every(({ fix }) => fix !== ''))
  })
}

test('nodes that are not begun can be left out and none be added; the order stays', () => {
  assert.deepEqual(mended(choosing({ names: ['n4', 'n2'] })), { ok: true, order: ['n1', 'n2', 'n4'], strangers: [] })
  assert.deepEqual(mended(choosing({ names: ['n5', 'n2'] })), { ok: true, order: ['n1', 'n2'], strangers: ['n5'] })
})

test('a file that chooses no nodes leaves them as they were chosen: on the command line, it may be', () => {
  assert.deepEqual(mended(choosing({})), { ok: true, order: ['n1', 'n2', 'n3', 'n4'], strangers: [] })
})

test('labels are those that the nodes bear now', () => {
  const disk = { matchLabels: { disk: 'ssd' }, matchExpressions: [] }
  const answer = mendRun({ ...RUN, done: ['n1', 'n2'] }, aSpec(choosing({ selector: disk })), NODES)
  assert.deepEqual(answer, { ok: true, order: ['n1', 'n2', 'n3'], strangers: [] })
})

test('a node of another run is none of this one’s business', () => {
  const nodes = [aNode('n1'), out('n2'), aNode('n3')]
  assert.equal(mendRun({ ...RUN, id: 'run-2' }, aSpec(choosing({ names: ['n3'] })), nodes).ok, true)
})

const HOOK = aHook({ name: 'disable', at: 'beforeNode' })
const { undo: _, ...WITHOUT_UNDO } = HOOK

test('a hook that ran for a node that is not through keeps its name and its undo', () => {
  const ranFor = (node: string, hook: StepHook, wanted: readonly StepHook[]) => {
    const hooksBefore = { [`${node} run disable`]: { kind: 'done' } } as const
    const hosts = { order: ['lb-a', 'lb-b'], done: ['lb-b'] }
    const run = { ...RUN, spec: aSpec({ hooks: [hook] }), hooksBefore, hosts }
    const answer = mendRun(run, aSpec({ hooks: wanted }), NODES)
    return answer.ok ? [] : answer.findings.map(({ text }) => text)
  }
  const text = 'hook "disable" has run for n2, and the file has no hook of that name with an undo'
  for (const wanted of [[], [{ ...HOOK, name: 'off' }], [WITHOUT_UNDO], [{ ...HOOK, at: 'afterRoll' as const }]])
    assert.deepEqual(ranFor('n2', HOOK, wanted), [text])
  assert.deepEqual(ranFor('n2', HOOK, [{ ...HOOK, at: 'afterReboot', undo: ['lb', 'on', '{node}'] }]), [])
  assert.match(String(ranFor('lb-a', HOOK, [])), /has run for lb-a/)
  assert.deepEqual(
    [ranFor('n1', HOOK, []), ranFor('lb-b', HOOK, []), ranFor('n2', WITHOUT_UNDO, [])],
    [[], [], []],
    'nothing is left to undo',
  )
})
