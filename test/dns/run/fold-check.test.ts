import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsStatus } from '../../../src/dns/run/dns-metrics.ts'
import { type CheckOrTrouble, EMPTY_DNS_STATUS, foldCheck } from '../../../src/dns/run/fold-check.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { aPodOfDns, aReading, aScene, SILENT, STALE, V1 } from '../decide/a-scene.ts'
import { aCheck } from './a-check.ts'

const ONE_PLACE = { vantages: [V1] }
const WELL = aCheck(aScene({ change: ONE_PLACE }))
const SICK = aCheck(aScene({ pods: { b: SILENT }, change: ONE_PLACE }))
const AWAY: CheckOrTrouble = { trouble: 'the API server does not answer' }

/** One check after another, ten seconds apart. */
const after = (...checks: readonly CheckOrTrouble[]): DnsStatus =>
  checks.reduce((view, check, at) => foldCheck(view, check, wallMs(10_000 * (at + 1))), EMPTY_DNS_STATUS)

const pathTo = (view: DnsStatus, name: string) => view.paths.find(({ target }) => target.name === name)

test('checks and queries are counted, and a verdict is as old as the first check in a row that came to it', () => {
  const view = after(WELL, SICK, SICK, SICK)
  assert.deepEqual([view.checks, view.failures, view.queries], [4, 0, 160])
  assert.deepEqual([view.last?.verdict, view.last?.since, view.last?.at], ['bad', 20_000, 40_000])
})

test('a change says which findings came and which went', () => {
  const { changes } = after(WELL, WELL, SICK, SICK, WELL)
  const dead = { code: 'UdpDead', subject: { kind: 'pod', name: 'b' } }
  const healthy = { code: 'Healthy', subject: { kind: 'cluster', name: 'dns' } }
  assert.deepEqual(changes, [
    { at: 10_000, verdict: 'ok', came: [healthy], went: [] },
    { at: 30_000, verdict: 'bad', came: [dead], went: [healthy] },
    { at: 50_000, verdict: 'ok', came: [healthy], went: [dead] },
  ])
})

test('another pod that falls ill is a change, also where the verdict stays the same', () => {
  const pods = [aPodOfDns('a'), aPodOfDns('b'), aPodOfDns('c')]
  const one = aCheck(aScene({ pods: { b: SILENT }, change: { ...ONE_PLACE, pods } }))
  const two = aCheck(aScene({ pods: { b: SILENT, c: STALE }, change: { ...ONE_PLACE, pods } }))
  assert.deepEqual(
    after(one, two).changes.map(({ at, verdict, came }) => [at, verdict, came.map(({ code }) => code)]),
    [
      [10_000, 'bad', ['UdpDead']],
      [20_000, 'bad', ['DataStale']],
    ],
  )
})

test('a check that could not be made is unverified with its reason, and is no change as long as it lasts', () => {
  const view = after(WELL, AWAY, { trouble: 'the API server does not answer after 3 s' }, WELL)
  assert.deepEqual([view.checks, view.failures], [2, 2])
  assert.deepEqual(
    view.changes.map(({ at, verdict, trouble }) => [at, verdict, trouble]),
    [
      [10_000, 'ok', undefined],
      [20_000, 'unverified', 'the API server does not answer'],
      [40_000, 'ok', undefined],
    ],
  )
})

test('a check that could not be made keeps the paths, and claims nothing of them', () => {
  const view = after(SICK, AWAY)
  assert.equal(view.last?.trouble, 'the API server does not answer')
  assert.deepEqual(view.last?.findings, [])
  assert.deepEqual(
    [pathTo(view, 'b')?.now, pathTo(view, 'b')?.lost, pathTo(view, 'b')?.history],
    [undefined, 4, ['silent', 'unknown']],
  )
})

test('a path remembers its last 30 checks, each by its median or by what was wrong', () => {
  const loses = aCheck(aScene({ pods: { b: aReading({ udp: 'loses', asked: 7, lost: 3 }) }, change: ONE_PLACE }))
  const view = after(...Array.from({ length: 29 }, () => WELL), SICK, loses, WELL)
  const history = pathTo(view, 'b')?.history ?? []
  assert.equal(history.length, 30)
  assert.deepEqual(history.slice(-4), [1, 'silent', 'ill', 1])
  assert.deepEqual([pathTo(view, 'b')?.asked, pathTo(view, 'b')?.lost], [30 * 7 + 4 + 7, 7])
})

test('a pod that is gone is forgotten, and its successor begins anew', () => {
  const pods = [aPodOfDns('a'), aPodOfDns('c', { node: 'n-b' })]
  const view = after(SICK, aCheck(aScene({ change: { ...ONE_PLACE, pods } })))
  assert.equal(pathTo(view, 'b'), undefined)
  assert.deepEqual([pathTo(view, 'c')?.node, pathTo(view, 'c')?.history], ['n-b', [1]])
})

test('a cluster that changes for days is remembered by its last 20 changes', () => {
  const { changes } = after(...Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? WELL : SICK)))
  assert.deepEqual([changes.length, changes.at(-1)?.at], [20, 500_000])
})
