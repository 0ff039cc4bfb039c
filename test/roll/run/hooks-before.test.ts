import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { hooksBefore } from '../../../src/roll/run/hooks/hooks-before.ts'
import { aRecord } from '../../support/roll-world.ts'

const at = '2026-01-01T00:00:00.000Z'
const meant = (node: string, kind: 'runHook' | 'undoHook'): JournalEntry =>
  node === 'lb-1'
    ? { at, type: 'host', host: node, meant: { kind, node, hook: 'noout' } }
    : { at, type: 'meant', actions: [{ kind, node, hook: 'noout' }] }
/** `asOf`: the node was begun with it; absent: it had lost its record while it was out. */
const recorded = (asOf?: string): JournalEntry => ({
  at,
  type: 'meant',
  actions: [{ kind: 'writeRecord', node: 'n1', record: aRecord(), ...(asOf === undefined ? {} : { asOf }) }],
})
const ended = (node: string, way: 'run' | 'undo', ok: boolean): JournalEntry => ({
  at,
  type: 'hook',
  node,
  hook: 'noout',
  way,
  ok,
})

for (const node of ['n1', 'lb-1']) {
  const ran = [meant(node, 'runHook'), ended(node, 'run', true)]
  const started = { at, type: 'roll.started' }
  const stopped = { at, type: 'roll.ended' }
  const undoing = [...ran, meant(node, 'undoHook')]
  const begunAnew = node === 'lb-1' ? { at, type: 'host', host: node, meant: { kind: 'record' } } : recorded('7')
  const rows: readonly (readonly [string, readonly JournalEntry[], run: string, undo: string])[] = [
    ['begun', [meant(node, 'runHook')], 'begun', 'none'],
    ['failed', [meant(node, 'runHook'), ended(node, 'run', false)], 'begun', 'none'],
    ['done', ran, 'done', 'none'],
    ['done, and its undo begun', undoing, 'begun', 'none'],
    ['done, and its undo failed', [...undoing, ended(node, 'undo', false)], 'begun', 'failed'],
    ['undone', [...undoing, ended(node, 'undo', true)], 'none', 'none'],
    ['done by a process that said its end', [started, ...ran, stopped], 'done', 'none'],
    ['done by a process that left no end', [started, ...ran], 'begun', 'none'],
    ['done, and a later process left no end', [started, ...ran, stopped, started, started, stopped], 'begun', 'none'],
    ['done again after that', [started, ...ran, started, ...ran, stopped], 'done', 'none'],
    ['undone, and done again', [...undoing, ended(node, 'undo', true), ...ran], 'done', 'none'],
    ['done before it was begun anew', [...ran, begunAnew], 'none', 'none'],
  ]
  for (const [what, entries, run, undo] of rows)
    test(`law: a hook is never taken for run once its undo was begun; a hook of ${node}, ${what}`, () => {
      const states = hooksBefore(entries)
      const kinds = [states[`${node} run noout`]?.kind ?? 'none', states[`${node} undo noout`]?.kind ?? 'none']
      assert.deepEqual(kinds, [run, undo])
    })
}

test('a node that lost its record while it was out, and got it again, is undone as before: its hooks stay known', () => {
  const ran = [recorded('7'), meant('n1', 'runHook'), ended('n1', 'run', true)]
  assert.deepEqual(hooksBefore([...ran, recorded()]), { 'n1 run noout': { kind: 'done' } })
  assert.deepEqual(hooksBefore([...ran, meant('n1', 'undoHook'), ended('n1', 'undo', false), recorded()]), {
    'n1 run noout': { kind: 'begun' },
    'n1 undo noout': {
      kind: 'failed',
      text: 'it failed in an earlier process',
      failures: 0,
      since: 0,
      nextAt: 0,
    },
  })
})
