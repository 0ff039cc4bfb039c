import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { conditionsWanted } from '../../../src/roll/decide/announce/conditions-wanted.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import { announced, back, cordoned, out, proven, settled } from '../../support/roll-stages.ts'
import { aPod, aRecord, aSnapshot, aSpec } from '../../support/roll-world.ts'

const wanted = (s: NodeSnapshot): readonly string[] | undefined => {
  const asked = { ...s, spec: { ...s.spec, announce: { conditions: true } as const } }
  return conditionsWanted(asked, decide(asked))?.types
}

const verdict = (keepOut: boolean): Verdict => ({ kind: 'stopped', keepOut, reasons: [{ code: 'Aborted', text: 'x' }] })
const stopped = (s: NodeSnapshot, keepOut = false): NodeSnapshot => ({
  ...s,
  run: { ...s.run, verdict: verdict(keepOut) },
})
const pods = [aPod('cart-a', 'n1')]
const node = (change: Partial<Node>) => ({ ...cordoned, node: { ...cordoned.node, ...change } })

const ROWS: readonly (readonly [title: string, snapshot: NodeSnapshot, types: readonly string[] | undefined])[] = [
  ['a node that is not begun', aSnapshot(), []],
  ['a node that is recorded', aSnapshot({ record: aRecord() }), ['MaintenancePlanned']],
  ['a node that is detached', aSnapshot(cordoned), ['MaintenancePlanned']],
  ['a node that is drained', aSnapshot({ ...out, pods }), ['MaintenancePlanned', 'DrainInProgress']],
  ['a node without pods', aSnapshot(out), ['MaintenancePlanned', 'Drained']],
  ['a node whose reboot is announced', aSnapshot(announced), ['Drained', 'MaintenanceInProgress']],
  ['a node that has another boot id', aSnapshot(back), ['Drained', 'MaintenanceInProgress']],
  ['a node that is proven', aSnapshot(proven), []],
  ['a node that is settled', aSnapshot(settled), []],
  ['a node that is put back without a reboot', stopped(aSnapshot({ ...out, pods })), []],
  ['a stop after the reboot was announced', stopped(aSnapshot(announced)), ['Drained', 'MaintenanceInProgress']],
  ['a node that is kept out', stopped(aSnapshot(proven), true), ['MaintenanceInProgress']],
  [
    'a process without its slot, which cannot know yet',
    aSnapshot({ ...out, change: { slot: { state: 'free', mayAct: false } } }),
    undefined,
  ],
  ['maintenance that others have planned', aSnapshot(node({ plannedByOthers: true })), []],
  [
    'a drain that others have in progress as well',
    aSnapshot({ ...out, pods, node: { unschedulable: true, lifecycle: ['DrainInProgress'] } }),
    ['MaintenancePlanned'],
  ],
]

for (const [title, snapshot, types] of ROWS) {
  test(`announced by conditions: ${title}`, () => assert.deepEqual(wanted(snapshot), types))
}

test('nothing is announced where the file does not ask for it, and of a node that is no more', () => {
  const s = aSnapshot(out)
  assert.equal(conditionsWanted({ ...s, spec: aSpec() }, decide(s)), undefined)
  assert.equal(wanted({ ...s, current: { ...s.current, absent: true } }), undefined)
})
