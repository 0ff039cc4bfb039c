import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import type { InstanceApi } from './instance-api.ts'
import { parseInfo } from './parse-info.ts'
import { badReply } from './socket-error.ts'

/** A proxy's name, or `peers-section/table`. */
const TABLE_NAME = /^[A-Za-z0-9_.:/-]{1,512}$/
/** HAProxy takes a command line of one buffer, 16 KiB unless the file says less. */
const TABLES_PER_LINE = 16

/**
 * The stick tables that remember servers (`stick on`). They are configuration, so they are read once for each process: the
 * command makes HAProxy walk its tables, which is too much for every poll.
 */
export class StickTables {
  readonly #api: InstanceApi
  #known: { readonly process: string; readonly tables: ReadonlySet<string> } | undefined

  constructor(api: InstanceApi) {
    this.#api = api
  }

  async of(process: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    if (this.#known?.process === process) return this.#known.tables
    const [list = ''] = await this.#ask(process, ['show table'], signal)
    const names = this.#api.judge(() => tableNames(list))
    const tables = new Set<string>()
    for (let at = 0; at < names.length; at += TABLES_PER_LINE) {
      const some = names.slice(at, at + TABLES_PER_LINE)
      const answers = await this.#ask(process, some.map(asksForServers), signal)
      for (const name of some.filter((_, index) => remembersServers(answers[index] ?? ''))) tables.add(name)
    }
    this.#known = { process, tables }
    return tables
  }

  /** The answers of this process; the answers of an earlier process are dropped. */
  #ask(process: string, commands: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    return this.#api.ask(
      ['show info', ...commands],
      ([info = '', ...answers]) => {
        if (parseInfo(info).process !== process) throw badReply('HAProxy was reloaded while it was asked')
        return answers
      },
      signal,
    )
  }
}

/** `show table`: one `# table: NAME, type: …` a line. */
function tableNames(answer: string): readonly string[] {
  if (answer === '') return []
  return answer.split('\n').map((line) => {
    const name = /^# table: ([^,]+),/.exec(line)?.[1]
    if (name === undefined || !TABLE_NAME.test(name)) {
      throw badReply(`"show table" answers with "${escapeForeign(line, 80)}"`)
    }
    return name
  })
}

/**
 * The API does not show `stick on` itself, but a table that it fills stores server ids, and only such a table can be
 * filtered by them. The filter matches no entry, so that none is sent.
 */
const asksForServers = (table: string): string => `show table ${table} data.server_id lt 0`

/** A table that cannot be judged counts as one that remembers: then `maint` is used, which is right for both. */
const remembersServers = (answer: string): boolean => !answer.includes('Data type not stored in this table')
