import type { Cause } from './cause.ts'
import { CAUSES } from './causes.ts'

/** docs/dns-causes.md, from the catalogue. */
export function causesPage(): string {
  const entries = Object.entries(CAUSES).map(([code, cause]): readonly [string, Cause] => [code, cause])
  return [
    '# What `evenkeel dns` finds',
    '',
    '`evenkeel dns check` prints for each finding its code, the object, the reading that decided, the cause and the cure.',
    'This page is made from `src/dns/decide/causes.ts` by `npm run docs`.',
    '',
    '| finding | verdict | what it means |',
    '| --- | --- | --- |',
    ...entries.map(([code, { verdict, is }]) => `| [${code}](#${code.toLowerCase()}) | ${verdict} | ${is} |`),
    '',
    ...entries.flatMap(([code, { verdict, is, cause, cure }]) => [
      `## ${code}`,
      '',
      `Verdict: ${verdict}. ${is.charAt(0).toUpperCase()}${is.slice(1)}.`,
      '',
      `**Cause.** ${cause}`,
      '',
      `**Cure.** ${cure}`,
      '',
    ]),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}
