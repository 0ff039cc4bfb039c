import { untilAborted } from '../../../ground/model/until-aborted.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import { byHand } from '../../decide/hooks/hook-verdict.ts'
import { isToUndo } from '../../decide/hooks/hooks-due.ts'
import type { Subject } from '../../decide/subject.ts'
import { hookKey, type StepHook } from '../../model/step-hook.ts'
import type { NodePlace } from '../../ports/gate-source.ts'
import type { HookRun, HookRunner } from './hook-runner.ts'

interface EndParts {
  readonly hooks: readonly StepHook[]
  readonly runner: HookRunner
  readonly clock: Clock
  /** Nodes and machines that hooks may have run for. */
  readonly subjects: readonly Subject[]
  /** Another run that works on the node now. */
  readonly otherRun: (node: string) => string | undefined
  readonly say: (text: string) => void
}

const TRIES = 3

/**
 * At the end of a roll, unless people interrupted it: hooks that were begun and not undone, as for a node or machine that stays
 * out, are undone; then the hooks of `afterRoll` run. Failures are reported, with the command to type. Where another run works on
 * the node nothing is undone: it may have set the same, and reboot the node.
 */
export async function endHooks(parts: EndParts, signal: AbortSignal): Promise<void> {
  const { hooks, runner, subjects, otherRun, say } = parts
  await untilAborted(runner.idle(), signal)
  for (const { scope, name: node, ...address } of subjects)
    for (const hook of hooks.toReversed()) {
      const place = { node, ...address }
      const isUndone = runner.states().states[hookKey(place.node, 'undo', hook.name)]?.kind === 'done'
      if (isUndone || !isToUndo(runner.states(), { scope, name: node }, hook)) continue
      if (!(await tried(parts, { hook: hook.name, way: 'undo', place }, signal)))
        say(notUndone(hook, { place, other: otherRun(node) }))
    }
  for (const { name, at } of hooks)
    if (at === 'afterRoll' && runner.states().states[hookKey('', 'run', name)]?.kind !== 'done')
      await tried(parts, { hook: name, way: 'run', place: { node: '' } }, signal)
}

function notUndone(
  { name, undo = [] }: StepHook,
  { place, other }: { readonly place: NodePlace; readonly other: string | undefined },
): string {
  const why =
    other === undefined ? `has failed for ${place.node}` : `is left for ${place.node}, since run ${other} works on it`
  const then = other === undefined ? '' : 'once that run is through, '
  return `the undo of hook ${name} ${why}; ${then}type: ${byHand(undo, place)}`
}

async function tried({ runner, clock, otherRun }: EndParts, run: HookRun, signal: AbortSignal): Promise<boolean> {
  const key = hookKey(run.place.node, run.way, run.hook)
  for (let tries = 1; ; tries++) {
    if (otherRun(run.place.node) !== undefined) return false
    runner.start(run)
    await untilAborted(runner.idle(), signal)
    const state = runner.states().states[key]
    if (state?.kind !== 'failed') return state?.kind === 'done'
    if (tries === TRIES) return false
    await clock.sleep(Math.max(1, state.nextAt - clock.monoMs()), signal)
  }
}
