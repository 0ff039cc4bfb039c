import type { ReportDocument } from './report-document.ts'

/** On which cluster, as whom, why, and by which version. What the journal does not have is left out. */
export function originFacts(report: ReportDocument): readonly (readonly [string, string])[] {
  const { context, server, user, reason, windowIgnoredBy, version, tool } = report
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ['reason', reason],
    ['time windows ignored by', windowIgnoredBy],
    ['context', context],
    ['API server', server],
    ['user', user],
    ['version', versionText(tool ?? undefined, version)],
  ]
  return facts.flatMap(([name, value]) => (value === undefined || value === null ? [] : [[name, value] as const]))
}

/** A run may be resumed by a newer version than the one that began it. */
function versionText(began: string | undefined, last: string | undefined): string | undefined {
  if (began === undefined || last === undefined || began === last) {
    const version = last ?? began
    return version === undefined ? undefined : `evenkeel ${version}`
  }
  return `evenkeel ${last}, begun by ${began}`
}
