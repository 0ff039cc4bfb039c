import { present } from '../model/present.ts'
import { WorldError } from '../model/world-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { FollowEvent } from '../ports/cluster.ts'
import type { Log } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import type { ApiClient } from './api-client.ts'
import type { ApiReach } from './api-reach.ts'
import { type FollowInput, type FollowState, type FollowStep, followStep, idleLimitMs } from './follow-step.ts'
import { listPages } from './list-pages.ts'
import { parseWatchLine } from './parse-watch-line.ts'
import type { Resource } from './resources.ts'
import { WatchStream } from './watch-stream.ts'

/** The value of client-go: the server ends a watch within it, so that watches move when servers come and go. */
const WATCH_SECONDS = 300

export interface FollowParts {
  readonly client: ApiClient
  /** Shared by all watches of this API server. */
  readonly reach: ApiReach
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

type State = FollowState<WatchStream>

/** Lists and watches one kind until aborted, then rejects with the signal's reason. */
export async function follow<T>(
  parts: FollowParts,
  { kind, sink }: { readonly kind: Resource<T>; readonly sink: (event: FollowEvent<T>) => void },
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, reach } = parts
  let state: State = { kind: 'empty', failures: 0 }
  let isAway = false
  try {
    for (;;) {
      const input = await perform(parts, { kind, state }, signal)
      // A proxy that ends every watch at once opens each, and lists between them: that is no server which is back.
      const isWord = input.type === 'listed' || input.type === 'change'
      if (isAway && isWord) reach.reached()
      isAway = input.type === 'failed' ? state.kind !== 'watching' : isAway && !isWord
      const step: FollowStep<T, WatchStream> = followStep(state, input, { now: clock.monoMs(), dice: random.next() })
      if (step.next.kind !== 'watching') close(state)
      state = step.next
      if (step.event !== undefined) sink(step.event)
      const { pauseMs: ms, askedMs } = step
      if (ms > 0) await reach.pause({ ms, dice: random.next(), ...present({ askedMs }) }, signal)
    }
  } finally {
    close(state)
  }
}

/** Does what the state asks for and returns the result. Rejects only when aborted. */
async function perform<T>(
  parts: FollowParts,
  { kind, state }: { readonly kind: Resource<T>; readonly state: State },
  signal: AbortSignal,
): Promise<FollowInput<T, WatchStream>> {
  try {
    switch (state.kind) {
      case 'empty':
        return { type: 'listed', listing: await listPages(parts, kind, signal) }
      case 'listed':
        return {
          type: 'opened',
          stream: await openWatch(parts, { kind, from: state.position.resourceVersion }, signal),
        }
      case 'watching': {
        const answer = await state.stream.next(idleLimitMs(state, parts.random.next(), kind.idleMs), signal)
        if (answer.type !== 'line') return answer
        return { type: 'change', change: parseWatchLine(answer.line, kind, parts.log) }
      }
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof WorldError) return { type: 'failed', error }
    throw error
  }
}

async function openWatch<T>(
  { client, clock, random }: FollowParts,
  { kind, from }: { readonly kind: Resource<T>; readonly from: string },
  signal: AbortSignal,
): Promise<WatchStream> {
  const query = {
    ...kind.query,
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: from,
    timeoutSeconds: String(WATCH_SECONDS + Math.floor(random.next() * WATCH_SECONDS)),
  }
  const body = await client.stream({ verb: 'watch', resource: kind.resource, path: kind.path, query }, signal)
  return new WatchStream({ body, clock })
}

function close(state: State): void {
  if (state.kind === 'watching') state.stream.close()
}
