import { RequestQueue } from './request-queue.ts'

/** A request that is on a server. */
export interface Session {
  /** `shutdown sessions`: as if the server had broken its connection. */
  cut(): void
}

/** What counts up since the process began. */
interface ServerCounters {
  /** `stot`: a retry counts again. */
  readonly sessions: number
  /** Of those, what was sent while the server was in maint or drain. */
  readonly strays: number
  /** `lbtot`: those that no cookie sent here. */
  readonly balanced: number
  readonly mostSessions: number
  readonly timesDown: number
  readonly retries: number
  readonly connectErrors: number
  readonly responseErrors: number
  readonly connects: number
  readonly reuses: number
}

const NOTHING_COUNTED = {
  ...{ sessions: 0, strays: 0, balanced: 0, mostSessions: 0, timesDown: 0 },
  ...{ retries: 0, connectErrors: 0, responseErrors: 0, connects: 0, reuses: 0 },
}

/** What one server of one process carries and has carried. */
export class ServerLoad<Server> {
  readonly sessions = new Set<Session>()
  /** Requests of clients that know this server, until it has room for them. */
  readonly queue: RequestQueue<Server>
  #maxConnections = 0
  /** The most sessions at once since the pool was last looked through. */
  recentPeak = 0
  readonly #counters = { ...NOTHING_COUNTED }
  readonly #changed: () => void
  #taken = 0

  /** `changed` is called with each change. */
  constructor(changed: () => void) {
    this.#changed = changed
    this.queue = new RequestQueue(changed)
  }

  get counters(): ServerCounters {
    return this.#counters
  }

  /** `maxconn`: so many requests at once; 0: no limit. */
  get maxConnections(): number {
    return this.#maxConnections
  }

  set maxConnections(count: number) {
    this.#maxConnections = count
    this.#changed()
  }

  /** Places that requests have taken: unlike a session, a place is kept between two tries to connect. */
  get taken(): number {
    return this.#taken
  }

  takePlace(): void {
    this.#taken += 1
  }

  leavePlace(): void {
    this.#taken -= 1
  }

  count(what: Exclude<keyof ServerCounters, 'mostSessions'>): void {
    this.#counters[what] += 1
    this.#changed()
  }

  begin(session: Session): void {
    this.sessions.add(session)
    this.recentPeak = Math.max(this.recentPeak, this.sessions.size)
    this.#counters.mostSessions = Math.max(this.#counters.mostSessions, this.sessions.size)
    this.#changed()
  }

  /** `shutdown sessions`: not what waits in the queue. */
  cut(): void {
    for (const session of [...this.sessions]) session.cut()
  }

  end(session: Session): void {
    this.sessions.delete(session)
    this.#changed()
  }
}
