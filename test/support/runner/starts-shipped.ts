import { existsSync, readFileSync } from 'node:fs'
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
      // A test may write a program into a text, whose imports are not its own.
      if (imported.startsWith('test/') && existsSync(join(root, imported))) seen.add(imported)
    }
  }
  return false
}
