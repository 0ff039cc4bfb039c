import assert from 'node:assert/strict'
import type { Job } from '../jobs/job.ts'
import { type CrashPlan, type CrashPoint, crashRun } from './crash-run.ts'

const CLEAN: CrashPlan = { crashes: [], word: 'resume', nodes: 2, rolled: ['n1'], polite: 'chosen' }
const OF_PODS = /^(?:PATCH|POST) \/api\/v1\/namespaces\/default\/pods\/whoami-/

/** A polite drain that is killed on either side of each write to a pod of the app. */
export async function politeCrashes(word: CrashPlan['word']): Promise<readonly Job[]> {
  const { effects, violations } = await crashRun(CLEAN)
  assert.deepEqual(violations, [])
  const writes = effects.flatMap((effect, i) => (OF_PODS.test(effect) ? [i] : []))
  assert.ok(writes.length >= 3, effects.join('\n'))
  const points = writes.flatMap((effect): readonly CrashPoint[] => [
    { effect, phase: 'before' },
    { effect, phase: 'after' },
  ])
  return points.map((point) => ({ kind: 'crash', plan: { ...CLEAN, word, crashes: [point] } }))
}
