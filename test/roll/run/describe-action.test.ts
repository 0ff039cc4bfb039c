import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeAction } from '../../../src/roll/run/describe-action.ts'
import type { Action } from '../../../src/service/model/action.ts'
import { aRecord } from '../../support/roll-world.ts'

const node = 'n1'
const ref = { instance: 'lb-1', backend: 'web', server: 'n1' }
const taint = { key: 'evenkeel.dev/out', effect: 'NoSchedule' } as const
const bootId = 'boot-1'

const DESCRIBED: readonly (readonly [Action, string])[] = [
  [{ kind: 'takeSlot', node, takeStale: false, restores: false }, 'take a slot of the node budget for n1'],
  [{ kind: 'writeRecord', node, record: aRecord() }, 'record what was there before on n1'],
  [{ kind: 'cordon', node }, 'cordon n1'],
  [{ kind: 'uncordon', node }, 'uncordon n1'],
  [{ kind: 'addTaint', node, taint }, 'taint n1 evenkeel.dev/out:NoSchedule'],
  [{ kind: 'removeTaint', node, taint }, 'untaint n1 evenkeel.dev/out:NoSchedule'],
  [{ kind: 'setServer', node, balancer: 'lb', ref, state: 'drain', restores: false }, 'set web/n1 on lb-1 to drain'],
  [
    {
      kind: 'askDetacher',
      node,
      balancer: 'lb',
      ref,
      key: 'example.com/detach',
      value: 'x',
      state: 'drain',
      restores: false,
    },
    'set web/n1 on lb-1 to drain',
  ],
  [{ kind: 'askAgent', node, balancer: 'lb', ref, state: 'ready', restores: true }, 'set web/n1 on lb-1 to ready'],
  [{ kind: 'cutSessions', node, balancer: 'lb', ref, sessions: 7 }, 'cut 7 sessions of web/n1 on lb-1'],
  [{ kind: 'deletePod', node, namespace: 'shop', name: 'web-1', uid: 'u1', stage: 2 }, 'delete shop/web-1'],
  [{ kind: 'evict', node, namespace: 'shop', name: 'web-1', uid: 'u1', stage: 2 }, 'evict shop/web-1'],
  [{ kind: 'writeIntent', node, bootId }, 'announce the reboot on n1'],
  [{ kind: 'sendReboot', node, bootId }, 'reboot n1'],
  [{ kind: 'markToCome', node }, 'mark n1 as still to come'],
  [{ kind: 'unmarkToCome', node }, 'take the mark off n1'],
  [{ kind: 'removeRecord', node }, 'take the record off n1'],
  [{ kind: 'releaseSlot', node }, 'release the slot of n1'],
]

test('the description of each action names its object', () => {
  for (const [action, text] of DESCRIBED) assert.equal(describeAction(action), text)
})
