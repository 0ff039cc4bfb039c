import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import { frontendConnections } from './frontend-connections.ts'
import type { InstanceApi } from './instance-api.ts'
import { parseStat, type StatRow } from './parse-stat.ts'
import { badReply } from './socket-error.ts'

/** What the workers from before a reload still do, all of them together. */
export interface OldWork {
  /** Connections of clients, over which new requests may come, for any server. */
  readonly clients: number
  /** Rows of each worker, with its servers by the names and addresses that it knows. */
  readonly rows: readonly StatRow[]
}

/** Nobody leaves so many old workers: the text is not of HAProxy, or HAProxy is reloaded all the time. */
const MOST_WORKERS = 64
const GONE = "Can't find the target PID"
const PID = /^([0-9]{1,10})\s+worker\b/
const SESSION = /^(0x[0-9a-f]{1,16}): .* be=(\S+) srv=(\S+) /

/**
 * Workers from before a reload, by the socket of the master (management.txt 9.4). HAProxy 2.5 and later; earlier versions do
 * not show their proxies. An old worker serves its requests to their end, and the runtime API of the new worker does not count
 * them. An old worker does not learn that a node is out, and checks no server any more: it may send to the node for as long as
 * it has clients. HAProxy takes a prefix `@!PID` for one command, and the socket stays open until `quit`.
 */
export class OldWorkers {
  readonly #master: InstanceApi

  constructor(master: InstanceApi) {
    this.#master = master
  }

  /** WorldError BALANCER_*, also where the answer of one worker is not whole. */
  async work(signal: AbortSignal): Promise<OldWork> {
    const work = { clients: 0, rows: [] as StatRow[] }
    for (const pid of await this.#pids(signal)) {
      const clients = await this.#of(pid, 'show stat -1 1 -1', signal)
      const servers = await this.#of(pid, 'show stat -1 4 -1', signal)
      if (clients === undefined || servers === undefined) continue
      const rows = this.#master.judge(() => rowsOf(servers))
      work.clients += this.#master.judge(() => frontendConnections(clients))
      work.rows.push(...rows)
    }
    return work
  }

  /**
   * An old worker refuses `shutdown sessions server`, so each session is ended by itself. `address` is the address of the
   * server.
   */
  async cut(backend: string, address: string, signal: AbortSignal): Promise<void> {
    for (const pid of await this.#pids(signal)) {
      const servers = await this.#of(pid, 'show stat -1 4 -1', signal)
      const sessions = await this.#of(pid, 'show sess', signal)
      if (servers === undefined || sessions === undefined) continue
      const rows = this.#master.judge(() => rowsOf(servers))
      const names = rows.filter((row) => row.backend === backend && row.address === address).map(({ server }) => server)
      for (const line of sessions.split('\n')) {
        const [, id, ofBackend, ofServer = ''] = SESSION.exec(line) ?? []
        if (id !== undefined && ofBackend === backend && names.includes(ofServer))
          await this.#master.reply(`@!${pid} shutdown session ${id}\nquit`, signal)
      }
    }
  }

  close(): Promise<void> {
    return this.#master.close()
  }

  /** Undefined where the worker has ended meanwhile. */
  async #of(pid: string, command: string, signal: AbortSignal): Promise<string | undefined> {
    const answer = await this.#master.reply(`@!${pid} ${command}\nquit`, signal)
    return answer.startsWith(GONE) ? undefined : this.#master.judge(() => whole(answer))
  }

  async #pids(signal: AbortSignal): Promise<readonly string[]> {
    const answer = await this.#master.reply('show proc\nquit', signal)
    return this.#master.judge(() => oldPids(whole(answer)))
  }
}

/** WorldError where old workers of this version do not show their proxies. */
export function mustTellOfOldWork(version: string): void {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(version) ?? []
  if (Number(major) * 1_000 + Number(minor) >= 2_005) return
  throw badReply(`masterSocket needs HAProxy 2.5 or later, and this is ${version}`)
}

/** Each answer ends with an empty line; one that was cut short may end with any other. */
function whole(answer: string): string {
  if (answer.endsWith('\n\n')) return answer.slice(0, -2)
  throw badReply(`the answer of the master breaks off: "${escapeForeign(answer.slice(-80), 80)}"`)
}

function rowsOf(answer: string): readonly StatRow[] {
  const rows = parseStat(answer)
  if (rows.length === 0) throw badReply('an old worker tells of no server, as HAProxy before 2.5 does')
  return rows
}

/** A table with headings, of which `# old workers` is absent where there are none. */
function oldPids(table: string): readonly string[] {
  if (!table.startsWith('#<PID>')) throw badReply(`"show proc" begins with no header: "${escapeForeign(table, 80)}"`)
  const [, old = ''] = `${table}\n`.split('\n# old workers\n')
  const [lines = ''] = old.split('\n#')
  const pids = lines.split('\n').flatMap((line) => PID.exec(line)?.[1] ?? [])
  if (pids.length > MOST_WORKERS) throw badReply(`"show proc" lists ${pids.length} old workers`)
  return pids
}
