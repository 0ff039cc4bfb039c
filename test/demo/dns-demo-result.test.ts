import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DnsDemoRun, dnsDemoLines, isSound } from '../../src/demo/dns/dns-demo-result.ts'
import { PodWatch } from '../../src/demo/dns/pod-watch.ts'
import { diagnose } from '../../src/dns/decide/diagnosis/diagnose.ts'
import type { DnsCheck } from '../../src/dns/run/check-dns.ts'
import type { RepairOrBusy } from '../../src/dns/run/repair-alone.ts'
import { plainLine } from '../../src/ground/text/terminal/style.ts'
import { aPodOfDns, aScene, DEAD, SILENT } from '../dns/decide/a-scene.ts'
import { VirtualClock } from '../support/virtual-clock.ts'

function aRepair(scene = aScene({ pods: { a: SILENT } }), isCured = true): RepairOrBusy {
  const check = { scene, findings: diagnose(scene), verdict: 'bad' } as unknown as DnsCheck
  const sick = { pod: aPodOfDns('a'), code: 'UdpDead' } as const
  const outcome = isCured
    ? ({ kind: 'cured', after: check, tookMs: 2_000 } as const)
    : ({ kind: 'notCured', why: 'it is ill' } as const)
  return { check, decision: { kind: 'act', step: 'quarantine', sick, wanted: 2, guards: [] }, outcome }
}

/** Broken at 1 s, found at 5 s, touched at 6 s, well at 8 s; one query is sent each second until 20 s. */
function aRun(lostAt: readonly number[], repair = aRepair()): DnsDemoRun {
  const queries = Array.from({ length: 20 }, (_, at) => at * 1_000)
  return {
    cluster: { sick: { name: 'a', node: 'n-a' }, service: { address: '10.96.0.10', port: 53 } },
    queries: {
      tally: (fromMs = 0, toMs = Number.POSITIVE_INFINITY) => {
        const sent = queries.filter((at) => at >= fromMs && at < toMs)
        return { sent: sent.length, lost: sent.filter((at) => lostAt.includes(at)).length }
      },
      lastLostAtMs: () => lostAt.at(-1),
      stalledMs: 0,
      settled: async () => undefined,
      stop: async () => undefined,
    },
    watch: new PodWatch({ readPod: () => Promise.reject(new Error('it is not looked at')) }, new VirtualClock()),
    repair,
    brokenAtMs: 1_000,
    beganAtMs: 2_000,
    foundAtMs: 5_000,
    touchedAtMs: 6_000,
  }
}

test('it is sound where the dead pod was named and replaced, and no query was lost once DNS was well', () => {
  assert.equal(isSound(aRun([2_000, 7_000])), true)
  assert.equal(isSound(aRun([2_000, 9_000])), false)
  assert.equal(isSound(aRun([2_000], aRepair(undefined, false))), false)
  assert.equal(isSound(aRun([2_000], aRepair(aScene({ pods: { a: DEAD } })))), false)
  assert.equal(isSound(aRun([2_000], { busy: 'other' })), false)
})

test('what is printed are the queries of each time, and how long it took', () => {
  const lines = dnsDemoLines(aRun([2_000, 7_000]), 'evenkeel').map(plainLine)
  assert.deepEqual(lines.slice(0, 4), [
    'queries    sent  lost',
    'before        1     0',
    'while ill     7     2',
    'after        12     0',
  ])
  assert.equal(lines[6], 'found     UdpDead, pod a, 3 s after the check began')
  assert.equal(lines[7], 'cured     2 s after the pod was put in quarantine; queries were lost for 1 s of that')
})
