import type { Scoped } from './request-scope.ts'

export const HOOK_MOMENTS = [
  'beforeNode',
  'beforeReboot',
  'afterReboot',
  'beforeAttach',
  'afterNode',
  'afterRoll',
] as const

export type HookMoment = (typeof HOOK_MOMENTS)[number]

export type HookWay = 'run' | 'undo'

/** A command of the operator at a step of the roll, as arguments; run on this machine without a shell. */
export interface StepHook extends Scoped {
  readonly name: string
  readonly at: HookMoment
  /** `{node}` and `{address}` are replaced in each argument, except for `afterRoll`. */
  readonly run: readonly string[]
  /** The command that undoes `run`, once the node is back, or the roll ends with the node out. Absent: nothing is undone. */
  readonly undo?: readonly string[]
  readonly timeoutMs: number
  /** `hold`: it is run again until `limitMs`, then treated as `stop`. */
  readonly onFailure: 'stop' | 'hold' | 'ignore'
  readonly limitMs: number
}

export const hookKey = (node: string, way: HookWay, hook: string): string => `${node} ${way} ${hook}`
