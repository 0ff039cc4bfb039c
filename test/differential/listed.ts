import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { root } from '../support/repository-files.ts'

interface Place {
  /** Below `docs`. */
  readonly page: string
  readonly section: string
}

/** Fails unless a section of a page has an item for each accepted difference, and no other item. */
export function assertListed({ page, section }: Place, accepted: readonly { readonly line: string }[]): void {
  const text =
    readFileSync(`${root}docs/${page}`, 'utf8')
      .split('\n### ')
      .find((each) => each.startsWith(`${section}\n`)) ?? ''
  const items = text.split('\n## ')[0]?.split('\n- ').slice(1) ?? []
  const lines = items.map((item) => item.replaceAll(/\s+/g, ' '))
  const missing = accepted.map(({ line }) => line).filter((line) => !lines.some((item) => item.startsWith(line)))
  assert.deepEqual(missing, [])
  assert.equal(lines.length, accepted.length)
}
