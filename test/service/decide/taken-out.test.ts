import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import type { RecordedServer } from '../../../src/service/model/node-record.ts'
import { OUT_TAINT } from '../../../src/service/model/node-record.ts'
import { announced, cordoned, out } from '../../support/roll-stages.ts'
import { anInstance, aPod, aRecord, aServer, aSnapshot, detachedEvidence, drained } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const withCurrent = (s: NodeSnapshot, change: Partial<NodeSnapshot['current']>): NodeSnapshot => ({
  ...s,
  current: { ...s.current, ...change },
})

/** The server of the record, and beside it one that differs from it so. */
const recordWith = (change: Partial<RecordedServer>) =>
  aRecord({ servers: aRecord().servers.flatMap((server) => [server, { ...server, ...change }]) })

/** The command was taken as long ago as that. */
const sentBefore = (ms: number): Partial<Evidence> => ({
  ...detachedEvidence(),
  intentByUs: true,
  reboot: { at: monoMs(1_000_000 - ms), answer: { kind: 'sent' } },
})

const stopped = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const
const stoppedRun = (s: NodeSnapshot): RollSnapshot => ({ ...s, run: { ...s.run, verdict: stopped } })

const TABLE: readonly (readonly [title: string, snapshot: RollSnapshot, decision: string])[] = [
  [
    'asks no more for a slot that it has lost',
    aSnapshot({ record: aRecord(), change: { slot: { state: 'lost', holderRun: 'run-2', mayAct: false } } }),
    'hold slot: SlotTaken',
  ],
  [
    'takes no slot for a node that another run has out, though the Lease of that run is gone',
    aSnapshot({ record: aRecord({ run: 'run-2' }), change: { slot: { state: 'free', mayAct: false } } }),
    'hold slot: RecordOfAnotherRun',
  ],
  [
    'asks no more for the slot of another run while the node bears the record of that run',
    aSnapshot({
      record: aRecord({ run: 'run-2' }),
      change: { slot: { state: 'other', holderRun: 'run-2', mayAct: false } },
    }),
    'hold slot: RecordOfAnotherRun',
  ],
  [
    'writes no record over that of another run',
    aSnapshot({ record: aRecord({ run: 'run-2' }) }),
    'hold record: RecordOfAnotherRun',
  ],
  [
    'writes no record over one that cannot be read',
    withCurrent(aSnapshot(), { record: { ok: false, why: 'it is no JSON' } }),
    'hold record: RecordUnreadable',
  ],
  [
    'sets a server to maint to which cookies would still send',
    aSnapshot({ ...cordoned, servers: [aServer('n1', { persistent: true }), aServer('n2')] }),
    'act detach: setServer maint',
  ],
  [
    'goes no further where a recorded server is not listed any more',
    aSnapshot({ ...out, servers: [aServer('n2'), aServer('n3')] }),
    'hold detach: ServerNotListed',
  ],
  [
    'waits for no server that the record names at the address of another node',
    aSnapshot({ ...out, record: recordWith({ server: 'n2', address: '10.0.0.2' }) }),
    'act reboot: writeIntent',
  ],
  [
    'tells each of two servers of one backend that lead to the node',
    aSnapshot({
      ...out,
      record: recordWith({ server: 'n1b', port: 30081 }),
      servers: [...drained(), aServer('n1b', { address: '10.0.0.1', port: 30081 })],
    }),
    'act detach: setServer drain',
  ],
  [
    'empties no node to which a server leads that was added since its record',
    aSnapshot({ ...out, servers: [...drained(), aServer('n1b', { address: '10.0.0.1', port: 30081 })] }),
    'hold detach: ServerNotRecorded',
  ],
  [
    'waits for no server that was added since the record and is sent nothing',
    aSnapshot({ ...out, servers: [...drained(), aServer('n1b', { address: '10.0.0.1', adminState: 'drain' })] }),
    'act reboot: writeIntent',
  ],
  [
    'sends no reboot that is announced while a server leads to the node that was added since its record',
    aSnapshot({
      ...announced,
      servers: [...drained(), aServer('n1b', { address: '10.0.0.1', port: 30081 })],
      evidence: { ...detachedEvidence(), intentByUs: true },
    }),
    'hold detach: ServerNotRecorded',
  ],
  [
    'tells two balancers apart whose instances bear the same name',
    aSnapshot({
      ...cordoned,
      change: {
        instances: [anInstance([aServer('n2')], { balancer: 'inner' }), anInstance([aServer('n1'), aServer('n2')])],
      },
    }),
    'act detach: setServer drain',
  ],
  [
    'drains what came to a node whose reboot is announced and not sent',
    aSnapshot({
      ...announced,
      pods: [aPod('cart-a', 'n1')],
      evidence: { ...detachedEvidence(), intentByUs: true },
    }),
    'act drain: evict',
  ],
  [
    'waits for a machine that goes down, however long it takes',
    aSnapshot({ ...announced, node: { unschedulable: true, ready: 'Unknown' }, evidence: sentBefore(600_000) }),
    'hold reboot: Rebooting',
  ],
  [
    'sends a reboot again that was taken and ignored',
    aSnapshot({ ...announced, evidence: sentBefore(60_000) }),
    'act reboot: sendReboot',
  ],
  [
    'counts the wait before it sends again from when it was sent last',
    aSnapshot({ ...announced, evidence: { ...sentBefore(59_999), awaySince: monoMs(1) } }),
    'hold reboot: Rebooting',
  ],
  [
    'takes its taint from a node that is restored without a reboot',
    stoppedRun(aSnapshot({ ...out, node: { unschedulable: true, taints: [OUT_TAINT] } })),
    'act uncordon: removeTaint uncordon',
  ],
  [
    'does nothing to a node that has no object any more',
    withCurrent(aSnapshot(cordoned), { absent: true }),
    'hold detach: NodeGone',
  ],
  ['begins no node that has no object any more', withCurrent(aSnapshot(), { absent: true }), 'act slot: releaseSlot'],
  [
    'writes the record of a node that was registered anew before anything else',
    withCurrent(aSnapshot(cordoned), { recordLost: true }),
    'act detach: writeRecord',
  ],
]

for (const [title, snapshot, decision] of TABLE) {
  test(`a roll ${title}`, () => assert.equal(shortDecision(decide(snapshot)), decision))
}

test('once the reboot is announced a server is taken out again though it is the last that is usable', () => {
  const down = { operational: 'down', totalSessions: 0 } as const
  const servers = [aServer('n1'), aServer('n2', down), aServer('n3', down)]
  assert.equal(shortDecision(decide(aSnapshot({ ...announced, servers }))), 'act detach: setServer drain')
  assert.equal(shortDecision(decide(aSnapshot({ ...out, servers }))), 'hold detach: LastUsableServer')
})

test('a node that stays out is told again only when it may be tried again', () => {
  const verdict = { ...stopped, keepOut: true }
  const key = 'setServer lb-1 web/n1 drain'
  const after = (notBefore: number): string => {
    const retries = { [key]: { failures: 1, notBefore: monoMs(notBefore), error: 'no answer' } }
    const s = aSnapshot({ ...announced, servers: [aServer('n1'), aServer('n2')], evidence: { retries } })
    return shortDecision(decide({ ...s, run: { ...s.run, verdict } }))
  }
  assert.deepEqual([after(1_000_001), after(1_000_000)], ['settled: RequestsFailed', 'act detach: setServer drain'])
})
