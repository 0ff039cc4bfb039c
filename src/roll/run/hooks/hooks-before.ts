import { monoMs } from '../../../ground/model/time.ts'
import type { Action } from '../../../service/model/action.ts'
import type { HookState, HookStates } from '../../decide/hooks/hook-states.ts'
import { isMachineEntry, type MachineEntry } from '../../decide/pair/machine-memory.ts'
import { type HookWay, hookKey } from '../../model/step-hook.ts'
import type { JournalEntry } from '../../ports/journal.ts'

type Ended = JournalEntry & {
  readonly node: string
  readonly hook: string
  readonly way: HookWay
  readonly ok: boolean
}

/**
 * How earlier processes of a run left its hooks. A node or machine that was put back and is begun again has a record anew: then nothing of
 * before counts. A hook that failed is taken for begun, so that it is run again. A hook that was
 * undone was not run, and a hook whose undo was begun may be undone by half. An undo does not wait for the journal, so a
 * process that left no end may have undone every hook without an entry: its hooks are taken for begun.
 *
 * Law: a hook is never taken for run once its undo was begun.
 */
export function hooksBefore(entries: readonly JournalEntry[]): HookStates['states'] {
  const states = new Map<string, HookState>()
  let hasEnd = true
  for (const entry of entries) {
    if (entry.type === 'roll.started' && !hasEnd) doubtRuns(states)
    if (entry.type === 'roll.started' || entry.type === 'roll.ended') hasEnd = entry.type === 'roll.ended'
    if (entry.type === 'meant' && Array.isArray(entry.actions))
      for (const action of entry.actions) noteMeant(states, action)
    if (isMachineEntry(entry)) noteMachine(states, entry)
    if (!isEnded(entry)) continue
    noteEnded(states, entry)
  }
  if (!hasEnd) doubtRuns(states)
  return Object.fromEntries(states)
}

function doubtRuns(states: Map<string, HookState>): void {
  for (const [key, { kind }] of states)
    if (kind === 'done' && key.split(' ')[1] === 'run') states.set(key, { kind: 'begun' })
}

function noteEnded(states: Map<string, HookState>, entry: Ended): void {
  const { node, hook, way, ok } = entry
  if (way === 'undo' && ok) for (const each of ['run', 'undo'] as const) states.delete(hookKey(node, each, hook))
  else states.set(hookKey(node, way, hook), ok ? { kind: 'done' } : failedBefore(entry))
}

function noteMeant(states: Map<string, HookState>, action: Action): void {
  if (action.kind === 'runHook' || action.kind === 'undoHook')
    states.set(hookKey(action.node, 'run', action.hook), { kind: 'begun' })
  if (action.kind === 'writeRecord' && action.asOf !== undefined) forget(states, action.node)
}

/** A machine likewise. */
function noteMachine(states: Map<string, HookState>, entry: MachineEntry): void {
  if (!('meant' in entry)) return
  if (entry.meant.kind === 'runHook' || entry.meant.kind === 'undoHook') noteMeant(states, entry.meant)
  if (entry.meant.kind === 'record') forget(states, entry.host)
}

function forget(states: Map<string, HookState>, name: string): void {
  for (const key of states.keys()) if (key.startsWith(`${name} `)) states.delete(key)
}

/** Times of another process mean nothing here: its tries begin anew. */
const failedBefore = ({ way }: Ended): HookState =>
  way === 'run'
    ? { kind: 'begun' }
    : { kind: 'failed', text: 'it failed in an earlier process', failures: 0, since: monoMs(0), nextAt: monoMs(0) }

const isEnded = (entry: JournalEntry): entry is Ended =>
  entry.type === 'hook' && typeof entry.node === 'string' && typeof entry.hook === 'string'
