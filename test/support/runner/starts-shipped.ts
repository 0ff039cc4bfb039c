import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const SHIPPED = 'test/support/shipped-program.ts'

/** Whether one of the files takes the shipped program, by itself or through other files of `test`. */
export function startsShipped(files: readonly string[], root: string): boolean {
  const seen = new Set(files)
  for (const file of seen) {
    if (file === SHIPPED) return true
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, path = ''] of text.matchAll(/(?:from|import) ?\(?'(\.{1,2}\/[^']+\.ts)'/g)) {
      const imported = join(dirname(file), path)
      if (imported.startsWith('test/')) seen.add(imported)
    }
  }
  return false
}
