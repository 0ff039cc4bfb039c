import { escapeForeign } from '../../model/foreign-text.ts'
import { frontendConnections } from './frontend-connections.ts'
import type { InstanceApi } from './instance-api.ts'
import { parseStat } from './parse-stat.ts'
import { badReply } from './socket-error.ts'

/** More old workers than an operation leaves: what says so is no HAProxy, or one that is reloaded all the time. */
const MOST_WORKERS = 64
const GONE = "Can't find the target PID"
const PID = /^([0-9]{1,10})\s+worker\b/
const SESSION = /^(0x[0-9a-f]{1,16}): .* be=(\S+) srv=(\S+) /

/**
 * Workers that a reload has left behind, by the socket of the master (management.txt 9.4). An old worker serves the requests that it
 * had to their end, and the runtime API of the new one does not count them.
 *
 * HAProxy takes a prefix `@!PID` for one command, and the socket stays open until `quit`.
 */
export class OldWorkers {
  readonly #master: InstanceApi

  constructor(master: InstanceApi) {
    this.#master = master
  }

  /** `backend/server` → sessions that old workers still have with it. WorldError BALANCER_*. */
  async sessions(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const answers = await this.#ofEach('show stat -1 4 -1', signal)
    const counts = new Map<string, number>()
    for (const { backend, server, currentSessions } of this.#master.judge(() => answers.flatMap(parseStat))) {
      const key = `${backend}/${server}`
      counts.set(key, (counts.get(key) ?? 0) + currentSessions)
    }
    return counts
  }

  /** Connections of clients that old workers still have. */
  async clientConnections(signal: AbortSignal): Promise<number> {
    const answers = await this.#ofEach('show stat -1 1 -1', signal)
    return this.#master.judge(() => answers.map(frontendConnections).reduce((sum, count) => sum + count, 0))
  }

  /** An old worker refuses `shutdown sessions server`, so each session is ended by itself. */
  async cut(backend: string, server: string, signal: AbortSignal): Promise<void> {
    for (const pid of await this.#pids(signal)) {
      const answer = await this.#ask(`@!${pid} show sess`, signal)
      const ids = answer.split('\n').flatMap((line) => {
        const [, id = '', ofBackend, ofServer] = SESSION.exec(line) ?? []
        return ofBackend === backend && ofServer === server ? [id] : []
      })
      for (const id of ids) await this.#ask(`@!${pid} shutdown session ${id}`, signal)
    }
  }

  close(): Promise<void> {
    return this.#master.close()
  }

  /** The answers of those that are still there when they are asked. */
  async #ofEach(command: string, signal: AbortSignal): Promise<readonly string[]> {
    const answers: string[] = []
    for (const pid of await this.#pids(signal)) {
      const answer = await this.#ask(`@!${pid} ${command}`, signal)
      if (!answer.startsWith(GONE)) answers.push(answer.trimEnd())
    }
    return answers
  }

  async #pids(signal: AbortSignal): Promise<readonly string[]> {
    const answer = await this.#ask('show proc', signal)
    return this.#master.judge(() => oldPids(answer))
  }

  #ask(command: string, signal: AbortSignal): Promise<string> {
    return this.#master.reply(`${command}\nquit`, signal)
  }
}

/** A table with headings, of which `# old workers` is absent where there are none. */
function oldPids(table: string): readonly string[] {
  if (!table.startsWith('#<PID>')) throw badReply(`"show proc" begins with no header: "${escapeForeign(table, 80)}"`)
  const [, old = ''] = table.split('\n# old workers\n')
  const [lines = ''] = old.split('\n#')
  const pids = lines.split('\n').flatMap((line) => PID.exec(line)?.[1] ?? [])
  if (pids.length > MOST_WORKERS) throw badReply(`"show proc" lists ${pids.length} old workers`)
  return pids
}
