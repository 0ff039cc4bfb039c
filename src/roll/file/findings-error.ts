import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { FileFinding } from '../model/file-finding.ts'
import { renderFinding } from './render-finding.ts'
import type { SourceText } from './source-text.ts'

const SHOWN_MAX = 20

/** All findings of a file as one error, in the order of the file. `untouched`: what was done to find them. */
export function findingsError(
  source: SourceText,
  findings: readonly FileFinding[],
  untouched = 'Nothing was contacted or changed.',
): UserError {
  const ordered = findings.toSorted((a, b) => a.span[0] - b.span[0])
  const left = Math.max(0, ordered.length - SHOWN_MAX)
  const count = findings.length === 1 ? '1 error' : `${findings.length} errors`
  const more = left === 0 ? '' : `, ${left} not shown`
  return new UserError(`${count} in ${escapeForeign(source.file)}${more}. ${untouched}`, {
    code: 'config.roll-file',
    details: ordered.slice(0, SHOWN_MAX).map((finding) => renderFinding(source, finding)),
  })
}
