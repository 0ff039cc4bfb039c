import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { Untrusted } from '../model/untrusted.ts'

/**
 * The names of all contexts in these kubeconfigs. client-node's reader takes half a second to load, and refuses a file whose
 * current context cannot be used. Throws for a file that cannot be read.
 */
export function contextNames(paths: readonly string[]): readonly string[] {
  const names = paths.flatMap((path) => {
    const document = new Untrusted(parse(readFileSync(path, 'utf8')), path)
    return document
      .at('contexts')
      .each()
      .map((context) => context.at('name').textOr(''))
  })
  return [...new Set(names)].filter((name) => name !== '')
}
