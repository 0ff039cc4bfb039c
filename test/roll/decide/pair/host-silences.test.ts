import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MachineSnapshot } from '../../../../src/roll/decide/pair/machine-snapshot.ts'
import type { SilenceState } from '../../../../src/roll/decide/silences/silence-states.ts'
import { silencesWanted } from '../../../../src/roll/decide/silences/silences-due.ts'
import type { SilenceSpec } from '../../../../src/roll/model/silence-spec.ts'
import { aHost, away, began, type Given, moved, proven, said } from '../../../support/a-host.ts'
import { SILENCE } from '../../../support/memory-alertmanager.ts'
import { twoHosts } from '../../../support/memory-pair.ts'
import { aSpec } from '../../../support/roll-world.ts'

const silenced = (
  state: SilenceState | undefined,
  silence: Partial<SilenceSpec> = {},
  node = 'lb-1',
): Partial<MachineSnapshot> => ({
  spec: aSpec({ hosts: twoHosts(), silences: [{ ...SILENCE, appliesTo: ['hosts'], ...silence }] }),
  silences: { node, states: state === undefined ? {} : { am: state } },
})
const failed: SilenceState = { kind: 'failed', text: '503' }
const standing: SilenceState = { kind: 'standing' }

const ROWS: readonly (readonly [what: string, given: Given, said: string])[] = [
  ['not recorded', { change: silenced(undefined) }, 'record: record'],
  ['recorded, it is asked for', { memory: began, change: silenced(undefined) }, 'detach? SilenceAsked'],
  ['recorded, it stands', { memory: began, change: silenced(standing) }, 'detach: moveAway'],
  ['recorded, that of another stands', { memory: began, change: silenced(standing, {}, 'n1') }, 'detach? SilenceAsked'],
  ['recorded, it failed', { memory: began, change: silenced(failed) }, 'detach: moveAway'],
  [
    'recorded, it failed and holds',
    { memory: began, change: silenced(failed, { onFailure: 'hold' }) },
    'detach? SilenceFailed',
  ],
  [
    'recorded, it is for nodes',
    { memory: began, change: silenced(failed, { onFailure: 'hold', appliesTo: ['nodes'] }) },
    'detach: moveAway',
  ],
  ['away, it failed', { on: ['lb-2'], memory: away, evidence: moved, change: silenced(failed) }, 'reboot: reboot'],
]

for (const [what, given, expected] of ROWS) {
  test(`the next thing for a machine with a silence, ${what}: ${expected}`, () => {
    assert.equal(said(aHost(given)), expected)
  })
}

test('alerts of a machine are silenced from its record until it is back or is to stay without its addresses', () => {
  const verdict = { kind: 'stopped', keepOut: true, reasons: [] } as const
  const wanted = { scope: 'hosts', node: 'lb-1', address: 'lb-1' }
  assert.equal(silencesWanted(aHost({})), undefined)
  for (const memory of [began, away, proven]) assert.deepEqual(silencesWanted(aHost({ memory })), wanted)
  const run = { id: 'run-1', order: [], done: [], verdict }
  assert.equal(silencesWanted(aHost({ memory: proven, change: { run } })), undefined)
})
