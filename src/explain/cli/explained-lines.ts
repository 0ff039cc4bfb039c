import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { plainText } from '../../ground/model/sentence.ts'
import { type BlockRow, blockRows } from '../../ground/text/labelled-block.ts'
import { type Paste, pastedIn } from '../../ground/text/paste.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import { wrapWords } from '../../ground/text/wrap-words.ts'
import type { ExplainFinding, Next } from '../decide/finding.ts'
import type { Explained } from '../run/explain-node.ts'

/** The most findings of one part. */
const FINDINGS_MAX = 20
const NEXT_MAX = 12
/** A verdict may contain two names and a message of the API. */
const VERDICT_MAX = 1_000

/** For people: the verdict, then each part with its evidence, what would change it, and what is not known. */
export function explainedLines(explained: Explained, paste: Paste, columns: number): readonly Line[] {
  const { verdict, findings, unknown } = explained
  const next = nextOf(findings)
  const rows: readonly BlockRow[] = [
    ...[...Map.groupBy(findings, ({ part }) => part)].map(([label, of]) => ({ label, texts: textsOf(of) })),
    { label: 'next', texts: nextTexts(next, paste, columns) },
  ]
  return [
    ...wrapWords(escapeForeign(verdict, VERDICT_MAX), columns).map((text): Line => [text]),
    ...blockRows(rows, columns),
    ...unknown.flatMap(({ what, why }) => hanging(`not known: ${what}: ${why}`, columns)),
  ]
}

const hanging = (text: string, columns: number): readonly Line[] =>
  wrapWords(escapeForeign(text), columns - 4).map((line, at): Line => [`${at === 0 ? '  ' : '    '}${line}`])

/** A finding that blocks nothing is printed without its evidence. The JSON document has the evidence of every finding. */
function textsOf(findings: readonly ExplainFinding[]): BlockRow['texts'] {
  const more = findings.length - FINDINGS_MAX
  return [
    ...findings
      .slice(0, FINDINGS_MAX)
      .flatMap(({ is, text, evidence }) => [
        text,
        ...(is === 'fact' ? [] : evidence.map((one) => ({ under: `seen: ${one}` }))),
      ]),
    ...(more > 0 ? [`and ${more} more: -o json has them all`] : []),
  ]
}

/** From findings that block; if there are none, from the rest. */
function nextOf(findings: readonly ExplainFinding[]): readonly Next[] {
  const inTheWay = findings.filter(({ is }) => is !== 'fact').flatMap(({ next }) => next)
  const all = inTheWay.length > 0 ? inTheWay : findings.flatMap(({ next }) => next)
  return [...new Map(all.map((one) => [plainText(one.command ?? one.note), one])).values()]
}

/** The label and what precedes a text. */
const MARGIN = 14

/** A note says when a command may be used: without room for it beside the command, it is above. */
function nextTexts(next: readonly Next[], paste: Paste, columns: number): BlockRow['texts'] {
  const said = next.map(({ command, note }) => ({
    command: command === undefined ? '' : plainText(paste(command)),
    note: paste(note),
  }))
  const widest = Math.max(0, ...said.map(({ command }) => command.length))
  const isRoomy = said.every(
    ({ command, note }) => command === '' || widest + 4 + plainText(note).length <= columns - MARGIN,
  )
  const more = next.length - NEXT_MAX
  return [
    ...said.slice(0, NEXT_MAX).flatMap(({ command, note }): BlockRow['texts'] => {
      if (command === '') return [note]
      const beside = plainText(note)
      return beside === '' || isRoomy ? [{ command, note: beside }] : [`${beside}:`, { command, note: '' }]
    }),
    ...(more > 0 ? [`and ${more} more: -o json has them all`] : []),
  ]
}

/** For scripts. */
export const explainedDocument = (
  { state, verdict, findings, unknown }: Explained,
  of: object,
  paste: Paste,
): object => ({
  v: '1.0',
  ...of,
  state,
  verdict,
  findings: pastedIn(findings, paste),
  unknown,
})
