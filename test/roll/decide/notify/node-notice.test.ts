import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeNotice } from '../../../../src/roll/decide/notify/node-notice.ts'
import type { NodeResult, RollEvent } from '../../../../src/roll/model/roll-event.ts'
import { STEPS } from '../../../../src/roll/model/step.ts'

/** `Type Code: text`, as `kubectl describe node` shows it. */
function shown(event: RollEvent, reason?: string): string | undefined {
  const stamped = { ...event, v: '1.0' as const, seq: 0, at: '2026-01-01T00:00:00.000Z' }
  const notice = nodeNotice(stamped, { run: 'r-1', ...(reason === undefined ? {} : { reason }) })
  if (notice === undefined) return undefined
  assert.deepEqual([notice.kind, notice.name, notice.namespace], ['Node', 'n1', undefined])
  return `${notice.type} ${notice.reason.code}: ${notice.reason.text}`
}

const standing = (state: NodeResult['state'], text: string): RollEvent => ({
  type: 'node.ended',
  standing: { node: 'n1', state, text, cordoned: false, detached: false, podsMoved: 0, failedRequests: 0 },
})

test('each step that takes a node out or brings it back is an Event, and no other step', () => {
  assert.deepEqual(
    STEPS.map((step) => shown({ type: 'step.started', node: 'n1', step, reasons: [] })).filter(Boolean),
    [
      'Normal EvenKeelCordon: run r-1 cordons the node',
      'Normal EvenKeelDetach: run r-1 takes the node out of its load balancers',
      'Normal EvenKeelDrain: run r-1 evicts the pods of the node',
      'Normal EvenKeelReboot: run r-1 reboots the machine',
      'Normal EvenKeelUncordon: run r-1 makes the node schedulable again',
      'Normal EvenKeelAttach: run r-1 puts the node back into its load balancers',
    ],
  )
})

test('an Event names the reason of the run and the reasons of a hold, and what people or the cluster wrote stays one line', () => {
  assert.equal(
    shown({ type: 'step.started', node: 'n1', step: 'drain', reasons: [] }, 'kernel\n5.14'),
    'Normal EvenKeelDrain: run r-1 evicts the pods of the node (reason: kernel\\x0a5.14)',
  )
  const reasons = [
    { code: 'ApiUnreachable', text: 'the budget default/web refuses' },
    { code: 'SlotTaken', text: 'one request\nfailed' },
  ] as const
  assert.equal(
    shown({ type: 'hold.started', node: 'n1', step: 'drain', reasons }),
    'Warning EvenKeelHold: run r-1 waits in step drain: the budget default/web refuses; one request\\x0afailed',
  )
})

test('the end of a node is an Event where there is a Node to write it on', () => {
  assert.deepEqual(
    [
      standing('inService', 'back in service'),
      standing('restored', 'back, without a reboot'),
      standing('out', 'out of service'),
      standing('gone', 'gone'),
      standing('notTouched', 'not touched'),
    ].map((event) => shown(event)),
    [
      'Normal EvenKeelInService: run r-1: the node is back in service',
      'Normal EvenKeelRestored: run r-1: the node is back, without a reboot',
      'Warning EvenKeelKeptOut: run r-1: the node is out of service',
      undefined,
      undefined,
    ],
  )
})
