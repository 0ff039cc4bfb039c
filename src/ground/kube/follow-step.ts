import { present } from '../model/present.ts'
import type { MonoMs } from '../model/time.ts'
import type { WorldError } from '../model/world-error.ts'
import type { FollowEvent } from '../ports/cluster.ts'
import { backoffMs } from './backoff.ts'
import type { Listing } from './list-pages.ts'
import type { WatchChange } from './parse-watch-line.ts'

/*
 * Following a kind, as a machine that is told what happened and says what to tell the follower, how long to wait and
 * what to do next. It asks nothing and waits for nothing itself.
 *
 *   empty ──listed──▶ listed ──opened──▶ watching ──change──▶ watching
 *     ▲                 ▲                   │
 *     └── 410, overdue ─┴── ended, failed ──┘      (after a pause that is never zero)
 *     └──────── silent, wordless ───────────┘
 *
 * Silence is no failure: an API server sends no bookmark until its own view of a kind has moved on, which can take many
 * minutes where nothing changes. Only a list tells a quiet kind from a dead connection, and its result tells the follower.
 * A follower that was told of a failure is behind until the stream says something; it is not left waiting for a change
 * that may never come. Nor is one whose watches end before they said anything: behind a proxy that ends each at once, or that
 * holds its lines back, only lists tell what changed.
 */

/** A watch may have missed a change although bookmarks come: so the list is made anew now and then. */
const LISTING_AGE_MS_MAX = 30 * 60_000
/** A watch that lived this long did not fail. */
const HEALTHY_WATCH_MS = 5_000
/** A quiet kind may end a watch without a word. After so many in a row, a list tells that from a proxy that ends each. */
const WORDLESS_MAX = 3
/** Bookmarks come once a minute, where any come. */
const IDLE_MS = 90_000
const IDLE_JITTER_SHARE = 1 / 6
/** Changes from while a watch was broken come at once when it is resumed. */
const CATCH_UP_MS = 1_000

interface Position {
  readonly resourceVersion: string
  readonly listedAt: MonoMs
}

export type FollowState<S> =
  | { readonly kind: 'empty'; readonly failures: number }
  | {
      readonly kind: 'listed'
      readonly failures: number
      readonly position: Position
      readonly behind: boolean
      readonly wordless: number
    }
  | {
      readonly kind: 'watching'
      readonly failures: number
      readonly position: Position
      /** A failure was reported, and nothing since. */
      readonly behind: boolean
      /** How many watches in a row said nothing, this one among them. */
      readonly wordless: number
      readonly openedAt: MonoMs
      readonly stream: S
    }

export type FollowInput<T, S> =
  | { readonly type: 'listed'; readonly listing: Listing<T> }
  | { readonly type: 'opened'; readonly stream: S }
  | { readonly type: 'change'; readonly change: WatchChange<T> }
  | { readonly type: 'ended' }
  /** The watch was silent for so long that it may be dead. */
  | { readonly type: 'silent' }
  | { readonly type: 'failed'; readonly error: WorldError }

interface FollowMoment {
  readonly now: MonoMs
  /** Uniform in [0, 1). */
  readonly dice: number
}

export interface FollowStep<T, S> {
  readonly event?: FollowEvent<T>
  readonly pauseMs: number
  /** The part of the pause that the server asked for. */
  readonly askedMs?: number
  readonly next: FollowState<S>
}

export function followStep<T, S>(
  state: FollowState<S>,
  input: FollowInput<T, S>,
  moment: FollowMoment,
): FollowStep<T, S> {
  switch (input.type) {
    case 'listed': {
      const { objects, resourceVersion } = input.listing
      const position = { resourceVersion, listedAt: moment.now }
      return {
        event: { type: 'listed', objects },
        pauseMs: 0,
        next: { kind: 'listed', failures: state.failures, position, behind: false, wordless: 0 },
      }
    }
    case 'opened':
      if (state.kind === 'empty') return { pauseMs: 0, next: state }
      return {
        pauseMs: 0,
        next: {
          ...state,
          kind: 'watching',
          wordless: state.wordless + 1,
          openedAt: moment.now,
          stream: input.stream,
        },
      }
    case 'change':
      return changed(state, input.change)
    case 'silent':
      return { pauseMs: backoffMs(1, moment.dice), next: { kind: 'empty', failures: state.failures } }
    case 'ended':
      return interrupted(state, undefined, moment)
    case 'failed':
      return interrupted(state, input.error, moment)
  }
}

function changed<T, S>(state: FollowState<S>, change: WatchChange<T>): FollowStep<T, S> {
  if (state.kind === 'empty') return { pauseMs: 0, next: state }
  const event: FollowEvent<T> =
    change.type === 'fresh' ? { type: 'fresh' } : { type: change.type, object: change.object }
  const position = { ...state.position, resourceVersion: change.resourceVersion }
  return { event, pauseMs: 0, next: { ...state, failures: 0, position, behind: false, wordless: 0 } }
}

/**
 * How long a silent watch counts as alive, in ms. `dice`: uniform in [0, 1). `idleMs`: for a kind that is never silent for
 * long.
 */
export const idleLimitMs = (state: { readonly behind: boolean }, dice: number, idleMs: number = IDLE_MS): number =>
  state.behind ? CATCH_UP_MS : idleMs * (1 + dice * IDLE_JITTER_SHARE)

/** A watch that the server ended in time is no failure and is not reported; the pause before the next one is the same. */
function interrupted<T, S>(
  state: FollowState<S>,
  error: WorldError | undefined,
  moment: FollowMoment,
): FollowStep<T, S> {
  const wasHealthy = state.kind === 'watching' && moment.now - state.openedAt >= HEALTHY_WATCH_MS
  const failures = (wasHealthy ? 0 : state.failures) + 1
  const askedMs = error?.retryAfterMs
  const pauseMs = backoffMs(failures, moment.dice) + (askedMs ?? 0)
  const next = resumed(state, { failures, error, now: moment.now })
  return error === undefined
    ? { pauseMs, next }
    : { event: { type: 'broken', error, retryInMs: pauseMs }, pauseMs, ...present({ askedMs }), next }
}

function resumed<S>(
  state: FollowState<S>,
  { failures, error, now }: { failures: number; error: WorldError | undefined; now: MonoMs },
): FollowState<S> {
  if (state.kind === 'empty') return { kind: 'empty', failures }
  const { position, behind, wordless } = state
  const isMute = state.kind === 'watching' && wordless >= (behind ? 1 : WORDLESS_MAX)
  const mustList = isMute || error?.code === 'KUBE_GONE' || now - position.listedAt >= LISTING_AGE_MS_MAX
  if (mustList) return { kind: 'empty', failures }
  return { kind: 'listed', failures, position, behind: error !== undefined || behind, wordless }
}
