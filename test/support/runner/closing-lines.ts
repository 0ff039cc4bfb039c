/** How one test file ended, or all files that share a process. */
export interface FileEnd {
  readonly file: string
  readonly passed: number
  readonly failed: number
  /** Why tests were left out, one for each of them. */
  readonly skips: readonly string[]
  /** Runs in which the judge was kept from measuring. */
  readonly voids: readonly string[]
  /** Each failed test with its error, in some lines. */
  readonly failures: readonly string[]
  /** It was ended at this limit. */
  readonly ranOutOfMs?: number
  readonly isGood: boolean
  readonly tookMs: number
}

interface RunTimes {
  readonly tookMs: number
  /** When each stage was over. Polite lanes may go on behind the last. */
  readonly stagesMs: readonly number[]
}

const SLOWEST = 12

/**
 * What a reader of nothing else has to know: what took longest, what was left out and why, what measured nothing, what
 * failed. The last line is `N passed, N failed, N skipped`.
 */
export function closingLines(ends: readonly FileEnd[], { tookMs, stagesMs }: RunTimes): readonly string[] {
  const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`
  const sum = (of: (end: FileEnd) => number): number => ends.reduce((total, end) => total + of(end), 0)
  const slowest = ends.toSorted((left, right) => right.tookMs - left.tookMs).slice(0, SLOWEST)
  const reasons = Map.groupBy(
    ends.flatMap(({ skips }) => skips),
    (reason) => reason,
  )
  return [
    `\n${seconds(tookMs)}, stages over after ${stagesMs.map(seconds).join(', ')}; slowest: ${slowest.map(({ file, tookMs: ms }) => `${shortName(file)} ${seconds(ms)}`).join(', ')}`,
    ...[...reasons].map(([reason, each]) => `skipped ${each.length}: ${reason}`),
    ...ends.flatMap(({ file, voids }) => voids.map((text) => `${file}: ${text}`)),
    ...ends.flatMap(({ file, ranOutOfMs }) =>
      ranOutOfMs === undefined ? [] : [`${file}: ended after its limit of ${seconds(ranOutOfMs)}`],
    ),
    ...ends
      .filter(({ isGood }) => !isGood)
      .flatMap(({ file, failures }) => [`FAILED ${file}`, ...failures.map(indented)]),
    `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed, ${sum(({ skips }) => skips.length)} skipped`,
  ]
}

const indented = (text: string): string => text.replaceAll(/^/gm, '  ')

const shortName = (file: string): string => file.replace(/^test\//, '').replace(/\.test\.ts$/, '')
