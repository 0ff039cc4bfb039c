import { errorText } from '../../cli/error-text.ts'
import { EXIT_FAILED, EXIT_HELD, EXIT_USAGE } from '../../cli/exit-codes.ts'
import { type OutputModes, outputModes } from '../../cli/output-options.ts'
import { escapeForeign, shownJson } from '../../ground/model/foreign-text.ts'
import { present } from '../../ground/model/present.ts'
import { contextText } from '../../ground/model/run-origin.ts'
import { commandText, evenkeel, plainly } from '../../ground/model/sentence.ts'
import { toIso } from '../../ground/model/time.ts'
import { BlockedError, UserError } from '../../ground/model/user-error.ts'
import { clusterWords, flagWords } from '../../ground/text/flag-words.ts'
import { pastedIn } from '../../ground/text/paste.ts'
import { paintLines, type Style } from '../../ground/text/terminal/style.ts'
import type { TextSink } from '../../ground/text/terminal/text-sink.ts'
import { NO_PROBE } from '../decide/plan/no-probe-finding.ts'
import { onceAnswer } from '../decide/resume/once.ts'
import type { RollEvent } from '../model/roll-event.ts'
import type { RollPlan } from '../model/roll-plan.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import { fileOfRun, unmeasured } from './file-of-run.ts'
import type { RollActions, RollHistory, RollIo, RollRequest } from './roll-actions.ts'
import type { RollContext } from './roll-context.ts'
import { type PlaceFlags, pasteOf, placeOf, type ResumeFlags, type RollFlags } from './roll-options.ts'
import { rollSpecOfFlags } from './roll-spec-of-flags.ts'
import { planBlocked } from './screen/plan-blocked.ts'
import { needsNone, planLines, toRollText } from './screen/plan-lines.ts'
import { planRefusal } from './screen/plan-refusal.ts'
import { metered, type RollMeter } from './screen/roll-meter.ts'
import { showRoll } from './show-roll.ts'

/** Plan, question, roll. Returns the exit code; wrong input is a UserError that is thrown before any change. */
export async function rollCommand(
  context: RollContext,
  load: () => Promise<RollActions>,
  { names, flags }: { readonly names: readonly string[]; readonly flags: RollFlags },
): Promise<number> {
  const modes = modesOf(flags, context)
  if (flags.once !== undefined && flags.dryRun !== true) {
    const { once } = flags
    let begun: RollHistory | undefined
    // While the journals cannot be asked, it is not known whether a run of this key has a node out.
    const code = await passingFails(context, async () => {
      begun = await (await load()).begunFor(once, placeOf(flags))
      return 0
    })
    if (code !== 0) return code
    if (begun !== undefined) return goOnOnce(begun, { context, load, flags })
  }
  const spec = await rollSpecOfFlags(names, flags, context)
  if (flags.dryRun !== true) refuseUnready(spec, flags, context)
  const { reason, pod, once } = flags
  const request = {
    spec,
    ...placeOf(flags),
    ...present({ reason, pod, once }),
    ...ignoring(flags, context),
  }
  const actions = await load()
  const work = (meter?: RollMeter): Promise<number> =>
    planAndRoll({ names, flags, request, modes, meter }, context, actions)
  return flags.dryRun === true ? work() : metered(flags, { context, actions }, work)
}

interface Once {
  readonly context: RollContext
  readonly load: () => Promise<RollActions>
  readonly flags: RollFlags
}

/** The run with this key goes on by its own journal, with the same file. If it is over, its end is shown again. */
async function goOnOnce(begun: RollHistory, { context, load, flags }: Once): Promise<number> {
  const answer = onceAnswer(begun.events)
  const say = (text: string): void => {
    if (modesOf(flags, context).level > 0) context.err.write(`${text}\n`)
  }
  if (answer.kind === 'goOn') {
    say(`Run ${begun.run} was begun for this key and is not over: it goes on.`)
    const { file: _, probe: __, ...same } = flags
    return passingFails(context, () =>
      resumeCommand(context, load, { name: 'resume', run: begun.run, flags: same, keepsVerdict: true }),
    )
  }
  say(`Run ${begun.run} was begun for this key and is over: nothing is done.`)
  const modes = modesOf(flags, context)
  const before = begun.events.filter((event) => event !== answer.end)
  const code = await showRoll({ context, modes, flags, before, paste: pasteOf(flags, begun.place) }, (io) => {
    io.onEvent(answer.end)
    return Promise.resolve()
  })
  // Whoever aborted it has done so, and the roll that was asked for is not done.
  return answer.end.type === 'roll.ended' && answer.end.outcome === 'aborted' ? EXIT_FAILED : code
}

/** Errors for a pod that starts while the API server restarts, before the API lists it, or before its predecessor has ended. */
const PASSING: ReadonlySet<string> = new Set(['KUBE_UNREACHABLE', 'KUBE_TIMEOUT', 'usage.own-pod', 'journal.in-use'])

/** A Job does not try again after wrong input (exit 2). A run that may have a node out is tried again after a temporary error. */
async function passingFails(context: RollContext, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UserError) || !PASSING.has(error.code)) throw error
    context.err.write(errorText(error))
    return EXIT_FAILED
  }
}

interface Planned {
  readonly names: readonly string[]
  readonly flags: RollFlags
  readonly request: RollRequest
  readonly modes: OutputModes
  readonly meter: RollMeter | undefined
}

async function planAndRoll(
  { names, flags, request, modes, meter }: Planned,
  context: RollContext,
  actions: RollActions,
): Promise<number> {
  const paste = pasteOf(flags)
  const planned = measured(await actions.plan(request, context.interrupts.signal), request.spec, flags)
  const plan = pastedIn(planned, paste)
  const command = commandOf(names, flags)
  if (flags.dryRun === true) return showPlan(plan, { flags, modes, context, command })
  if (modes.level > 0)
    writePlan(plan, {
      ...{ sink: context.err, style: modes.errStyle, level: modes.level },
      ...(flags.yes === true ? {} : { command }),
    })
  const refusal = planRefusal(plan)
  if (refusal !== undefined) throw refusal
  const show = { context, modes, flags, paste, meter }
  if (needsNone(plan)) return showRoll(show, (io) => rollNone(plan, { context, io }))
  const blocked = flags.evenIfBlocked === true ? undefined : planBlocked(plan)
  if (blocked !== undefined) throw blocked
  const question = `Roll ${toRollText(plan)} of ${escapeForeign(contextText(plan) ?? plan.cluster, 2000)}? [y/N] `
  if (flags.yes !== true && !(await context.ask(question, context.interrupts.signal))) {
    context.err.write('Nothing was changed.\n')
    return EXIT_USAGE
  }
  return showRoll(show, (io) => actions.roll({ ...request, plan: planned }, io))
}

/** With the error of a roll that nothing measures, which a dry run shows and the roll refuses before it plans. */
function measured(plan: RollPlan, { probe }: RollSpec, flags: RollFlags): RollPlan {
  return flags.probe && probe === undefined ? { ...plan, findings: [NO_PROBE, ...plan.findings] } : plan
}

/** The command that starts this very roll, with every option that matters. */
function commandOf(names: readonly string[], flags: RollFlags): string {
  const words = [
    ...flagWords('-f', flags.file),
    ...names,
    ...flagWords('-l', flags.selector),
    ...(flags.all === true ? ['--all'] : []),
    ...(flags.onlyIfNeeded === undefined ? [] : [flags.onlyIfNeeded ? '--only-if-needed' : '--no-only-if-needed']),
    ...(flags.probe ? [] : ['--no-probe']),
    ...(flags.evenIfBlocked === true ? ['--even-if-blocked'] : []),
    ...(flags.ignoreWindow === true ? ['--ignore-window'] : []),
    ...flagWords('--reason', flags.reason),
    ...flagWords('--once', flags.once),
    ...flagWords('--pod', flags.pod),
    ...flagWords('--events', flags.events),
    ...flagWords('--metrics-port', flags.metricsPort?.toString()),
    ...flagWords('--metrics-address', flags.metricsAddress),
    ...flagWords('--metrics-file', flags.metricsFile),
    ...clusterWords(flags),
    ...flagWords('--state-dir', flags.stateDir),
  ]
  return commandText(evenkeel`roll ${words}`)
}

/** The user behind `--ignore-window`: the user of this machine, before any sudo. A pod has none; events name its account. */
function ignoring({ ignoreWindow }: Pick<RollFlags, 'ignoreWindow'>, { terminal: { env } }: RollContext) {
  const person = env.SUDO_USER ?? env.USER ?? env.LOGNAME ?? 'a user without a name'
  return ignoreWindow === true ? { windowIgnoredBy: person } : {}
}

/** The whole output of a roll of no nodes, without a run: there is nothing to resume, and the newest run stays the newest. */
async function rollNone(
  { skipped }: RollPlan,
  { context, io }: { readonly context: RollContext; readonly io: RollIo },
): Promise<void> {
  const events: readonly RollEvent[] = [
    { type: 'nodes.chosen', needed: [], skipped },
    { type: 'roll.ended', outcome: 'completed', exitCode: 0, reasons: [], standings: [], next: [] },
  ]
  for (const [seq, event] of events.entries()) {
    io.onEvent({ ...event, v: '1.0', seq, at: toIso(context.clock.wallMs()) })
  }
}

interface RunToResume {
  readonly name: 'resume' | 'abort'
  readonly run?: string
  readonly flags: ResumeFlags
  readonly keepsVerdict?: true
}

/** Goes on with a roll, or ends it. */
export async function resumeCommand(
  context: RollContext,
  load: () => Promise<RollActions>,
  { name, run, flags, keepsVerdict }: RunToResume,
): Promise<number> {
  const modes = modesOf(flags, context)
  const file = await fileOfRun(name, flags, context)
  const actions = await load()
  const request = {
    ...placeOf(flags),
    ...present({ run, pod: flags.pod, file, keepsVerdict }),
    ...ignoring(flags, context),
  }
  const byNodes = name === 'abort' && file !== undefined
  const found: Pick<RollHistory, 'run' | 'events' | 'place'> = await (byNodes
    ? actions.leftOut(request, context.interrupts.signal)
    : actions.history(request))
  const show = { context, modes, flags, before: found.events, paste: pasteOf(flags, found.place) }
  return metered(flags, { context, actions, before: found.events }, (meter) =>
    showRoll({ ...show, meter }, (io) => actions[name]({ ...request, run: found.run }, io)),
  )
}

/** Events on a terminal are the progress: with both, their lines would mix. */
function modesOf(flags: PlaceFlags, { terminal }: RollContext): OutputModes {
  const mixed = flags.output === 'jsonl' && terminal.stdoutIsTerminal && flags.progress === 'auto'
  return outputModes(mixed ? { ...flags, progress: 'none' } : flags, terminal)
}

function refuseUnready(spec: RollSpec, flags: RollFlags, { terminal }: RollContext): void {
  if (flags.probe && spec.probe === undefined) throw unmeasured()
  if (flags.yes === true || (terminal.stdinIsTerminal && terminal.stderrIsTerminal && flags.file !== '-')) return
  throw new UserError('the roll has to be confirmed, and there is no terminal to ask at', {
    code: 'usage.nobody-to-ask',
    fix: 'add --yes',
  })
}

interface PlanOutput {
  readonly flags: RollFlags
  readonly modes: OutputModes
  readonly context: RollContext
  readonly command: string
}

function showPlan(plan: RollPlan, { flags, modes, context, command }: PlanOutput): number {
  if (flags.output === 'text')
    writePlan(plan, { sink: context.out, style: modes.outStyle, level: modes.level, command })
  else context.out.write(`${shownJson(plan, plainly, flags.output === 'json' ? 2 : 0)}\n`)
  const refusal = planRefusal(plan) ?? (flags.evenIfBlocked === true ? undefined : planBlocked(plan))
  if (refusal === undefined) return 0
  // Not thrown: the plan is on stdout already, and a second document would spoil it.
  context.err.write(errorText(refusal))
  return refusal instanceof BlockedError ? EXIT_HELD : EXIT_USAGE
}

interface PlanTarget {
  readonly sink: TextSink
  readonly style: Style
  readonly level: OutputModes['level']
  readonly command?: string
}

function writePlan(plan: RollPlan, { sink, style, ...shown }: PlanTarget): void {
  const lines = planLines(plan, { ...shown, columns: sink.size().columns })
  sink.write(paintLines(lines, style))
}
