import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { requires } from '../support/requires.ts'
import { ACCEPTED } from './haproxy/accepted.ts'
import { runSequence } from './haproxy/run-sequence.ts'
import { assertListed } from './listed.ts'

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
  assertListed({ page: 'internals/simulator.md', section: 'HAProxy' }, ACCEPTED)
})
