import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { Untrusted } from '../../src/ground/model/untrusted.ts'
import { ROLL_SCHEDULES } from '../../src/operator/model/roll-schedule.ts'
import { scheduleFaults } from '../../src/operator/reading/schedule-times.ts'
import { loadRollFile } from '../../src/roll/file/load-roll-file.ts'
import { pages } from './pages.ts'

test('every roll file that a page shows is a valid roll', () => {
  const shown = pages().flatMap(({ path, text }) =>
    [...text.matchAll(/```yaml\n(.*?)```/gs)]
      .map(([, yaml = '']) => ({ file: path, text: yaml }))
      .filter((example) => /kind: Roll$/m.test(example.text)),
  )
  assert.ok(shown.length >= 2)
  for (const example of shown) assert.doesNotThrow(() => loadRollFile(example))
})

test('every RollSchedule that a page shows is right', () => {
  const shown = pages().flatMap(({ text }) =>
    [...text.matchAll(/```yaml\n(.*?)```/gs)]
      .map(([, yaml = '']) => yaml)
      .filter((yaml) => /kind: RollSchedule$/m.test(yaml)),
  )
  assert.ok(shown.length >= 1)
  for (const yaml of shown) {
    const { metadata, ...object } = parse(yaml) as { readonly metadata: object }
    const whole = { ...object, metadata: { ...metadata, uid: 'u', resourceVersion: '1' } }
    assert.deepEqual(scheduleFaults(ROLL_SCHEDULES.parse(new Untrusted(whole, 'object')), []), [])
  }
})
