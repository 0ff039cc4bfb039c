import type { FailureWindow } from '../../ground/model/probe.ts'
import { byOutage } from '../decide/availability/outages.ts'
import { isSameWindow } from '../decide/availability/same-window.ts'

interface Noted {
  readonly window: FailureWindow
  /** The window cannot change any more. */
  readonly closed: boolean
}

/** The content of one line. */
export interface OutageNews<W> {
  readonly type: 'opened' | 'closed'
  /** All of one target. */
  readonly windows: readonly [W, ...W[]]
  /** How many outages they are; more than one where several were due at once. */
  readonly outages: number
}

interface Held<W> {
  readonly item: W
  readonly since: number
  readonly isShown: boolean
}

interface Candidate<W> {
  readonly type: OutageNews<W>['type']
  readonly target: string
  readonly since: number
  readonly held: readonly [Held<W>, ...Held<W>[]]
}

const EVERY_MS = 1_000
/** How long the other lane is waited for. */
const GATHER_MS = 1_000
/** A window closes some periods after its last failure: until then a short one looks like one that lasts. */
const PERIODS_TO_CLOSE = 5
const LASTS_AT_MOST_MS = 10_000

/**
 * Gathers failure windows for people: at most one line a second, however many fail. An outage is shown once it is over, with
 * all its lanes; one that lasts is also shown before its end.
 */
export class OutageTeller<W extends Noted> {
  #held: readonly Held<W>[] = []
  #lastAt = Number.NEGATIVE_INFINITY

  /** The present state of a window; it replaces the earlier one. */
  note(item: W, now: number): void {
    const isOld = (held: Held<W>): boolean => isSameWindow(item.window, held.item.window)
    const old = this.#held.filter(isOld)
    const since = Math.min(now, ...old.map((held) => held.since))
    const isShown = old.some((held) => held.isShown)
    this.#held = [...this.#held.filter((held) => !isOld(held)), { item, since, isShown }]
  }

  /** The content of one line, if one is due: the outage that has waited longest. */
  due(now: number): OutageNews<W> | undefined {
    if (now - this.#lastAt < EVERY_MS) return undefined
    const isDue = ({ since, type, held }: Candidate<W>): boolean =>
      now - since >= GATHER_MS && (type === 'closed' || held.some(({ item }) => lasts(item, now)))
    const news = this.#take(isDue)
    if (news !== undefined) this.#lastAt = now
    return news
  }

  /** All outages that were not shown yet, at the end. */
  rest(): readonly OutageNews<W>[] {
    const all: OutageNews<W>[] = []
    for (let news = this.#take(() => true); news !== undefined; news = this.#take(() => true)) all.push(news)
    return all
  }

  #take(isDue: (candidate: Candidate<W>) => boolean): OutageNews<W> | undefined {
    const due = this.#candidates().filter(isDue)
    const [first] = due.toSorted((a, b) => a.since - b.since)
    if (first === undefined) return undefined
    const { type, target } = first
    const alike = due.filter((other) => other !== first && other.type === type && other.target === target)
    const taken = [first, ...alike]
    const gone = new Set(taken.flatMap(({ held }) => held))
    this.#held =
      type === 'closed'
        ? this.#held.filter((held) => !gone.has(held))
        : this.#held.map((held) => (gone.has(held) ? { ...held, isShown: true } : held))
    const others = [...gone].slice(1).map(({ item }) => item)
    return { type, windows: [first.held[0].item, ...others], outages: taken.length }
  }

  #candidates(): readonly Candidate<W>[] {
    return byOutage(this.#held, ({ item }) => item.window).flatMap((held): readonly Candidate<W>[] => {
      const isOver = held.every(({ item }) => item.closed)
      if (!isOver && held.some(({ isShown }) => isShown)) return []
      const since = Math.min(...held.map((one) => one.since))
      return [{ type: isOver ? 'closed' : 'opened', target: held[0].item.window.target, since, held }]
    })
  }
}

function lasts({ window: { lastOkAt, firstBadAt }, closed }: Noted, now: number): boolean {
  const periodMs = lastOkAt === undefined ? 0 : firstBadAt - lastOkAt
  return !closed && now - firstBadAt >= Math.min(PERIODS_TO_CLOSE * periodMs, LASTS_AT_MOST_MS)
}
