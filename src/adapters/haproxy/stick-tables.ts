import { escapeForeign } from '../../model/foreign-text.ts'
import { badReply } from './socket-error.ts'

/** A proxy's name, or `peers-section/table`. */
const TABLE_NAME = /^[A-Za-z0-9_.:/-]{1,512}$/

/** `show table`: one `# table: NAME, type: …` a line. */
export function tableNames(answer: string): readonly string[] {
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
export const asksForServerIds = (table: string): string => `show table ${table} data.server_id lt 0`

export function storesServerIds(answer: string): boolean {
  if (answer.startsWith('# table: ')) return true
  if (answer.includes('Data type not stored in this table')) return false
  throw badReply(`a stick table cannot be read: "${escapeForeign(answer, 120)}"`)
}
