import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { causesPage } from '../../src/dns/decide/causes-page.ts'

test('the page of findings is what the catalogue says', () => {
  const page = readFileSync(new URL('../../docs/dns-causes.md', import.meta.url), 'utf8')
  assert.ok(page === causesPage(), 'docs/dns-causes.md is old: npm run docs')
})
