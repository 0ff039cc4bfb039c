import { Backoff } from '../../../ground/loop/backoff.ts'
import { Wakeup } from '../../../ground/loop/wakeup.ts'
import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import { monoMs } from '../../../ground/model/time.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Programs } from '../../../ground/ports/programs.ts'
import type { Random } from '../../../ground/ports/random.ts'
import type { HookState, HookStates } from '../../decide/hooks/hook-states.ts'
import { type HookWay, hookKey, type StepHook } from '../../model/step-hook.ts'
import type { NodePlace } from '../../ports/gate-source.ts'
import type { EventLog } from '../event-log.ts'
import { filledArguments } from '../filled-arguments.ts'
import { lastOutput } from '../last-output.ts'

type States = HookStates['states']

interface HookRunnerParts {
  readonly hooks: readonly StepHook[]
  readonly programs: Programs
  /** The states that earlier processes of the run left. */
  readonly before: States
  readonly isLost: boolean
  readonly clock: Clock
  readonly random: Random
  readonly events: Pick<EventLog, 'note' | 'emit'>
  /** Ends hooks that run. */
  readonly signal: AbortSignal
  /** A state has changed. It must only take note. */
  readonly onNews: () => void
}

export interface HookRun {
  readonly hook: string
  readonly way: HookWay
  readonly place: NodePlace
}

const BACKOFF = { baseMs: 1_000, capMs: 30_000 }

/** Runs hooks beside the passes, so that no pass waits for a program. How each ended goes into the journal. */
export class HookRunner {
  readonly #parts: HookRunnerParts
  readonly #states = new Map<string, HookState>()
  readonly #backoffs = new Map<string, Backoff>()
  readonly #running = new Set<Promise<void>>()
  readonly #wakeup: Wakeup
  #fault: unknown

  constructor(parts: HookRunnerParts) {
    this.#parts = parts
    this.#wakeup = new Wakeup(parts.clock)
    for (const [key, state] of Object.entries(parts.before)) this.#states.set(key, state)
  }

  states(): HookStates {
    return { states: Object.fromEntries(this.#states), isLost: this.#parts.isLost }
  }

  /** The node is begun, or begun again: hooks that ran before it was put back do not count any more. */
  begin(node: string): void {
    for (const key of this.#states.keys()) if (key.startsWith(`${node} `)) this.#states.delete(key)
  }

  /** Resolves once the hook was begun. */
  start(run: HookRun): void {
    const hook = this.#parts.hooks.find(({ name }) => name === run.hook)
    if (hook === undefined) throw new WorldError(`no hook ${run.hook}`, { code: 'HOOK_UNKNOWN', retry: 'never' })
    const key = hookKey(run.place.node, run.way, run.hook)
    const before = this.#states.get(key)
    if (before?.kind === 'running') return
    this.#states.set(key, { kind: 'running' })
    const running = this.#run(hook, { ...run, key, before }).catch((error: unknown) => {
      if (!this.#parts.signal.aborted) this.#fault = error
      this.#wakeup.wake()
    })
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
  }

  /** Resolves once no hook runs. */
  async idle(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Rejects for a bug, and with the signal's reason. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      if (this.#fault !== undefined) throw this.#fault
      await this.#wakeup.next(undefined, signal)
    }
  }

  async #run(hook: StepHook, run: HookRun & { readonly key: string; readonly before: HookState | undefined }) {
    const { clock, events, onNews, random } = this.#parts
    const { way, place, key, before } = run
    const end = await this.#ended(hook, run)
    const backoff = this.#backoffs.get(key) ?? new Backoff(BACKOFF, random)
    this.#backoffs.set(key, backoff)
    const now = clock.monoMs()
    const failures = (before?.kind === 'failed' ? before.failures : 0) + 1
    const since = before?.kind === 'failed' ? before.since : now
    this.#states.set(
      key,
      end.ok
        ? { kind: 'done' }
        : { kind: 'failed', text: end.text, failures, since, nextAt: monoMs(now + backoff.nextMs()) },
    )
    const what = way === 'run' ? `hook ${hook.name}` : `undo of hook ${hook.name}`
    const { node } = place
    const ofNode = node === '' ? '' : ` for ${node}`
    const text = `${what}${ofNode}: ${end.text}`
    events.note('hook', { node, hook: hook.name, way, ok: end.ok, text: end.text })
    const action = way === 'run' ? 'runHook' : 'undoHook'
    if (node !== '') events.emit({ type: 'write', node, action, text, ok: end.ok })
    if (!end.ok) events.emit({ type: 'warning', text, ...(node === '' ? {} : { node }) })
    onNews()
  }

  async #ended(hook: StepHook, { way, place }: HookRun): Promise<{ readonly ok: boolean; readonly text: string }> {
    const { programs, signal } = this.#parts
    const argv = (way === 'run' ? hook.run : hook.undo) ?? []
    const program = escapeForeign(argv[0] ?? '', 100)
    try {
      const end = await programs.run(filledArguments(argv, place), hook.timeoutMs, signal)
      if (end.kind === 'notStarted')
        return { ok: false, text: `${program} could not be started: ${escapeForeign(end.why, 200)}` }
      const said = lastOutput(end.output)
      if (end.kind === 'killed') return { ok: false, text: `${program} ${end.why}${said}` }
      return { ok: end.exitCode === 0, text: `${program} ended with exit code ${end.exitCode}${said}` }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError)) throw error
      return { ok: false, text: escapeForeign(error.message) }
    }
  }
}
