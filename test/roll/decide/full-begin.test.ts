import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { fullDecision } from '../../support/full-decision.ts'
import { cordoned, out } from '../../support/roll-stages.ts'
import { aNode, aRecord, aServer, aSnapshot, detachedEvidence, drained } from '../../support/roll-world.ts'

const notNow = { failures: 2, notBefore: monoMs(1_000_700), error: 'connect ECONNREFUSED' }
const slotOf = (slot: Partial<RollSnapshot['slot']>) => ({ slot: { state: 'free', mayAct: false, ...slot } as const })

const DECISIONS: readonly (readonly [title: string, snapshot: RollSnapshot, decision: readonly string[]])[] = [
  [
    'a slot that is free is taken',
    aSnapshot({ change: slotOf({}) }),
    [
      'act slot',
      'takeSlot {"node":"n1","takeStale":false,"restores":false}',
      'SlotFree | - | a slot of the node budget is free',
    ],
  ],
  [
    'a slot of another run is asked for',
    aSnapshot({ change: slotOf({ state: 'other', holderRun: '20260101T000000Z-0002', holderNode: 'n7' }) }),
    [
      'act slot',
      'takeSlot {"node":"n1","takeStale":false,"restores":false}',
      'SlotTaken | n7 | the node budget is used up: run 20260101T000000Z-0002 has n7 out',
    ],
  ],
  [
    'a slot of an unknown owner is asked for',
    aSnapshot({ change: slotOf({ state: 'other' }) }),
    [
      'act slot',
      'takeSlot {"node":"n1","takeStale":false,"restores":false}',
      'SlotTaken | a node | the node budget is used up: run of an unknown owner has a node out',
    ],
  ],
  [
    'a slot of another process of this run is asked for',
    aSnapshot({ change: slotOf({ state: 'other', holderRun: 'run-1', holderNode: 'n1' }) }),
    [
      'act slot',
      'takeSlot {"node":"n1","takeStale":false,"restores":false}',
      'SlotTaken | n1 | another process holds the slot of run run-1 for n1; this process takes the slot over once it has not been renewed for its duration | stop that process, wherever it runs',
    ],
  ],
  [
    'a slot that another run left with a record is not taken over',
    aSnapshot({
      node: { annotations: { 'evenkeel.dev/record': '{}' } },
      change: slotOf({ state: 'stale', holderRun: '20260101T000000Z-0002', holderNode: 'n1' }),
    }),
    [
      'act slot',
      'takeSlot {"node":"n1","takeStale":false,"restores":false}',
      'SlotStale | n1 | run 20260101T000000Z-0002 left n1 out and no longer renews its slot | evenkeel roll resume 20260101T000000Z-0002, or evenkeel roll abort 20260101T000000Z-0002 (if its journal is lost: evenkeel roll abort 20260101T000000Z-0002 -f roll.yaml)',
    ],
  ],
  [
    'for a slot that its owner left with a record, no command is shown',
    aSnapshot({
      node: { annotations: { 'evenkeel.dev/record': '{}' } },
      change: slotOf({ state: 'stale', holderRun: 'Kim of ops', holderNode: 'n1' }),
    }),
    [
      'act slot',
      'takeSlot {"node":"n1","takeStale":false,"restores":false}',
      'SlotStale | n1 | run Kim of ops left n1 out and no longer renews its slot',
    ],
  ],
  [
    'a slot that another run left without a record is taken over',
    aSnapshot({ change: slotOf({ state: 'stale', holderRun: 'run-2' }) }),
    [
      'act slot',
      'takeSlot {"node":"n1","takeStale":true,"restores":false}',
      'SlotAbandoned | - | the last owner no longer renews the slot and left no record on a node',
    ],
  ],
  [
    'a slot that a dead process of this run left is taken over',
    aSnapshot({ change: slotOf({ state: 'stale', holderRun: 'run-1' }) }),
    [
      'act slot',
      'takeSlot {"node":"n1","takeStale":true,"restores":false}',
      'SlotAbandoned | - | the process of this run that held the slot no longer renews it',
    ],
  ],
  [
    'a slot that was lost is waited for',
    aSnapshot({ change: slotOf({ state: 'lost', holderRun: 'run-2', holderNode: 'n2' }) }),
    ['hold slot for 500 ms', 'SlotTaken | n2 | the node budget is used up: run run-2 has n2 out'],
  ],
  [
    'a slot is not asked for without the API server',
    aSnapshot({ change: { ...slotOf({}), cluster: { ...aSnapshot().cluster, staleForMs: 1 } } }),
    ['hold slot for 500 ms', 'ApiUnreachable | - | the API server cannot be followed'],
  ],
  [
    'of two nodes of three that turned NotReady the heartbeats are told',
    aSnapshot({
      change: {
        ...slotOf({}),
        cluster: {
          ...aSnapshot().cluster,
          nodes: [aNode('n1'), aNode('n2', { ready: 'Unknown' }), aNode('n3', { ready: 'False' })],
        },
      },
    }),
    [
      'hold slot for 500 ms',
      'MostNodesNotReady | - | most nodes turned NotReady together, so their heartbeats are more likely lost than the nodes',
      'OtherNodeBad | n2 | n2 is not Ready (Ready is Unknown)',
      'OtherNodeBad | n3 | n3 is not Ready (Ready is False)',
    ],
  ],
  [
    'of one node of two that turned NotReady only that is told',
    aSnapshot({
      change: {
        ...slotOf({}),
        cluster: { ...aSnapshot().cluster, nodes: [aNode('n1'), aNode('n2', { ready: 'Unknown' })] },
      },
    }),
    ['hold slot for 500 ms', 'OtherNodeBad | n2 | n2 is not Ready (Ready is Unknown)'],
  ],
  [
    'a slot that failed is waited for in the words of its failure',
    aSnapshot({ change: slotOf({}), evidence: { retries: { 'takeSlot n1': notNow } } }),
    ['hold slot for 700 ms', 'Retrying | - | connect ECONNREFUSED', 'SlotFree | - | a slot of the node budget is free'],
  ],
  [
    'what was there before is recorded first',
    aSnapshot(),
    [
      'act record',
      'writeRecord {"node":"n1","record":{"version":1,"run":"run-1","at":"2023-11-14T22:13:20.000Z","slotNamespace":"evenkeel","bootId":"11111111-1111-4111-8111-111111111111","unschedulable":false,"taints":[],"servers":[{"balancer":"edge","instance":"lb-1","backend":"web","server":"n1","address":"10.0.0.1","port":30080,"state":"ready","operational":"up"}],"daemons":[],"workloads":{},"dnsReady":0},"asOf":"1"}',
      'NotRecorded | - | the state before the roll is not recorded on the node yet',
    ],
  ],
  [
    'a record of another run is left alone',
    aSnapshot({ record: aRecord({ run: '20260101T000000Z-0002' }) }),
    [
      'hold record for 500 ms',
      'RecordOfAnotherRun | n1 | n1 carries the record of run 20260101T000000Z-0002 | evenkeel roll resume 20260101T000000Z-0002, or evenkeel roll abort 20260101T000000Z-0002 (if its journal is lost: evenkeel roll abort 20260101T000000Z-0002 -f roll.yaml)',
    ],
  ],
  [
    'a record that cannot be read is left alone',
    aSnapshot({
      change: { current: { node: aNode('n1'), dataPorts: {}, record: { ok: false, why: 'it is no JSON' } } },
    }),
    [
      'hold record for 500 ms',
      'RecordUnreadable | n1 | the record on n1 cannot be read: it is no JSON | look at the annotation evenkeel.dev/record of n1; restore the node by hand, then remove it | never',
    ],
  ],
  [
    'a recorded node is cordoned',
    aSnapshot({ record: aRecord() }),
    ['act cordon', 'cordon {"node":"n1"}', 'Schedulable | - | new pods can still be scheduled here'],
  ],
  [
    'a cordoned node is detached',
    aSnapshot(cordoned),
    [
      'act detach',
      'setServer {"node":"n1","balancer":"edge","ref":{"instance":"lb-1","backend":"web","server":"n1"},"state":"drain","restores":false}',
      'InBalancer | web/n1 | web/n1 on lb-1 is ready',
    ],
  ],
  [
    'a server that is not listed any more is waited for',
    aSnapshot({ ...cordoned, servers: [aServer('n2'), aServer('n3')] }),
    ['hold detach for 500 ms', 'ServerNotListed | web/n1 | lb-1 does not list web/n1 at the recorded address any more'],
  ],
  [
    'sessions are waited for',
    aSnapshot({ ...out, servers: drained({ currentSessions: 1 }) }),
    ['hold detach for 250 ms', 'SessionsLeft | web/n1 | web/n1 on lb-1 has 1 session left'],
  ],
  [
    'sessions and what is queued are counted together',
    aSnapshot({ ...out, servers: drained({ currentSessions: 2, queued: 3 }) }),
    ['hold detach for 250 ms', 'SessionsLeft | web/n1 | web/n1 on lb-1 has 5 sessions left'],
  ],
  [
    'sessions are cut at the limit',
    aSnapshot({
      ...cordoned,
      servers: drained({ currentSessions: 2, queued: 3 }),
      evidence: detachedEvidence({ since: monoMs(820_000) }),
    }),
    [
      'act detach',
      'cutSessions {"node":"n1","balancer":"edge","ref":{"instance":"lb-1","backend":"web","server":"n1"},"sessions":5}',
      'SessionsLeft | web/n1 | web/n1 on lb-1 has 5 sessions left',
    ],
  ],
  [
    'sessions are not cut before the limit',
    aSnapshot({
      ...cordoned,
      servers: drained({ currentSessions: 2 }),
      evidence: detachedEvidence({ since: monoMs(820_001) }),
    }),
    ['hold detach for 250 ms', 'SessionsLeft | web/n1 | web/n1 on lb-1 has 2 sessions left'],
  ],
  [
    'connections that are pooled are closed',
    aSnapshot({ ...out, servers: drained({ idleConnections: 4 }) }),
    [
      'act detach',
      'setServer {"node":"n1","balancer":"edge","ref":{"instance":"lb-1","backend":"web","server":"n1"},"state":"maint","restores":false}',
      'ConnectionsPooled | web/n1 | web/n1 on lb-1 keeps 4 idle connections open, which would be dead after the reboot',
    ],
  ],
  [
    'connections that were closed a moment ago are waited for',
    aSnapshot({
      ...out,
      servers: drained({ idleConnections: 4 }),
      evidence: { ...out.evidence, purgedAt: { 'web/n1 on lb-1': monoMs(998_001) } },
    }),
    [
      'hold detach for 500 ms',
      'ConnectionsPooled | web/n1 | web/n1 on lb-1 keeps 4 idle connections open, which would be dead after the reboot',
    ],
  ],
  [
    'connections that are still pooled two seconds later are closed again',
    aSnapshot({
      ...out,
      servers: drained({ idleConnections: 4 }),
      evidence: { ...out.evidence, purgedAt: { 'web/n1 on lb-1': monoMs(998_000) } },
    }),
    [
      'act detach',
      'setServer {"node":"n1","balancer":"edge","ref":{"instance":"lb-1","backend":"web","server":"n1"},"state":"maint","restores":false}',
      'ConnectionsPooled | web/n1 | web/n1 on lb-1 keeps 4 idle connections open, which would be dead after the reboot',
    ],
  ],
]

for (const [title, snapshot, decision] of DECISIONS) {
  test(`in full: ${title}`, () => assert.deepEqual(fullDecision(decide(snapshot)), decision))
}
