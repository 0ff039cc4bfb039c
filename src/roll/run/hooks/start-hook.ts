import { present } from '../../../ground/model/present.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { HookAction } from '../../../service/model/action.ts'
import type { HookRunner } from './hook-runner.ts'

interface Runs {
  /** Absent: no hook can run. */
  readonly hooks?: Pick<HookRunner, 'start'>
}

/** Starts the hook and returns. The hook runner reports how the hook ended. */
export function startHook({ kind, node, hook, address }: HookAction, { hooks }: Runs): { readonly ok: true } {
  if (hooks === undefined) throw new WorldError('nothing here runs hooks', { code: 'HOOK_UNKNOWN', retry: 'never' })
  const place = { node, ...present({ address }) }
  hooks.start({ hook, way: kind === 'runHook' ? 'run' : 'undo', place })
  return { ok: true }
}
