import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { root } from '../support/repository-files.ts'
import { requires } from '../support/requires.ts'
import { ACCEPTED } from './haproxy/accepted.ts'
import { runSequence } from './haproxy/run-sequence.ts'

/** By day these; by night others, and many more. */
const { HAPROXY_SEED, HAPROXY_FROM = '0', HAPROXY_SEEDS = '20' } = process.env
const seeds =
  HAPROXY_SEED === undefined
    ? Array.from({ length: Number(HAPROXY_SEEDS) }, (_, at) => Number(HAPROXY_FROM) + at)
    : [Number(HAPROXY_SEED)]
/** A sequence mostly waits for checks. */
const AT_ONCE = 3 * availableParallelism()

test('HAProxy and the embedded one do the same', { ...requires('haproxy'), concurrency: AT_ONCE }, async (t) => {
  await Promise.all(seeds.map((seed) => t.test(`sequence ${seed}`, (inner) => runSequence(inner, seed))))
})

test('the page about the simulator has each difference that is accepted, and no other', () => {
  const page = readFileSync(`${root}docs/internals/simulator.md`, 'utf8')
  const section = page.split('\n### ').find((text) => text.startsWith('HAProxy\n')) ?? ''
  const items = section.split('\n## ')[0]?.split('\n- ').slice(1) ?? []
  const lines = items.map((item) => item.replaceAll(/\s+/g, ' '))
  assert.deepEqual(
    ACCEPTED.filter(({ line }) => !lines.some((item) => item.startsWith(line))).map(({ line }) => line),
    [],
  )
  assert.equal(lines.length, ACCEPTED.length)
})
