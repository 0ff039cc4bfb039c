import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import { behindHeader } from './behind-header.ts'
import { parseCsv } from './parse-csv.ts'
import { parseCount } from './parse-number.ts'
import { badReply } from './socket-error.ts'

/** `show stat -1 1 -1`: what clients have open at all frontends together. The runtime socket itself is none of these. */
export function frontendConnections(answer: string): number {
  if (!answer.startsWith('# pxname,'))
    throw badReply(`"show stat" begins with no header: "${escapeForeign(answer, 80)}"`)
  const { header, lines } = behindHeader(answer.slice(2))
  const columns = header.split(',')
  const [type, current] = [columns.indexOf('type'), columns.indexOf('scur')]
  return (lines === undefined ? [] : parseCsv(lines)).reduce((sum, row) => {
    if (row[type] !== '0') throw badReply('"show stat" answers with rows that are not frontends')
    return sum + parseCount(row[current] ?? '', 'scur')
  }, 0)
}
