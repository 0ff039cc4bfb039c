import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { fullDecision } from '../../support/full-decision.ts'
import { out, proven, settled, uncordoned, withPort } from '../../support/roll-stages.ts'
import { aNode, aRecord, aServer, aSnapshot, aWorkload, drained } from '../../support/roll-world.ts'

const slotOf = (slot: Partial<RollSnapshot['slot']>) => ({ slot: { state: 'free', mayAct: false, ...slot } as const })
const inReturn = (change: object) => ({ ...proven, ...change })

const DECISIONS: readonly (readonly [title: string, snapshot: RollSnapshot, decision: readonly string[]])[] = [
  [
    'a proven node is uncordoned',
    aSnapshot(proven),
    ['act uncordon', 'uncordon {"node":"n1"}', 'CordonedByUs | - | the cordon is ours'],
  ],
  [
    'a node that was cordoned before stays so',
    withPort(aSnapshot(inReturn({ record: aRecord({ unschedulable: true }) }))),
    ['hold settle for 250 ms', 'SettledOnce | - | settled 0 of 3 times in a row'],
  ],
  [
    'a data port that does not answer is waited for',
    aSnapshot(uncordoned),
    ['hold settle for 500 ms', 'DataPortSilent | 10.0.0.1:30080 | nothing answers at 10.0.0.1:30080 yet'],
  ],
  [
    'a settled look counts once',
    withPort(aSnapshot({ ...uncordoned, evidence: { ...proven.evidence, settledInARow: 1 } })),
    ['hold settle for 250 ms', 'SettledOnce | - | settled 1 of 3 times in a row'],
  ],
  [
    'a workload that is worse than before is waited for',
    withPort(
      aSnapshot({
        ...uncordoned,
        record: aRecord({ workloads: { 'ReplicaSet shop/cart': 2 } }),
        workloads: [aWorkload({ ready: 1 })],
      }),
    ),
    [
      'hold settle for 500 ms',
      'ReplacementNotReady | ReplicaSet shop/cart | ReplicaSet shop/cart has 0 ready of 2 recorded',
    ],
  ],
  [
    'a workload that was not recorded is not waited for',
    withPort(aSnapshot({ ...settled, workloads: [aWorkload({ ready: 1 })] })),
    [
      'act attach',
      'setServer {"node":"n1","balancer":"edge","ref":{"instance":"lb-1","backend":"web","server":"n1"},"state":"ready","restores":true}',
      'MayServe | - | its own checks passed on every instance',
    ],
  ],
  [
    'the cluster DNS is waited for where it was Ready before',
    withPort(aSnapshot({ ...uncordoned, record: aRecord({ dnsReady: 2 }) })),
    ['hold settle for 500 ms', 'DnsNotReady | kube-system/kube-dns | no endpoint of the cluster DNS is Ready'],
  ],
  [
    'a settled node is put back by its checks',
    withPort(aSnapshot(settled)),
    [
      'act attach',
      'setServer {"node":"n1","balancer":"edge","ref":{"instance":"lb-1","backend":"web","server":"n1"},"state":"ready","restores":true}',
      'MayServe | - | its own checks passed on every instance',
    ],
  ],
  [
    'a server in maint passes through drain',
    withPort(
      aSnapshot({
        ...settled,
        servers: drained({
          adminState: 'maint',
          ownState: 'maint',
          operational: 'down',
          check: 'failing',
          checkText: '',
        }),
      }),
    ),
    [
      'act attach',
      'setServer {"node":"n1","balancer":"edge","ref":{"instance":"lb-1","backend":"web","server":"n1"},"state":"drain","restores":true}',
      'NotUpYet | web/n1 | web/n1 on lb-1 is maint, its check failing ()',
    ],
  ],
  [
    'a server whose check has not passed is waited for',
    withPort(aSnapshot({ ...settled, servers: drained({ check: 'failing', checkText: 'L4CON' }) })),
    ['hold attach for 250 ms', 'NotUpYet | web/n1 | web/n1 on lb-1 is drain, its check failing (L4CON)'],
  ],
  [
    'a server whose check passed, and not `rise` times yet, is waited for',
    withPort(aSnapshot({ ...settled, servers: drained({ check: 'failing', checkText: 'L7OK/200' }) })),
    [
      'hold attach for 250 ms',
      'NotUpYet | web/n1 | web/n1 on lb-1 is drain, its check not passed often enough yet (L7OK/200)',
    ],
  ],
  [
    'a server that is ready and not up yet is waited for',
    withPort(
      aSnapshot({
        ...settled,
        servers: [
          aServer('n1', { operational: 'down', check: 'failing', checkText: 'L4CON' }),
          aServer('n2'),
          aServer('n3'),
        ],
      }),
    ),
    ['hold attach for 250 ms', 'NotUpYet | web/n1 | web/n1 on lb-1 is ready, its check failing (L4CON)'],
  ],
  [
    'a server that is not listed is waited for',
    withPort(aSnapshot({ ...settled, servers: [aServer('n2'), aServer('n3')] })),
    ['hold attach for 250 ms', 'NotUpYet | web/n1 | lb-1 does not list web/n1'],
  ],
  [
    'a server without a check needs its data port alone',
    withPort(aSnapshot({ ...settled, servers: drained({ check: 'none', checkText: '' }) })),
    [
      'act attach',
      'setServer {"node":"n1","balancer":"edge","ref":{"instance":"lb-1","backend":"web","server":"n1"},"state":"ready","restores":true}',
      'MayServe | - | its own checks passed on every instance',
    ],
  ],
  [
    'dead connections to a rebooted node are closed before it is put back',
    withPort(aSnapshot({ ...settled, servers: drained({ idleConnections: 2 }) })),
    [
      'act attach',
      'setServer {"node":"n1","balancer":"edge","ref":{"instance":"lb-1","backend":"web","server":"n1"},"state":"maint","restores":true}',
      'ConnectionsPooled | web/n1 | web/n1 on lb-1 keeps 2 idle connections open, which would be dead after the reboot',
    ],
  ],
  [
    'a node that is put back soaks',
    withPort(
      aSnapshot({
        ...settled,
        servers: [aServer('n1'), aServer('n2'), aServer('n3')],
        evidence: { ...settled.evidence, attachedAt: monoMs(999_000), attachingSince: monoMs(998_000) },
      }),
    ),
    ['hold soak for 1000 ms', 'Soaking | - | traffic is watched for the soak time'],
  ],
  [
    'a soak has its last moment looked at soon',
    withPort(
      aSnapshot({
        ...settled,
        servers: [aServer('n1'), aServer('n2'), aServer('n3')],
        evidence: { ...settled.evidence, attachedAt: monoMs(990_050), attachingSince: monoMs(990_000) },
      }),
    ),
    ['hold soak for 100 ms', 'Soaking | - | traffic is watched for the soak time'],
  ],
  [
    'a node that has soaked loses its record',
    withPort(
      aSnapshot({
        ...settled,
        servers: [aServer('n1'), aServer('n2'), aServer('n3')],
        evidence: { ...settled.evidence, attachedAt: monoMs(990_000), attachingSince: monoMs(980_000) },
      }),
    ),
    ['act soak', 'removeRecord {"node":"n1"}', 'BackInService | n1 | n1 is back as it was'],
  ],
  [
    'a node that is through gives its slot back',
    aSnapshot({ evidence: { attachedAt: monoMs(990_000) } }),
    ['act soak', 'releaseSlot {"node":"n1"}', 'NothingLeft | n1 | nothing of this run is left on the node'],
  ],
  [
    'a node that is through and holds no slot is done',
    aSnapshot({ evidence: { attachedAt: monoMs(990_000) }, change: slotOf({}) }),
    ['settled', 'NodeDone | n1 | every step is done'],
  ],
  [
    'a node that was registered anew gets its record back',
    aSnapshot({
      ...out,
      change: {
        current: {
          node: aNode('n1', { unschedulable: true }),
          dataPorts: {},
          record: { ok: true, value: aRecord() },
          recordLost: true,
        },
      },
    }),
    [
      'act reboot',
      'writeRecord {"node":"n1","record":{"version":1,"run":"run-1","at":"2026-01-01T00:00:00.000Z","bootId":"11111111-1111-4111-8111-111111111111","unschedulable":false,"taints":[],"servers":[{"balancer":"edge","instance":"lb-1","backend":"web","server":"n1","address":"10.0.0.1","port":30080,"state":"ready"}],"daemons":[],"workloads":{},"dnsReady":0}}',
      'RecordLost | n1 | n1 has lost the record of its state before the roll: it was registered again, or others took the record off',
    ],
  ],
  [
    'a node that was registered anew gets its record back, and its intent where the reboot was announced',
    aSnapshot({
      ...out,
      change: {
        current: {
          node: aNode('n1', { unschedulable: true }),
          dataPorts: {},
          record: { ok: true, value: aRecord() },
          recordLost: true,
          intentLost: true,
        },
      },
    }),
    [
      'act reboot',
      'writeRecord {"node":"n1","record":{"version":1,"run":"run-1","at":"2026-01-01T00:00:00.000Z","bootId":"11111111-1111-4111-8111-111111111111","unschedulable":false,"taints":[],"servers":[{"balancer":"edge","instance":"lb-1","backend":"web","server":"n1","address":"10.0.0.1","port":30080,"state":"ready"}],"daemons":[],"workloads":{},"dnsReady":0},"announced":true}',
      'RecordLost | n1 | n1 has lost the record of its state before the roll: it was registered again, or others took the record off',
    ],
  ],
  [
    'an old view of a node that is through is not acted on',
    aSnapshot({ ...out, change: { run: { id: 'run-1', order: ['n1', 'n2', 'n3'], done: ['n1'] } } }),
    [
      'hold record for 500 ms',
      'OldNews | n1 | the API server shows n1 as it was before its reboot, although the run has finished it',
    ],
  ],
  [
    'where no node is under way nothing is decided',
    ((s) => {
      const { current: _, ...none } = s
      return none
    })(aSnapshot()),
    ['settled', 'NothingUnderWay | - | no node is under way'],
  ],
]

for (const [title, snapshot, decision] of DECISIONS) {
  test(`in full: ${title}`, () => assert.deepEqual(fullDecision(decide(snapshot)), decision))
}
