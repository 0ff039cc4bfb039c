import type { CliContext } from '../../../cli/cli-context.ts'
import { EXIT_FAILED, EXIT_INTERRUPTED } from '../../../cli/exit-codes.ts'
import { InterruptedError } from '../../../cli/interrupts.ts'
import { escapeForeign, shownJson } from '../../../ground/model/foreign-text.ts'
import type { ProbeTarget, Sample } from '../../../ground/model/probe.ts'
import { wallMs } from '../../../ground/model/time.ts'
import type { ProbeSource } from '../../../ground/ports/probe-source.ts'
import type { TextSink } from '../../../ground/text/terminal/text-sink.ts'
import { laneSchedules } from '../../decide/availability/schedule.ts'
import { LedgerProbe } from '../../probe/ledger-probe.ts'
import type { ProbeOutcome } from './probe-document.ts'
import type { ProbePrinter } from './probe-printer.ts'
import { type ProbeReading, readProbe } from './probe-reading.ts'

interface ProbeRun {
  readonly targets: readonly ProbeTarget[]
  readonly source: ProbeSource
  readonly printer: ProbePrinter
  readonly context: Pick<CliContext, 'clock' | 'interrupts'>
  /** How long to measure, without the start of the prober; absent: until interrupted. */
  readonly durationMs?: number
  readonly maxFailed: number
  readonly samples?: TextSink
}

const LOOK_EVERY_MS = 250
/** A prober that has not begun by then never will: an error is better than an endless wait. */
const START_LIMIT_MS = 30_000
const BASELINE_MS = 1_000
const BASELINE_PERIODS = 3

/** Probes until the time is up or it is interrupted, then waits for missing verdicts. Returns the exit code. */
export async function runProbe(run: ProbeRun): Promise<number> {
  const { context, printer, targets, samples } = run
  const stop = new AbortController()
  const begun = { atMono: undefined as number | undefined }
  const probe = new LedgerProbe({
    targets,
    source: run.source,
    clock: context.clock,
    ...(samples === undefined ? {} : { onSamples: (some) => samples.write(sampleLines(some)) }),
    onStart: (at) => {
      if (begun.atMono === undefined) probe.baseline(at, wallMs(at + controlBaselineMs(targets)))
      begun.atMono ??= context.clock.monoMs() + at - context.clock.wallMs()
    },
    onDeath: (reason) => printer.warn(`the prober died and is started again: ${escapeForeign(reason, 300)}`),
  })
  printer.started(targets.map((target) => target.name))
  const running = probe.run(() => undefined, stop.signal)
  const look = (): void =>
    printer.tick(readProbe(probe.status(), targets, context.clock.wallMs()), probe.ledger.latency())
  const isOver = await Promise.race([watch(run, begun, look), running.then(() => 'ended' as const)])
  const stoppedAt = context.clock.wallMs()
  stop.abort(new Error('the probe is over'))
  await orNow(running, context.interrupts.now)
  await samples?.flushed()
  const reading = readProbe({ ...probe.status(), servedBy: probe.ledger.servedBy() }, targets, stoppedAt)
  const outcome = outcomeOf(run, reading, isOver)
  if (reading.sent === 0) printer.warn('nothing was measured')
  printer.ended(reading, outcome, probe.ledger.failedAt1Hz())
  return EXIT[outcome]
}

type Over = 'timeUp' | 'interrupted' | 'ended'

/** Reads the status four times a second until the probe is over. */
async function watch(
  { context, durationMs = Number.POSITIVE_INFINITY }: ProbeRun,
  begun: { readonly atMono: number | undefined },
  look: () => void,
): Promise<Over> {
  const { clock, interrupts } = context
  const startedAt = clock.monoMs()
  try {
    for (;;) {
      const now = clock.monoMs()
      const restMs = begun.atMono === undefined ? startedAt + START_LIMIT_MS - now : begun.atMono + durationMs - now
      if (restMs <= 0) return 'timeUp'
      await clock.sleep(Math.min(LOOK_EVERY_MS, restMs), interrupts.signal)
      look()
    }
  } catch (error) {
    if (interrupts.signal.aborted) return 'interrupted'
    throw error
  }
}

/** How long a control is observed at first: it excuses nothing before that, and nothing at all if it fails meanwhile. */
function controlBaselineMs(targets: readonly ProbeTarget[]): number {
  const lanes = targets.filter(({ control }) => control).flatMap((target) => laneSchedules(target, 0))
  return Math.max(BASELINE_MS, ...lanes.map(({ periodMs }) => BASELINE_PERIODS * periodMs))
}

/** A second Ctrl-C does not wait. */
async function orNow(running: Promise<void>, now: AbortSignal): Promise<void> {
  const pressed = new Promise<never>((_resolve, reject) => {
    if (now.aborted) reject(new InterruptedError('interrupted'))
    now.addEventListener('abort', () => reject(new InterruptedError('interrupted')), { once: true })
  })
  await Promise.race([running, pressed])
}

/** Without a duration, Ctrl-C is the normal end of a probe and no interruption. */
function outcomeOf({ durationMs, maxFailed }: ProbeRun, { failed, sent }: ProbeReading, over: Over): ProbeOutcome {
  if (over === 'interrupted' && durationMs !== undefined) return 'interrupted'
  return failed > maxFailed || sent === 0 ? 'failed' : 'passed'
}

const EXIT: Readonly<Record<ProbeOutcome, number>> = { passed: 0, failed: EXIT_FAILED, interrupted: EXIT_INTERRUPTED }

const sampleLines = (samples: readonly Sample[]): string => samples.map((sample) => `${shownJson(sample)}\n`).join('')
