import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideBrake } from '../../../../src/agent/decide/brake/decide.ts'
import { aBrake, NOW } from '../../../support/brake-world.ts'

const grants = { version: 1, granted: ['n1', 'n2'], max: 2, of: 4 }

test('a publication lists the granted nodes, the nodes that wait and the grants that are taken back', () => {
  assert.deepEqual(decideBrake(aBrake({ nodes: 'n1! n2! n3! n4', granted: 'n1 n4', announced: 'n3 n9' })), {
    kind: 'act',
    actions: [{ kind: 'publish', grants, announced: ['n3'], dropped: ['n4'] }],
    reasons: [{ code: 'GrantsChange', text: '2 of at most 2 cordons are granted' }],
  })
})

const reason = {
  code: 'CordonNotGranted',
  object: 'n3',
  text: 'the limit of nodes out by cordon is reached: 2 of 4',
  next: 'uncordon another node, or raise --max-cordoned-out',
}

test('a node that waits gets an event on its Node first, and then a note in the ConfigMap', () => {
  assert.deepEqual(decideBrake(aBrake({ nodes: 'n1! n2! n3! n4', granted: 'n1 n2' })), {
    kind: 'act',
    actions: [
      { kind: 'tell', notice: { node: 'n3', uid: 'uid-n3', reason } },
      { kind: 'publish', grants, announced: ['n3'], dropped: [] },
    ],
    reasons: [reason],
  })
})

test('the brake looks again as soon as the first returning node is back', () => {
  const back = { n3: NOW - 4_000, n4: NOW - 7_000 }
  assert.deepEqual(decideBrake(aBrake({ nodes: 'n1! n2 n3 n4', announced: 'n1', returning: back })), {
    kind: 'hold',
    reasons: [
      {
        ...reason,
        object: 'n1',
        text: 'at most 2 of 4 nodes may be out: 0 are out by cordon, 2 for another reason (n3, n4)',
      },
    ],
    recheckAfterMs: 3_000,
  })
})

test('a brake that has just started looks again when it knows which nodes came back', () => {
  assert.deepEqual(decideBrake(aBrake({ nodes: 'n1! n2! n3 n4', granted: 'n1', since: NOW - 9_000 })), {
    kind: 'hold',
    reasons: [
      {
        code: 'FleetJustSeen',
        text: 'this process has just started and does not know which nodes came back a moment ago, so it grants no further cordon for now',
      },
    ],
    recheckAfterMs: 1_000,
  })
})
