import { globSync, readFileSync } from 'node:fs'
import { type Laws, lawsOf, type SourceFile } from './laws.ts'

const root = new URL('../..', import.meta.url).pathname

/** The laws of this repository. */
export const readLaws = (): Laws => lawsOf(filesOf('src/**/*.ts'), filesOf('test/**/*.test.ts'))

const filesOf = (pattern: string): readonly SourceFile[] =>
  globSync(pattern, { cwd: root })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }))
