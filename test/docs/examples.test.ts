import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRollFile } from '../../src/roll/file/load-roll-file.ts'
import { pages } from './pages.ts'

test('every roll file that a page shows is a valid roll', () => {
  const shown = pages().flatMap(({ path, text }) =>
    [...text.matchAll(/```yaml\n(.*?)```/gs)]
      .map(([, yaml = '']) => ({ file: path, text: yaml }))
      .filter((example) => example.text.includes('kind: Roll')),
  )
  assert.ok(shown.length >= 2)
  for (const example of shown) assert.doesNotThrow(() => loadRollFile(example))
})
