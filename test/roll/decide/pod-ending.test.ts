import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import type { Pod, PodEnding } from '../../../src/ground/model/pod.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { out } from '../../support/roll-stages.ts'
import { aPod, aRecord, aSnapshot, detachedEvidence } from '../../support/roll-world.ts'

/** As `aSnapshot` has it. */
const NOW = 1_700_000_000_000
const at = (ms: number): string => new Date(NOW + ms).toISOString()
const inGrace: PodEnding = { due: at(20_000), graceSeconds: 30, finalizers: [] }

const { controller: _none, ...alone } = aPod('cart-a', 'n1')

function said(ending: PodEnding | undefined, ready: Node['ready'] = 'True', pod: Partial<Pod> = {}): readonly string[] {
  const leaving: Pod = { ...alone, labels: {}, terminating: true, ...pod, ...(ending && { ending }) }
  const { node, ...stage } = out
  const s = aSnapshot({
    ...stage,
    node: { ...node, ready },
    record: aRecord(),
    pods: [{ ...leaving, controller: { kind: 'Job', name: 'j', uid: 'uid-j' } }],
    evidence: { ...detachedEvidence(), firstSeen: [leaving.uid] },
  })
  return decide(s).reasons.map(({ code, text, next = '' }) => `${code}: ${text} > ${plainText(next)}`)
}

const LEAVING = ['PodLeaving: shop/cart-a is leaving > ']

const ROWS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['in its grace', said(inGrace), LEAVING],
  ['whose end is not known', said(undefined), LEAVING],
  ['a few seconds late, by clocks that may differ', said({ ...inGrace, due: at(-5_000) }), LEAVING],
  [
    'that is late on a node that is Ready',
    said({ ...inGrace, due: at(-60_000) }),
    [
      'PodOverdue: shop/cart-a was to end 1 min ago, and the kubelet of n1 has not ended it > kubectl -n shop describe pod cart-a',
    ],
  ],
  [
    'on a node whose kubelet is silent',
    said({ ...inGrace, due: at(-60_000) }, 'Unknown'),
    [
      'NodeUnreachable: shop/cart-a is being deleted, and n1 is not Ready, so no kubelet says that it has ended > only if the machine n1 is surely off: kubectl -n shop delete pod cart-a --force --grace-period=0',
    ],
  ],
  [
    'that has ended and has a finalizer',
    said({ due: at(-60_000), graceSeconds: 0, finalizers: ['example.com/a', 'b/c'] }, 'Unknown'),
    [
      `PodFinalizer: shop/cart-a has ended and is kept by its finalizers example.com/a, b/c > only if the program that owns it is gone for good: kubectl -n shop patch pod cart-a --type merge -p '{"metadata":{"finalizers":null}}'`,
    ],
  ],
  ['that has a finalizer, and has not ended', said({ ...inGrace, finalizers: ['b/c'] }), LEAVING],
]

for (const [title, reasons, expected] of ROWS) {
  test(`a drain says of a pod ${title} why it is still there`, () => assert.deepEqual(reasons, expected))
}
