import { EXIT_FAILED, EXIT_INTERRUPTED } from '../../cli/exit-codes.ts'
import type { OutputModes } from '../../cli/output-options.ts'
import { steadyClock } from '../../ground/loop/steady-clock.ts'
import { shownJson } from '../../ground/model/foreign-text.ts'
import { plainly } from '../../ground/model/sentence.ts'
import { type Paste, pastedIn } from '../../ground/text/paste.ts'
import { paintLines } from '../../ground/text/terminal/style.ts'
import type { TextSink } from '../../ground/text/terminal/text-sink.ts'
import type { StampedEvent } from '../model/roll-event.ts'
import { outcomeDocument } from '../report/view/outcome-document.ts'
import { reduceRoll } from '../report/view/reduce-roll.ts'
import { emptyRollView, type RollView } from '../report/view/roll-view.ts'
import type { ProgressView } from './progress-view.ts'
import type { RollIo } from './roll-actions.ts'
import type { RollContext } from './roll-context.ts'
import type { PlaceFlags } from './roll-options.ts'
import { eventJson } from './screen/event-json.ts'
import { LiveProgress } from './screen/live-progress.ts'
import { PlainProgress } from './screen/plain-progress.ts'
import type { RollMeter } from './screen/roll-meter.ts'
import { summaryLines } from './screen/summary-lines.ts'

interface RollShow {
  readonly context: RollContext
  readonly modes: OutputModes
  readonly flags: PlaceFlags
  /** Events of earlier processes of the same run. */
  readonly before?: readonly StampedEvent[]
  readonly paste: Paste
  readonly meter?: RollMeter | undefined
}

/** Shows a roll and its result while `work` goes on; settles with the exit code when the work is over. */
export async function showRoll(show: RollShow, work: (io: RollIo) => Promise<void>): Promise<number> {
  const { context, modes, flags } = show
  const screen = new RollScreen(show, flags.events === undefined ? undefined : context.openFile(flags.events))
  const ticking = new AbortController()
  const takeBack = context.onExit(() => screen.restoreCursor())
  const ticks = screen.run(ticking.signal).catch((error: unknown) => {
    if (!ticking.signal.aborted) throw error
  })
  const silence = context.printer.through((text) => screen.say(text))
  context.interrupts.refuseSuspend(() => screen.suspendRefusal())
  context.interrupts.signal.addEventListener('abort', () => screen.interrupted(), { once: true })
  try {
    const io: RollIo = {
      onEvent: (event) => {
        show.meter?.note(event)
        screen.event(pastedIn(event, show.paste))
      },
      onSamples: (samples) => show.meter?.count(samples),
      interrupt: context.interrupts.signal,
    }
    const left = await Promise.race([work(io).then(() => false), leftAtOnce(context), ticks.then(() => false)])
    return left ? EXIT_INTERRUPTED : screen.exitCode
  } finally {
    screen.close()
    ticking.abort(new DOMException('the roll is over', 'AbortError'))
    takeBack()
    silence()
    context.interrupts.refuseSuspend()
    await ticks
    if (modes.progress === 'live') await context.err.flushed()
  }
}

/** The second Ctrl-C. */
const leftAtOnce = ({ interrupts }: RollContext): Promise<boolean> =>
  new Promise((resolve) => {
    interrupts.now.addEventListener('abort', () => resolve(true), { once: true })
  })

/** The program that started this one, such as npm, may have been suspended: the shell then shows its prompt. */
const FOREGROUND = 'The roll goes on; if the shell shows its prompt, fg brings the roll back.'

const STOPPING = `^C Stopping after the write under way. Ctrl-C once more ends it now;
resume finds out whether that write happened.`

class RollScreen {
  readonly #show: RollShow
  readonly #progress: ProgressView | undefined
  readonly #events: TextSink | undefined
  #view: RollView = emptyRollView

  constructor(show: RollShow, events: TextSink | undefined) {
    this.#show = show
    this.#events = events
    this.#progress = progressOf(show)
    const before = pastedIn(show.before ?? [], show.paste)
    this.#view = before.reduce(reduceRoll, this.#view)
    this.#progress?.before(before)
  }

  get exitCode(): number {
    return this.#view.end?.exitCode ?? EXIT_FAILED
  }

  event(event: StampedEvent): void {
    const { context, flags } = this.#show
    this.#view = reduceRoll(this.#view, event)
    if (flags.output === 'jsonl') context.out.write(eventJson(event))
    this.#events?.write(eventJson(event))
    this.#progress?.event(event)
    if (event.type === 'roll.ended') this.#ended()
  }

  /** Also without progress output: a person who presses Ctrl-C must see that it worked. */
  interrupted(): void {
    const end = this.#view.end
    if (end === undefined) this.say(STOPPING)
    else if ((end.guarded ?? []).length > 0) this.say(unguardedText(end.guarded ?? []))
  }

  suspendRefusal(): string | undefined {
    const { end, nodes } = this.#view
    const [guarded] = end?.guarded ?? []
    if (guarded !== undefined) return `not suspended: ${guarded} is kept out of its balancers. ${FOREGROUND}`
    const node = nodes.find(({ state }) => state === 'inWork')
    if (end !== undefined || node === undefined) return undefined
    return `not suspended: the lease of ${node.name} needs a heartbeat. ${FOREGROUND}`
  }

  async run(signal: AbortSignal): Promise<void> {
    await (this.#progress ?? idle).run(signal)
  }

  close(): void {
    this.#progress?.close()
  }

  restoreCursor(): void {
    this.#progress?.restoreCursor()
  }

  #ended(): void {
    const { context, flags, modes } = this.#show
    this.#progress?.close()
    if (flags.output === 'json') context.out.write(`${shownJson(outcomeDocument(this.#view), plainly, 2)}\n`)
    const talk = flags.output === 'text' ? context.out : context.err
    const style = flags.output === 'text' ? modes.outStyle : modes.errStyle
    talk.write(paintLines(summaryLines(this.#view, talk.size().columns), style))
  }

  /** A line that is no event. */
  say(text: string): void {
    if (this.#progress === undefined) this.#show.context.err.write(`${text}\n`)
    else this.#progress.say(text)
  }
}

function progressOf({ context, modes }: RollShow): ProgressView | undefined {
  // The stamps of events are of this clock.
  const parts = { sink: context.err, clock: steadyClock(context.clock), style: modes.errStyle, level: modes.level }
  if (modes.progress === 'none') return undefined
  return modes.progress === 'live' ? new LiveProgress(parts) : new PlainProgress(parts)
}

const idle = {
  run: (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
}

const unguardedText = (nodes: readonly string[]): string =>
  `^C ${nodes.join(', ')} is no longer watched: from now on a reload of a balancer may send traffic there again.`
