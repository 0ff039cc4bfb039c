import { readFileSync, writeFileSync } from 'node:fs'

/** What is known of a rule. */
interface RuleRow {
  /** A checker, `thrown`, a scenario, a test or nobody; absent: it was not tried yet. */
  readonly by?: string
  /** The name of the world or of the test, or in how many worlds the rule had something to say. */
  readonly in?: string
  /** Written by hand, and kept. */
  readonly note: string
}

const PAGE = new URL('../../../../../docs/internals/rules.md', import.meta.url)
const HEAD = '| rule | seen by | in | note |\n| --- | --- | --- | --- |'
export const NOBODY = '**nobody**'
const NOT_TRIED = 'not tried yet'

/** The table of rules: the page that people read, and what the next run knows. */
export class RulesPage {
  /** Of all rules that the code has, in the order of the table. */
  readonly ids: readonly string[]

  constructor(ids: readonly string[]) {
    this.ids = ids
  }

  row(id: string): RuleRow {
    return rowsOf(read()).get(id) ?? { note: '' }
  }

  /** Gives each rule a row, and takes off those of rules that are no more. */
  fill(): void {
    const page = read()
    writeFileSync(PAGE, withRows(page, this.ids, rowsOf(page)))
  }

  /** Written at once: a run that is stopped keeps what it has found, and another one may write beside it. */
  put(id: string, row: Omit<RuleRow, 'note'>): void {
    const page = read()
    const rows = rowsOf(page)
    rows.set(id, { ...row, note: rows.get(id)?.note ?? '' })
    writeFileSync(PAGE, withRows(page, this.ids, rows))
  }
}

const read = (): string => readFileSync(PAGE, 'utf8')

/** The rows of the page, by the ids of their rules. */
export const rowsOf = (page: string): Map<string, RuleRow> =>
  new Map(
    [...page.matchAll(/^\| `(.+)` \| (.*?) \| (.*?) \| (.*?) ?\|$/gm)].map(
      ([, id = '', by = '', where = '', note = '']): [string, RuleRow] => [
        id.replaceAll('\\|', '|'),
        { note, ...(by !== NOT_TRIED && { by, in: where }) },
      ],
    ),
  )

/** The page with a row for each of these rules, and none for rules that the code does not have any more. */
function withRows(page: string, ids: readonly string[], rows: ReadonlyMap<string, RuleRow>): string {
  const [before = ''] = page.split(HEAD)
  const lines = ids.map((id) => {
    const { by = NOT_TRIED, in: where = '', note = '' } = rows.get(id) ?? {}
    return `| \`${id.replaceAll('|', '\\|')}\` | ${by} | ${where} | ${note} |`
  })
  return `${before}${HEAD}\n${lines.join('\n')}\n`
}
