import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { NODE_NEEDS } from '../../../src/operator/model/roll-schedule.ts'

const BOOT = '8d3c0c8b-0000-4000-8000-000000000001'

test('a node needs a reboot by its condition, unless that is of an earlier boot', () => {
  const needs = (conditions: readonly object[]): boolean => {
    const node = {
      metadata: { name: 'n1', uid: 'u', resourceVersion: '1' },
      status: { nodeInfo: { bootID: BOOT }, conditions },
    }
    return NODE_NEEDS.parse(new Untrusted(node, 'node')).isNeeded
  }
  const condition = (status: string, message: string) => [{ type: 'RebootRequired', status, message }]
  assert.equal(needs([]), false)
  assert.equal(needs(condition('True', `x (boot ${BOOT})`)), true)
  assert.equal(needs(condition('True', `x (boot ${BOOT.replace('0001', '0002')})`)), false)
  assert.equal(needs(condition('True', 'of another program')), true)
  assert.equal(needs(condition('False', `x (boot ${BOOT})`)), false)
  assert.equal(needs(condition('Unknown', `x (boot ${BOOT})`)), false)
})
