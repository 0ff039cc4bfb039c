import { readFileSync } from 'node:fs'
import { root } from './repository-files.ts'

/** The sample of output on a page, below the root of the repository, that contains that text. */
export function sampleOf(path: string, part: string): string {
  const page = readFileSync(`${root}${path}`, 'utf8')
  const samples = [...page.matchAll(/^```text\n(.*?)^```$/gms)].map(([, sample = '']) => sample)
  const found = samples.filter((sample) => sample.includes(part))
  if (found.length !== 1) throw new Error(`${found.length} samples of ${path} contain "${part}"`)
  return found[0] ?? ''
}

/**
 * Lines of a sample that were printed in no such form. Numbers, times, parts of names that are chosen at random, and the width
 * of columns do not count. `varies`: lines that a run need not have.
 */
export function unlikeLines(sample: string, printed: string, varies: RegExp): readonly string[] {
  const forms = new Set(printed.split('\n').map(formOf))
  return sample.split('\n').filter((line) => !varies.test(line) && !forms.has(formOf(line)))
}

const formOf = (line: string): string =>
  line
    .replaceAll(/-[0-9a-z]{8,10}(-[0-9a-z]{9,10})?-[0-9a-z]{4,5}\b/g, '-ID')
    .replaceAll(/\d\d:\d\d:\d\dZ/g, 'TIME')
    .replaceAll(/\d+ min( \d+ s)?|\d[\d.,:]*( m?s)?\b/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim()
