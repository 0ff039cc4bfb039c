import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalPlace } from '../../../src/roll/model/journal-place.ts'
import { userError } from '../../support/plain.ts'

test('a place of journals is a directory, or a namespace after configmaps:', () => {
  assert.deepEqual(journalPlace('configmaps:evenkeel'), { kind: 'configmaps', namespace: 'evenkeel' })
  for (const path of ['/var/lib/evenkeel', 'state', './configmaps:evenkeel', 'configmaps', 'ConfigMaps:x'])
    assert.deepEqual(journalPlace(path), { kind: 'directory', path })
  const refused = userError('usage.state-dir', /^--state-dir: .* is not the name of a namespace$/, /^write --state-dir/)
  for (const namespace of ['', 'Even', 'a/b', '../x', 'a.b', 'x'.repeat(64), 'a\u001b[2J'])
    assert.throws(() => journalPlace(`configmaps:${namespace}`), refused)
})
