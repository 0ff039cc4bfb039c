import { globSync } from 'node:fs'

export const root = new URL('../..', import.meta.url).pathname

/** What git ignores, and git itself, which need not be installed. */
const NOT_OURS = ['node_modules', 'dist', '.cache', '.git']

/** Paths from the root of every file of the repository with that ending. */
export const repositoryFiles = (ending: 'md' | 'ts'): readonly string[] =>
  globSync(`**/*.${ending}`, { cwd: root, exclude: (name) => NOT_OURS.includes(name) }).toSorted()
