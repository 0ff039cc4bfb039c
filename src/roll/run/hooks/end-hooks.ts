import { untilAborted } from '../../../ground/model/until-aborted.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import { byHand } from '../../decide/hooks/hook-verdict.ts'
import { isToUndo } from '../../decide/hooks/hooks-due.ts'
import type { Subject } from '../../decide/subject.ts'
import { hookKey, type StepHook } from '../../model/step-hook.ts'
import type { HookRun, HookRunner } from './hook-runner.ts'

interface EndParts {
  readonly hooks: readonly StepHook[]
  readonly runner: HookRunner
  readonly clock: Clock
  /** Nodes and machines that hooks may have run for. */
  readonly subjects: readonly Subject[]
  readonly say: (text: string) => void
}

const TRIES = 3

/**
 * At the end of a roll, unless people interrupted it: hooks that were begun and not undone, as for a node or machine that stays
 * out, are undone; then the hooks of `afterRoll` run. Failures are reported, with the command to type.
 */
export async function endHooks({ hooks, runner, clock, subjects, say }: EndParts, signal: AbortSignal): Promise<void> {
  await untilAborted(runner.idle(), signal)
  for (const { scope, name: node, ...address } of subjects)
    for (const hook of hooks.toReversed()) {
      const place = { node, ...address }
      const isUndone = runner.states().states[hookKey(place.node, 'undo', hook.name)]?.kind === 'done'
      if (isUndone || !isToUndo(runner.states(), { scope, name: node }, hook)) continue
      if (!(await tried({ runner, clock }, { hook: hook.name, way: 'undo', place }, signal)))
        say(`the undo of hook ${hook.name} has failed for ${place.node}; type: ${byHand(hook.undo ?? [], place)}`)
    }
  for (const { name, at } of hooks)
    if (at === 'afterRoll' && runner.states().states[hookKey('', 'run', name)]?.kind !== 'done')
      await tried({ runner, clock }, { hook: name, way: 'run', place: { node: '' } }, signal)
}

async function tried(
  { runner, clock }: Pick<EndParts, 'runner' | 'clock'>,
  run: HookRun,
  signal: AbortSignal,
): Promise<boolean> {
  const key = hookKey(run.place.node, run.way, run.hook)
  for (let tries = 1; ; tries++) {
    runner.start(run)
    await untilAborted(runner.idle(), signal)
    const state = runner.states().states[key]
    if (state?.kind !== 'failed') return state?.kind === 'done'
    if (tries === TRIES) return false
    await clock.sleep(Math.max(1, state.nextAt - clock.monoMs()), signal)
  }
}
