import { existsSync, readFileSync } from 'node:fs'
import type { schema } from '@stryker-mutator/api/core'
import type { MutantPlace } from './drawn-mutants.ts'

type Report = schema.MutationTestResult
type Mutant = schema.MutantResult

const SEEN: readonly string[] = ['Killed', 'Timeout']
const UNSEEN: readonly string[] = ['Survived', 'NoCoverage']

interface Score {
  readonly seen: number
  readonly of: number
}

export const readReport = (file: string): Report | undefined =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined

const isTried = ({ status }: Mutant): boolean => [...SEEN, ...UNSEEN].includes(status)

const placeOf = (file: string, { location: { start }, replacement }: Mutant): MutantPlace => ({
  file,
  line: start.line,
  column: start.column,
  replacement: replacement ?? '',
})

const scoreOf = (mutants: readonly Mutant[]): Score => ({
  seen: mutants.filter(({ status }) => SEEN.includes(status)).length,
  of: mutants.length,
})

const scoreText = ({ seen, of }: Score): string =>
  `${of === 0 ? '-' : ((100 * seen) / of).toFixed(1)} % (${seen} of ${of})`

/** At most so many characters of what was there, and of what stands there instead. */
const EXCERPT = 70

const short = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line
}

function replaced(source: string, { location: { start, end } }: Mutant): string {
  const lines = source.split('\n').slice(start.line - 1, end.line)
  const last = lines.length - 1
  return lines
    .map((line, i) => line.slice(i === 0 ? start.column - 1 : 0, i === last ? end.column - 1 : undefined))
    .join('\n')
}

const mutantText = (source: string, mutant: Mutant): string => {
  const unreached = mutant.status === 'NoCoverage' ? ' (no test reaches it)' : ''
  return `line ${mutant.location.start.line}: \`${short(replaced(source, mutant))}\` → \`${short(mutant.replacement ?? '')}\`${unreached}`
}

/** What a score alone does not say: how many were seen by a limit alone, and how many were not tried to the end. */
function footnotes(report: Report, sources: ReadonlySet<string>, isWanted: (place: MutantPlace) => boolean) {
  const all = Object.entries(report.files)
    .filter(([path]) => sources.has(path))
    .flatMap(([path, { mutants }]) => mutants.filter((mutant) => isWanted(placeOf(path, mutant))))
  const count = (status: Mutant['status']): number => all.filter((mutant) => mutant.status === status).length
  const counts: readonly (readonly [number, string])[] = [
    [count('Timeout'), 'seen because a loop or a wait did not end'],
    [count('Pending'), 'not tried yet'],
    [count('RuntimeError'), 'could not be tried, and are in no score'],
  ]
  return counts.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`)
}

const folderOf = (file: string): string =>
  file
    .split('/')
    .slice(0, 3)
    .join('/')
    .replace(/\/[^/]+\.ts$/, '')

/** In Markdown: the scores of folders, the worst files, and each mutant that no test saw. */
export function resultLines(
  report: Report,
  sources: ReadonlySet<string>,
  isWanted: (place: MutantPlace) => boolean,
): readonly string[] {
  const files = Object.entries(report.files)
    .map(([path, { source, mutants }]) => {
      const tried = mutants.filter((mutant) => isTried(mutant) && isWanted(placeOf(path, mutant)))
      return { path, source, mutants: tried }
    })
    .filter(({ path, mutants }) => sources.has(path) && mutants.length > 0)
    .toSorted((left, right) => left.path.localeCompare(right.path))
  const folders = Map.groupBy(files, ({ path }) => folderOf(path))
  const lines = ['| folder | seen |', '| --- | --- |']
  for (const [folder, inside] of folders) {
    lines.push(`| \`${folder}\` | ${scoreText(scoreOf(inside.flatMap(({ mutants }) => mutants)))} |`)
  }
  lines.push(`| all | ${scoreText(scoreOf(files.flatMap(({ mutants }) => mutants)))} |`)
  const notes = footnotes(report, sources, isWanted)
  if (notes.length > 0) lines.push('', ...notes)
  for (const { path, source, mutants } of files) {
    const unseen = mutants.filter(({ status }) => UNSEEN.includes(status))
    if (unseen.length === 0) continue
    lines.push('', `### \`${path}\`: ${scoreText(scoreOf(mutants))}`, '')
    const ordered = unseen.toSorted((left, right) => left.location.start.line - right.location.start.line)
    lines.push(...ordered.map((mutant) => `- ${mutantText(source, mutant)}`))
  }
  return lines
}
