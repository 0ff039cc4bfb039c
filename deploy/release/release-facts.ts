import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }
import { run, runToEnd } from '../../testbed/machine/run.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What all artifacts of a release have in common. */
export interface ReleaseFacts {
  readonly version: string
  /** In full; a mark tells that the files differ from it. */
  readonly commit: string
  readonly isChanged: boolean
  readonly committedAt: string
}

export async function releaseFacts(): Promise<ReleaseFacts> {
  const git = (...words: readonly string[]) => runToEnd(['git', '-C', ROOT, ...words])
  const [head, changes] = await Promise.all([
    git('log', '-1', '--format=%H %cI'),
    git('status', '--porcelain', '--untracked-files=no'),
  ])
  if (head.code !== 0) throw new Error(`a release names its commit, but this is no clone: ${head.stderr.trim()}`)
  const [commit = '', committedAt = ''] = head.stdout.trim().split(' ')
  return { version: manifest.version, commit, isChanged: changes.stdout.trim() !== '', committedAt }
}

/** The bundle of `bin/build.ts`. Answers with the folders of the npm packages in it. */
export async function bundled(words: readonly string[]): Promise<readonly string[]> {
  const flag = '--disable-warning=ExperimentalWarning'
  return JSON.parse(await run([process.execPath, flag, `${ROOT}bin/build.ts`, '--list', ...words]))
}

/** Whether CHANGELOG.md tells what is in this version. */
export const hasChanges = (version: string): boolean =>
  readFileSync(`${ROOT}CHANGELOG.md`, 'utf8')
    .split('\n')
    .some((line) => line.startsWith(`## [${version}]`))
