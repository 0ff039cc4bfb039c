import { present } from '../../ground/model/present.ts'
import { type WallMs, wallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { NodeNeed, TimeSpan, TimeWindowState } from '../model/time-window.ts'
import type { TimeWindows } from '../ports/time-windows.ts'
import type { RunState } from './run-state.ts'

interface Wiring {
  readonly run: RunState
  readonly timeWindows?: TimeWindows
  readonly machineWall?: () => WallMs
  readonly clock: Clock
}

/** Of one roll; nothing where its file has no time windows. */
export function windowsOfRun({ run, timeWindows, machineWall, clock }: Wiring): {
  readonly windows?: TimeWindowWatch
} {
  if (timeWindows === undefined || run.spec.window === undefined) return {}
  const { estimates, slowestMs } = run
  const windows = new TimeWindowWatch({
    windows: timeWindows,
    wall: () => clock.wallMs(),
    ...present({ machineWall, estimates, slowestMs }),
  })
  return { windows }
}

interface TimeWindowParts {
  readonly windows: TimeWindows
  /** The time of the run, which nothing sets. */
  readonly wall: () => WallMs
  /** The time of this machine as it is set now. Absent: the time of the run. */
  readonly machineWall?: () => WallMs
  /** Node → how long it is expected to take. */
  readonly estimates?: Readonly<Record<string, number>>
  /** The slowest node of earlier processes of the run. */
  readonly slowestMs?: number
}

interface Known {
  readonly at: WallMs
  readonly spans: readonly TimeSpan[]
  readonly longestMs: number
}

/** Less is what two readings one after the other differ by. */
const SET_FROM_MS = 1000
/** An expression that opens every few minutes is not followed far ahead, so what follows is looked up again. */
const KNOWN_FOR_MS = 3_600_000
const SPANS_KNOWN = 8

/**
 * How the time windows stand for the node under way. A clock that is set during the run is right before or after that, and
 * which of both is not known: so both times must be within a window. No node's clock is asked.
 */
export class TimeWindowWatch {
  readonly #parts: TimeWindowParts
  readonly #known = new Map<string, Known>()
  #slowestMs: number

  constructor(parts: TimeWindowParts) {
    this.#parts = parts
    this.#slowestMs = parts.slowestMs ?? 0
  }

  /** A node of this run was begun and came back within that time. */
  measured(ms: number): void {
    this.#slowestMs = Math.max(this.#slowestMs, ms)
  }

  state(node: string | undefined): TimeWindowState {
    const { wall, machineWall = wall } = this.#parts
    const [ofRun, ofMachine] = [wall(), machineWall()]
    const setByMs = Math.abs(ofMachine - ofRun)
    const byRun = this.#at('run', ofRun)
    const need = this.#need(node)
    const known = need === undefined ? {} : { need }
    if (setByMs < SET_FROM_MS) return { ...byRun, ...known }
    const byMachine = this.#at('machine', ofMachine)
    return { ...worse(byRun, byMachine), clockSetByMs: setByMs, ...known }
  }

  #at(clock: string, now: WallMs): TimeWindowState {
    const { spans, longestMs } = this.#look(clock, now)
    const [first, second] = spans.filter(({ to }) => to > now)
    const isOpen = first !== undefined && first.from <= now
    const next = isOpen ? second : first
    return { now, ...(isOpen ? { open: first } : {}), ...present({ next }), longestMs }
  }

  #look(clock: string, now: WallMs): Known {
    const known = this.#known.get(clock)
    const last = known?.spans.at(0)
    const isFresh = known !== undefined && now >= known.at && now < known.at + KNOWN_FOR_MS
    if (isFresh && (last === undefined || last.to > now)) return known
    const { windows } = this.#parts
    const found = { at: wallMs(now), spans: windows.spansFrom(now, SPANS_KNOWN), longestMs: windows.longestMs(now) }
    this.#known.set(clock, found)
    return found
  }

  #need(node: string | undefined): NodeNeed | undefined {
    const estimateMs = node === undefined ? undefined : this.#parts.estimates?.[node]
    if (this.#slowestMs > (estimateMs ?? 0)) return { ms: this.#slowestMs, by: 'measured' }
    return estimateMs === undefined ? undefined : { ms: estimateMs, by: 'estimate' }
  }
}

const leftMs = ({ open, now }: TimeWindowState): number => (open === undefined ? 0 : open.to - now)
const awayMs = ({ next, now }: TimeWindowState): number => (next?.from ?? Number.POSITIVE_INFINITY) - now

function worse(one: TimeWindowState, other: TimeWindowState): TimeWindowState {
  if (one.open === undefined && other.open === undefined) return awayMs(one) >= awayMs(other) ? one : other
  return leftMs(one) <= leftMs(other) ? one : other
}
