import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/agent/decide/decide.ts'
import { noEvidence } from '../../../src/agent/decide/evidence.ts'
import { observe } from '../../../src/agent/decide/observe.ts'
import type { AgentSnapshot } from '../../../src/agent/decide/snapshot.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import type { Answer } from '../../../src/service/model/answer.ts'
import { anAgent, DISK_ALONE, KEPT, NOW, REQUEST, REQUEST_AND_DISK, someFacts } from '../../support/agent-world.ts'

/** `ANSWER CODES [in MS]` of one pass. */
function said(s: AgentSnapshot): string {
  const { answer, reasons, changesInMs } = decide({ ...s, evidence: observe(s) })
  const codes = reasons.map(({ code }) => code).join(' ')
  return `${answer} ${codes}${changesInMs === undefined ? '' : ` in ${changesInMs}`}`
}

const agoMs = (ms: number) => monoMs(NOW - ms)
const cold = (change: Partial<AgentSnapshot> = {}): AgentSnapshot =>
  anAgent({ change: { evidence: noEvidence(agoMs(60_000)), heard: false, ...change } })
/** The agent has heard nothing of the brake since the machine booted, long ago. */
function unheard(answer: Answer): AgentSnapshot {
  const { brake: _told, ...evidence } = anAgent({ facts: { unschedulable: true } }).evidence
  return anAgent({ change: { evidence: { ...evidence, answer } } })
}
const ASKED = { hasDataPort: true }
const LIMIT = { drainLimitMs: 600_000 }

const ANSWERS: readonly (readonly [title: string, snapshot: AgentSnapshot, said: string])[] = [
  ['nothing keeps the node out', anAgent(), 'up InService'],
  ['the node is cordoned', anAgent({ facts: { unschedulable: true } }), 'drain Cordoned'],
  [
    'its cordon is younger than is borne',
    anAgent({
      facts: { unschedulable: true },
      spec: { cordonGraceMs: 9_000 },
      evidence: { cordonedSince: agoMs(2_000) },
    }),
    'up CordonYoung in 7000',
  ],
  [
    'its cordon is new and borne for a while',
    anAgent({ facts: { unschedulable: true }, spec: { cordonGraceMs: 9_000 } }),
    'up CordonYoung in 9000',
  ],
  [
    'its cordon is granted',
    anAgent({ facts: { unschedulable: true }, evidence: { brake: 'granted' } }),
    'drain Cordoned',
  ],
  [
    'its cordon is not granted',
    anAgent({ facts: { unschedulable: true }, evidence: { brake: 'withheld' } }),
    'up CordonNotGranted',
  ],
  [
    'its cordon was granted, and is not any more',
    anAgent({
      facts: { unschedulable: true },
      evidence: { brake: 'withheld', cordonCounts: true, answer: 'drain', clearSince: agoMs(9_000) },
    }),
    'up CordonNotGranted',
  ],
  [
    'its cordon is granted, and younger than is borne',
    anAgent({ facts: { unschedulable: true }, spec: { cordonGraceMs: 9_000 }, evidence: { brake: 'granted' } }),
    'up CordonYoung in 9000',
  ],
  [
    'its cordon is not granted, whatever it has to leave for besides',
    anAgent({ facts: { unschedulable: true, excluded: true }, evidence: { brake: 'withheld' } }),
    'drain NodeExcluded',
  ],
  [
    'whether its cordon is granted cannot be read',
    anAgent({ facts: { unschedulable: true }, evidence: { brake: 'unknown' } }),
    'up BrakeUnknown',
  ],
  [
    'whether its cordon is granted cannot be read any more, after it left for it',
    anAgent({ facts: { unschedulable: true }, evidence: { brake: 'unknown', cordonCounts: true, answer: 'drain' } }),
    'drain Cordoned',
  ],
  [
    'whether its cordon is granted cannot be read, and it was out for another reason',
    anAgent({
      facts: { unschedulable: true },
      evidence: { brake: 'unknown', answer: 'drain', clearSince: agoMs(9_000) },
    }),
    'up BrakeUnknown',
  ],
  ['whether its cordon is granted was not heard yet', unheard('up'), 'up BrakeUnknown'],
  ['whether its cordon is granted was not heard yet, and it has just booted', unheard('down'), 'down BrakeUnknown'],
  [
    'whether cordons are granted was not heard yet, and it is not cordoned',
    { ...unheard('down'), evidence: { ...unheard('down').evidence, node: someFacts() } },
    'up InService',
  ],
  ['it is being drained', anAgent({ facts: { lifecycle: ['DrainInProgress'] } }), 'drain NodeLeaves'],
  ['the Node object is being deleted', anAgent({ facts: { deleting: true } }), 'drain NodeDeleted'],
  ['its Node object is gone', anAgent({ evidence: { node: 'gone' } }), 'drain NodeGone'],
  [
    'the autoscaler removes it',
    anAgent({ facts: { removal: ['ToBeDeletedByClusterAutoscaler'] } }),
    'drain NodeToBeRemoved',
  ],
  ['its label excludes it', anAgent({ facts: { excluded: true } }), 'drain NodeExcluded'],
  ['a run takes it out', anAgent({ facts: { maintenance: REQUEST } }), 'drain Maintenance'],
  [
    'a run takes it out, and a person keeps it out',
    anAgent({ facts: { maintenance: REQUEST_AND_DISK }, change: { kept: KEPT } }),
    'drain Maintenance Maintenance',
  ],
  [
    'a person keeps it out, and the claim of a run is on the disk still',
    anAgent({ facts: { maintenance: DISK_ALONE }, change: { kept: KEPT } }),
    'drain Maintenance MaintenanceKept',
  ],
  ['its claims are all withdrawn', anAgent({ facts: { maintenance: '{"version":2,"claims":[]}' } }), 'up InService'],
  [
    'a request takes it out in words that make no sense',
    anAgent({ facts: { maintenance: 'yes' } }),
    'drain MaintenanceUnreadable',
  ],
  ['all reasons are told', anAgent({ facts: { unschedulable: true, excluded: true } }), 'drain NodeExcluded Cordoned'],
  [
    'a person says otherwise',
    anAgent({ facts: { unschedulable: true }, change: { override: { answer: 'up', why: 'test' } } }),
    'up Overridden',
  ],
  [
    'it was told to leave too long ago',
    anAgent({ facts: { unschedulable: true }, spec: LIMIT, evidence: { leavingSince: agoMs(600_000) } }),
    'down Cordoned DrainLimit',
  ],
  [
    'it was told to leave not that long ago',
    anAgent({ facts: { unschedulable: true }, spec: LIMIT, evidence: { leavingSince: agoMs(599_000) } }),
    'drain Cordoned in 1000',
  ],
  ['nothing was heard since it booted', cold(), 'down ColdStart'],
  ['nothing was heard since it booted, and a run had taken it out', cold({ kept: KEPT }), 'drain MaintenanceKept'],
  ['its data port is closed', anAgent({ spec: ASKED, evidence: { dataPort: 'closed' } }), 'down DataPortClosed'],
  ['its data port is open', anAgent({ spec: ASKED, evidence: { dataPort: 'open' } }), 'up InService'],
  ['its data port was never asked', anAgent({ spec: ASKED }), 'down DataPortUnknown'],
  [
    'it leaves, and its data port is closed',
    anAgent({ facts: { unschedulable: true }, spec: ASKED, evidence: { dataPort: 'closed' } }),
    'drain Cordoned',
  ],
  [
    'it was out a moment ago',
    anAgent({ evidence: { answer: 'drain', clearSince: agoMs(1_000) } }),
    'drain Returning in 4000',
  ],
  [
    'it was out, and nothing stood against it for long enough',
    anAgent({ evidence: { answer: 'drain', clearSince: agoMs(5_000) } }),
    'up InService',
  ],
  [
    'it never left, though what stood against it was over only a moment ago',
    anAgent({ evidence: { clearSince: agoMs(1_000) } }),
    'up InService',
  ],
  ['the API server is away for ever', anAgent({ change: { unheardSince: monoMs(0) } }), 'up InService'],
  [
    'the API server is away for ever, and it was cordoned',
    anAgent({ facts: { unschedulable: true }, change: { unheardSince: monoMs(0) } }),
    'drain Cordoned',
  ],
  [
    'the API server is away, which is to mean down after a while',
    anAgent({ spec: { stale: { afterMs: 9_000, answer: 'down' } }, change: { unheardSince: agoMs(9_000) } }),
    'down ApiLongAway',
  ],
  [
    'the API server is away, which is to mean down later',
    anAgent({ spec: { stale: { afterMs: 9_000, answer: 'down' } }, change: { unheardSince: agoMs(8_000) } }),
    'up InService in 1000',
  ],
  [
    'the API server is away, which is to mean up after a while',
    anAgent({
      facts: { unschedulable: true },
      spec: { stale: { afterMs: 9_000, answer: 'up' } },
      change: { unheardSince: agoMs(9_000) },
    }),
    'up ApiLongAway',
  ],
  [
    'the API server is heard, and its silence would mean up',
    anAgent({ facts: { unschedulable: true }, spec: { stale: { afterMs: 9_000, answer: 'up' } } }),
    'drain Cordoned',
  ],
  [
    'the API server is away, which is to mean down, and it was cordoned',
    anAgent({
      facts: { unschedulable: true },
      spec: { stale: { afterMs: 9_000, answer: 'down' } },
      change: { unheardSince: agoMs(9_000) },
    }),
    'drain Cordoned',
  ],
  [
    'nothing was heard since it booted, which is to mean up after a while',
    cold({
      spec: { ...anAgent().spec, stale: { afterMs: 9_000, answer: 'up' } },
      unheardSince: agoMs(9_000),
      evidence: { ...noEvidence(agoMs(60_000)), clearSince: agoMs(5_000) },
    }),
    'up ApiLongAway',
  ],
  [
    'the API server is away, which is to mean up, and a run took it out',
    anAgent({
      facts: { maintenance: REQUEST },
      spec: { stale: { afterMs: 9_000, answer: 'up' } },
      change: { unheardSince: agoMs(9_000) },
    }),
    'drain Maintenance',
  ],
]

for (const [title, snapshot, expected] of ANSWERS)
  test(`an agent's answer: ${title}`, () => assert.equal(said(snapshot), expected))

test('law: an agent never decides by the Ready condition of its node; a Ready condition is no part of what an agent knows of its node', () => {
  assert.deepEqual(Object.keys(anAgent().evidence.node ?? {}).sort(), [
    'deleting',
    'excluded',
    'lifecycle',
    'removal',
    'resourceVersion',
    'uid',
    'unschedulable',
  ])
})
