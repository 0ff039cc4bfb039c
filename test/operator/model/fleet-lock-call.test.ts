import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFleetLockCall } from '../../../src/operator/model/fleet-lock-call.ts'

const fieldOf = (body: string): string => {
  const call = parseFleetLockCall('pre-reboot', body)
  return 'fault' in call ? (call.fault.split(':')[0] ?? '') : `${call.id} of ${call.group}`
}

test('a call is read whatever else is in its body, and a fault names its field', () => {
  const call = (client_params: unknown) => JSON.stringify({ client_params, more: { deep: [1] } })
  const rows: readonly (readonly [string, string])[] = [
    [call({ id: 'abc', group: 'default' }), 'abc of default'],
    [call({ id: 'abc', group: 'web.1-A', node_uuid: 'x' }), 'abc of web.1-A'],
    ['', 'the body is not JSON; send {"client_params"'],
    ['{"client_params":', 'the body is not JSON; send {"client_params"'],
    ['[]', 'client_params'],
    ['null', 'client_params'],
    [call([]), 'client_params'],
    [call({ group: 'default' }), 'client_params.id'],
    [call({ id: '', group: 'default' }), 'client_params.id'],
    [call({ id: 7, group: 'default' }), 'client_params.id'],
    [call({ id: 'a'.repeat(254), group: 'default' }), 'client_params.id'],
    [call({ id: 'abc' }), 'client_params.group'],
    [call({ id: 'abc', group: '../default' }), 'client_params.group'],
    [call({ id: 'abc', group: '' }), 'client_params.group'],
    ['{"__proto__":{"client_params":{"id":"abc","group":"default"}}}', 'client_params'],
    [`${'['.repeat(2_000)}${']'.repeat(2_000)}`, 'client_params'],
  ]
  for (const [body, wanted] of rows) assert.equal(fieldOf(body), wanted, body.slice(0, 80))
})
