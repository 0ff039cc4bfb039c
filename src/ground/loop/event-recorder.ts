import { eventName, eventNamespace, eventObject } from '../model/event-object.ts'
import type { ObjectKind } from '../model/object-kind.ts'
import type { ObjectNotice } from '../model/object-notice.ts'
import { type MonoMs, toIsoSeconds } from '../model/time.ts'
import { WorldError } from '../model/world-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { ObjectNotices } from '../ports/object-notices.ts'
import type { Objects } from '../ports/objects.ts'
import type { Random } from '../ports/random.ts'
import { TokenBucket } from './token-bucket.ts'

interface EventRecorderParts {
  readonly objects: Pick<Objects, 'create' | 'patch'>
  readonly clock: Clock
  readonly random: Random
  /** Of this process. */
  readonly identity: string
}

/** An Event on the cluster. */
interface RecordedEvent {
  readonly namespace: string
  readonly name: string
  readonly recordedAt: MonoMs
  /** How often it happened, also when that was not written. */
  count: number
}

/** A notice that is repeated within this time is counted in the existing Event (client-go, tools/record/events_cache.go). */
const WINDOW_MS = 10 * 60_000
/** client-go: for one object this many at once, then one in five minutes. */
const OBJECT_RATE = { burst: 25, everyMs: 5 * 60_000 }
/** For all objects together: if a whole fleet fails at once, its Events must not bury the API server. */
const RATE = { burst: 100, everyMs: 200 }
/** How many objects and texts are remembered. A forgotten notice gets a new Event. */
const REMEMBERED_MAX = 4_096

const EVENTS: ObjectKind<undefined> = {
  group: '',
  version: 'v1',
  resource: 'events',
  kind: 'Event',
  namespaced: true,
  parse: () => undefined,
}

/**
 * Equal notices about the same object within a while are one Event with a count, and no more are written than the rates allow.
 * Those beyond the rates are counted here, and in the Event when it is written again. Needs the rights to create and to patch
 * events.
 */
export class EventRecorder implements ObjectNotices {
  readonly #parts: EventRecorderParts
  readonly #recorded = new Map<string, RecordedEvent>()
  readonly #buckets = new Map<string, TokenBucket>()
  readonly #all: TokenBucket
  #dropped = 0

  constructor(parts: EventRecorderParts) {
    this.#parts = parts
    this.#all = new TokenBucket(RATE, parts.clock)
  }

  /** How many notices got no Event. */
  dropped(): number {
    return this.#dropped
  }

  async tell(notice: ObjectNotice, signal: AbortSignal): Promise<void> {
    const { uid, type, reason } = notice
    const key = JSON.stringify([uid, type, reason.code, reason.text])
    const recorded = this.#recorded.get(key)
    const isRecent = recorded !== undefined && this.#parts.clock.monoMs() - recorded.recordedAt < WINDOW_MS
    if (isRecent) recorded.count += 1
    if (!this.#mayWrite(uid)) {
      this.#dropped += 1
      return
    }
    if (isRecent && (await this.#again(recorded, signal))) return
    remember(this.#recorded, key, await this.#anew(notice, signal))
  }

  async #anew(notice: ObjectNotice, signal: AbortSignal): Promise<RecordedEvent> {
    const { objects, clock, random, identity } = this.#parts
    const [namespace, name] = [eventNamespace(notice), eventName(notice, random.hex(8))]
    const object = eventObject(notice, { name, at: clock.wallMs(), identity })
    await objects.create({ kind: EVENTS, namespace, object }, signal)
    return { namespace, name, recordedAt: clock.monoMs(), count: 1 }
  }

  /** False where the Event is gone: the API server keeps Events only for an hour. */
  async #again({ namespace, name, count }: RecordedEvent, signal: AbortSignal): Promise<boolean> {
    const { objects, clock } = this.#parts
    const patch = { count, lastTimestamp: toIsoSeconds(clock.wallMs()) }
    try {
      await objects.patch({ kind: EVENTS, namespace, name, patch }, signal)
      return true
    } catch (error) {
      if (error instanceof WorldError && error.code === 'KUBE_NOT_FOUND') return false
      throw error
    }
  }

  #mayWrite(uid: string): boolean {
    const bucket = this.#buckets.get(uid) ?? new TokenBucket(OBJECT_RATE, this.#parts.clock)
    remember(this.#buckets, uid, bucket)
    return bucket.hasOne() && this.#all.take() && bucket.take()
  }
}

/** Adds it as the newest; the oldest is dropped where there are too many. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > REMEMBERED_MAX && oldest !== undefined) map.delete(oldest)
}
