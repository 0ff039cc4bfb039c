import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Story } from './roll-story.ts'

test('how the waits of a step ended are reasons of the step, in the order in which they ended', () => {
  const of = { node: 'w-1', step: 'detach', server: 'nodes/w-1 on edge' } as const
  const { nodes } = new Story()
    .begin(['w-1'])
    .steps('w-1', [['06:15:00', 'detach']])
    .add('06:15:07', { ...of, type: 'noticed', by: 'checks', afterMs: 7_000, text: 'w-1 is left' })
    .add('06:15:12', { ...of, type: 'idle', by: 'limit', left: 2, afterMs: 5_000, text: 'waited 5 s' }).view
  const reasons = nodes.flatMap(({ steps }) => steps.flatMap((step) => step.reasons))
  assert.deepEqual(reasons.map(({ code, object = '-', text }) => `${code} ${object}: ${text}`).slice(1), [
    'NoticedByChecks nodes/w-1 on edge: w-1 is left',
    'IdleLimitOver nodes/w-1 on edge: waited 5 s',
  ])
})
