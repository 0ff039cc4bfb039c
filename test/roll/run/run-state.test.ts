import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { NodeResult } from '../../../src/roll/model/roll-event.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import { plannedEntry, runFromJournal } from '../../../src/roll/run/run-from-journal.ts'
import { chosenBy, giveVerdict, newRun, nodeEnded, type RunState, verdictFor } from '../../../src/roll/run/run-state.ts'
import { aSpec } from '../../support/roll-world.ts'
import { hostsSpec } from '../../support/two-hosts-run.ts'

const aRun = () => newRun({ spec: aSpec(), order: ['n1', 'n2'] }, { wall: wallMs(0), suffix: '1f0e' })
const machine = (host: string) => ({ host, pair: 'edge', instances: [host], bootId: host, addresses: [] })

test('a run has the machines that its plan rolls, and its journal keeps which ones', () => {
  const plan = { nodes: [], hosts: [{ ...machine('lb-2'), needs: 'a file is there' }], skipped: [] }
  const chosen = chosenBy(plan)
  assert.deepEqual(chosen.chosen?.needed, [{ node: 'lb-2', why: 'a file is there' }])
  const begun = (asked: ReturnType<typeof chosenBy>) => {
    const run = newRun({ spec: hostsSpec(), order: [], ...asked }, { wall: wallMs(0), suffix: '1f0e' })
    const planned = plannedEntry(run, { at: AT, clusterName: 'test' })
    const header = { type: 'journal', v: 1, at: AT, run: run.id, cluster: 'test', tool: 'test' } as const
    const { run: resumed, ended } = runFromJournal({ header, entries: [planned] })
    return [run.hosts?.order, resumed.hosts?.order, ended]
  }
  assert.deepEqual(begun(chosen), [['lb-2'], ['lb-2'], false])
  assert.deepEqual(begun(chosenBy({ ...plan, hosts: [] })), [[], [], true])
  assert.deepEqual(begun({}), [['lb-1', 'lb-2'], ['lb-1', 'lb-2'], false])
})

const AT = '2026-01-01T00:00:00.000Z'
const failed = (text: string): Verdict => ({
  kind: 'stopped',
  keepOut: false,
  reasons: [{ code: 'RequestsFailed', text }],
})

test('a verdict is journalled when it is given, when it gets worse, and when it has another reason, and not when its words grow', () => {
  const run = aRun()
  const noted: unknown[] = []
  const events = { note: (type: string, fields: object) => void noted.push({ type, ...fields }) }
  const given = (verdict: Verdict): number => {
    giveVerdict(run, { node: 'n1', verdict }, events)
    assert.equal(run.verdict, verdict)
    return noted.length
  }
  const gone: Reason = { code: 'NodeGone', text: 'n1 is gone' }
  assert.deepEqual(
    [
      given(failed('1 request failed')),
      given(failed('2 requests failed')),
      given({ ...failed('2 requests failed'), keepOut: true }),
      given({ kind: 'stopped', keepOut: true, reasons: [...failed('2 requests failed').reasons, gone] }),
    ],
    [1, 1, 2, 3],
  )
  assert.deepEqual(noted[0], { type: 'verdict', verdict: failed('1 request failed') })
})

test('a node that ended in service is through for the run, one that was put back unrolled for this process alone', () => {
  const run = aRun()
  const standing = { cordoned: false, detached: false, podsMoved: 0, failedRequests: 0, text: '' }
  const ends: readonly NodeResult[] = [
    { ...standing, node: 'n1', state: 'inService' },
    { ...standing, node: 'n2', state: 'restored' },
  ]
  for (const ended of ends) nodeEnded(run, ended)
  assert.deepEqual([run.done, run.settledHere], [['n1'], ['n1', 'n2']])
})

test('a node that was put back is begun anew: what earlier processes did to it before is over', () => {
  const before = { evicted: { 'uid-1': { name: 'shop/cart-a', stage: 2 } }, setOut: {} }
  const run: RunState = { ...aRun(), effectsBefore: { n1: before, n2: before } }
  nodeEnded(run, { node: 'n1', state: 'restored' })
  assert.deepEqual(run.effectsBefore, { n2: before })
})

test('a verdict that keeps one node out lets another node of the run go back', () => {
  const run = aRun()
  const events = { note: () => undefined }
  const lost: Verdict = { ...failed('n1 did not return'), keepOut: true }
  giveVerdict(run, { node: 'n1', verdict: lost }, events)
  assert.deepEqual([verdictFor(run, 'n1')?.keepOut, verdictFor(run, 'n2')?.keepOut], [true, false])
  giveVerdict(run, { node: 'n2', verdict: { ...lost, keepOut: false } }, events)
  assert.deepEqual([run.verdict?.keepOut, run.keepsOut], [true, ['n1']])
})
