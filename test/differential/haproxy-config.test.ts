import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aFolder } from '../ground/kube/opened.ts'
import { requires } from '../support/requires.ts'
import { compareConfig } from './haproxy-config/compare-config.ts'

/** By day these; by night others, and many more. */
const { HAPROXY_CONFIG_SEED, HAPROXY_CONFIG_FROM = '0', HAPROXY_CONFIG_SEEDS = '40' } = process.env
const seeds =
  HAPROXY_CONFIG_SEED === undefined
    ? Array.from({ length: Number(HAPROXY_CONFIG_SEEDS) }, (_, at) => Number(HAPROXY_CONFIG_FROM) + at)
    : [Number(HAPROXY_CONFIG_SEED)]

test('a haproxy.cfg is read as a HAProxy that runs by it has it', requires('haproxy'), async (t) => {
  const folder = await aFolder(t)
  let alike = 0
  for (const seed of seeds) {
    const compared = await compareConfig(seed, folder)
    if (compared === 'alike') alike += 1
    else if (compared !== 'refused by HAProxy')
      await t.test(`file ${seed}`, () => Promise.reject(new Error(compared.difference)))
  }
  t.diagnostic(`${alike} of ${seeds.length} files are taken by HAProxy, and read alike`)
  if (seeds.length > 1) assert.ok(alike > seeds.length / 4, 'HAProxy refuses too many files')
})
