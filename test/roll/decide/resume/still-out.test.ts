import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatClaims, MAINTENANCE_ANNOTATION } from '../../../../src/ground/model/claims.ts'
import type { Node } from '../../../../src/ground/model/node.ts'
import type { SlotOwner } from '../../../../src/ground/model/slot.ts'
import { isStillOut } from '../../../../src/roll/decide/resume/still-out.ts'
import {
  formatRecord,
  INTENT_ANNOTATION,
  type NodeRecord,
  OUT_TAINT,
  RECORD_ANNOTATION,
} from '../../../../src/service/model/node-record.ts'
import { aNode, anInstance, aRecord, aServer } from '../../../support/roll-world.ts'

const recordedBy = (run: string) => ({ annotations: { [RECORD_ANNOTATION]: formatRecord(aRecord({ run })) } })
const intentOf = (run: string) => ({
  annotations: { [INTENT_ANNOTATION]: JSON.stringify({ version: 1, run, bootId: aRecord().bootId, at: aRecord().at }) },
})
const claimOf = (owner: string) => ({ annotations: { [MAINTENANCE_ANNOTATION]: formatClaims([{ owner, id: 'one' }]) } })
const heldBy = (run: string, node?: string): SlotOwner => ({
  holder: `${run}/a`,
  run,
  ...(node === undefined ? {} : { node }),
})
const drained = [anInstance([aServer('n1', { adminState: 'drain', ownState: 'drain' })])]

interface Seen {
  readonly node?: Partial<Node>
  readonly slot?: SlotOwner | 'unread'
  readonly record?: Partial<NodeRecord>
  readonly instances?: Parameters<typeof isStillOut>[0]['instances']
}

function stillOut({ node = {}, slot, record = {}, instances }: Seen): boolean {
  const seen = { isStale: true, renewTime: '2026-01-01T00:00:00Z', durationMs: 120_000, index: 0 }
  return isStillOut({
    run: 'run-1',
    node: aNode('n1', node),
    record: aRecord(record),
    instances: instances ?? [anInstance([aServer('n1')])],
    budget: {
      limit: { kind: 'count', count: 1 },
      cordons: 'unknown',
      slots: slot === undefined || slot === 'unread' ? [] : [{ ...seen, owner: slot }],
      ...(slot === 'unread' ? { isUnread: true } : {}),
    },
  })
}

const wasOut = { servers: aRecord().servers.map((server) => ({ ...server, state: 'drain' as const })) }

const OTHERS_RECORD: Seen = { node: recordedBy('run-2'), slot: heldBy('run-1', 'n1') }

const CASES: readonly (readonly [title: string, seen: Seen, isOut: boolean])[] = [
  ['bears the record of its run', { node: recordedBy('run-1') }, true],
  ['bears a record that cannot be read', { node: { annotations: { [RECORD_ANNOTATION]: '{' } } }, true],
  ['bears the intent of its run', { node: intentOf('run-1') }, true],
  ['bears the claim of its run', { node: claimOf('roll/run-1') }, true],
  ['has the taint of a drain', { node: { taints: [OUT_TAINT] } }, true],
  ['has a slot of its run', { slot: heldBy('run-1', 'n1') }, true],
  ['may have the slot of its run, which names no node', { slot: heldBy('run-1') }, true],
  ['may have a slot, since none can be read', { slot: 'unread' }, true],
  ['has a server that the run took out', { instances: drained }, true],
  [
    'has a server that the run took out under another name',
    { instances: [anInstance([aServer('s7', { address: '10.0.0.1', adminState: 'drain' })])] },
    true,
  ],
  [
    'has a server in whose place another one leads to it',
    { instances: [anInstance([aServer('s7', { address: '10.0.0.1' })])] },
    false,
  ],
  [
    'has a server that people had taken out beside the one that serves',
    {
      record: {
        servers: aRecord().servers.flatMap((server) => [
          server,
          { ...server, server: 'spare', state: 'maint' as const },
        ]),
      },
      instances: [anInstance([aServer('n1'), aServer('spare', { address: '10.0.0.1', adminState: 'maint' })])],
    },
    false,
  ],
  ['has a server at a balancer that does not answer', { instances: [anInstance([], { silentForMs: 1 })] }, true],
  ['serves everywhere', {}, false],
  ['is cordoned, and no more', { node: { unschedulable: true } }, false],
  ['has a server that was out before', { record: wasOut, instances: drained }, false],
  ['bears the record of another run', { node: recordedBy('run-2'), instances: drained }, false],
  ['bears the record of another run, and its slot is for its own run', OTHERS_RECORD, true],
  [
    'bears the record of another run beside the claim of its own',
    { node: { annotations: { ...recordedBy('run-2').annotations, ...claimOf('roll/run-1').annotations } } },
    true,
  ],
  [
    'bears the record of another run beside the intent of its own',
    { node: { annotations: { ...recordedBy('run-2').annotations, ...intentOf('run-1').annotations } } },
    true,
  ],
  [
    'bears the record of another run, which has tainted it and has a slot for it',
    { node: { ...recordedBy('run-2'), taints: [OUT_TAINT] }, slot: heldBy('run-2', 'n1') },
    false,
  ],
  ['bears the intent of another run', { node: intentOf('run-2') }, false],
  ['is claimed by a person', { node: claimOf('person/anna') }, false],
  ['has a slot of another run', { slot: heldBy('run-2', 'n1') }, false],
  ['is another one than that of the slot', { slot: heldBy('run-1', 'n2') }, false],
]

for (const [title, seen, isOut] of CASES)
  test(`a node of an earlier process ${isOut ? 'may still be out' : 'was put back'} where it ${title}`, () => {
    assert.equal(stillOut(seen), isOut)
  })
