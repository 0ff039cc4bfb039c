import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newLock } from '../../../../src/ground/model/kured-lock.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { kuredLockWanted } from '../../../../src/roll/decide/kured/lock-taken.ts'
import { decideMachine } from '../../../../src/roll/decide/pair/decide-machine.ts'
import type { MachineSnapshot } from '../../../../src/roll/decide/pair/machine-snapshot.ts'
import {
  AFTER,
  aHost,
  announced,
  at,
  away,
  began,
  type Given,
  moved,
  NOW,
  proven,
  said,
} from '../../../support/a-host.ts'
import { aGate } from '../../../support/gate-and-hook-world.ts'
import { twoHosts } from '../../../support/memory-pair.ts'
import { aSpec, aWorkload } from '../../../support/roll-world.ts'

const REF = { namespace: 'kube-system', name: 'kured' }
const OF_NODE = JSON.stringify({ nodeID: 'n2', created: '2020-01-01T00:00:00Z', TTL: 0 })
const ofRun = (run: string): string => newLock({ run, wall: wallMs(NOW), concurrency: 1 })

interface Lock {
  readonly lock?: string
  /** The file asks for it. */
  readonly isAsked?: boolean
  readonly change?: Partial<MachineSnapshot>
}

function locked(given: Given, { lock, isAsked = true, change }: Lock = {}): MachineSnapshot {
  const set = aWorkload({ ...REF, kind: 'DaemonSet', ...(lock === undefined ? {} : { rebootLock: lock }) })
  const spec = aSpec({ hosts: twoHosts(), gates: [aGate({ appliesTo: ['hosts'], timesInARow: 1 })] })
  const s = aHost(given)
  const answers = { ceph: [{ kind: 'passes', text: 'x', begunAt: s.now, endedAt: s.now }] } as const
  return {
    ...s,
    spec: { ...spec, reboot: { ...spec.reboot, ...(isAsked ? { kuredLock: REF } : {}) } },
    cluster: { workloads: [set] },
    kuredLock: {},
    gates: { about: { node: 'lb-1', moment: 'node' }, readings: answers },
    ...change,
  }
}

const gone: Given = { on: ['lb-2'], memory: away, evidence: moved }
const sent: Given = {
  on: ['lb-2'],
  memory: announced,
  evidence: { ...moved, reboot: { at: at(400_000), answer: { kind: 'sent' } } },
}
const free = { slot: { state: 'free', mayAct: false } } as const

/** What is decided, by whose the lock is. */
const ROWS: readonly (readonly [string, Given, noLock: string, ofKured: string, ofOther: string])[] = [
  ['no slot yet', { change: free }, 'slot: takeSlot', 'slot? KuredLockHeld', 'slot: takeSlot'],
  ['not begun', {}, 'record? KuredLockDue', 'record? KuredLockHeld', 'record: record'],
  ['recorded', { memory: began }, 'detach? KuredLockDue', 'detach? KuredLockHeld', 'detach: moveAway'],
  ['without its addresses', gone, 'reboot: reboot', 'detach? KuredLockHeld', 'reboot: reboot'],
  ['announced, and unheard', sent, 'reboot: reboot', 'reboot: reboot', 'reboot: reboot'],
  ['with another boot id', { ...gone, bootId: AFTER }, 'proof: proven', 'proof: proven', 'proof: proven'],
]

for (const [what, given, ...expected] of ROWS)
  test(`a machine waits for kured as a node does, until its reboot is announced: ${what}`, () => {
    const owners = [{}, { lock: OF_NODE }, { lock: ofRun('run-9') }]
    assert.deepEqual(
      owners.map((lock) => said(locked(given, lock))),
      expected,
    )
    assert.equal(said(locked(given, { lock: ofRun('run-1') })), expected[2])
    // A file that does not ask for the lock lets the roll wait for kured all the same.
    assert.equal(said(locked(given, { lock: OF_NODE, isAsked: false })), expected[1])
    assert.equal(said(locked(given, { isAsked: false })), expected[2])
  })

test('the lock is wanted once a machine may be begun, and until it is whole', () => {
  const wanted = (given: Given, lock?: Lock): boolean | undefined => {
    const s = locked(given, lock)
    return kuredLockWanted(s, decideMachine(s))
  }
  const own = { lock: ofRun('run-1') }
  assert.deepEqual([wanted({ change: free }), wanted({}), wanted({}, own)], [undefined, true, true])
  for (const given of [{ memory: began }, gone, sent, { memory: proven, bootId: AFTER }])
    assert.equal(wanted(given, own), true)
  assert.equal(wanted({}, { isAsked: false }), undefined)
})

test('the lock is given back while a machine that is not begun waits for a time window or a gate', () => {
  const closed = { window: { now: wallMs(NOW), longestMs: 1 } }
  const spec = locked({}).spec
  const window = { zone: 'UTC', open: [], not: [], onClose: 'restore' } as const
  const outside = locked({}, { change: { ...closed, ...free, spec: { ...spec, window } } })
  const answers = { ceph: [{ kind: 'fails', text: 'x', begunAt: at(0), endedAt: at(0) }] } as const
  const asked = { about: { node: 'lb-1', moment: 'node' }, readings: answers } as const
  const refused = locked({}, { change: { ...free, gates: asked } })
  assert.deepEqual([said(outside), kuredLockWanted(outside, decideMachine(outside))], ['slot? WindowClosed', false])
  assert.deepEqual([said(refused), kuredLockWanted(refused, decideMachine(refused))], ['slot? GateFails', false])
})
