import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import { nodeResult } from '../../../src/roll/decide/node-result.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { outsideFile } from '../../../src/roll/decide/resume/outside-file.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import { keepDetached } from '../../../src/service/decide/keep-detached.ts'
import { cordoned, out, settled, uncordoned, withPort } from '../../support/roll-stages.ts'
import { aNode, aRecord, aServer, aSnapshot, aSpec, detachedEvidence, NEW_BOOT } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const MAPPED = '::ffff:10.0.0.1'
const record = aRecord({ servers: aRecord().servers.map((server) => ({ ...server, address: MAPPED })) })
const moved = ['10.0.0.77']

test('a server that the balancer names by the mapped address is taken out before the reboot', () => {
  const servers = [aServer('n1', { address: MAPPED }), aServer('n2')]
  assert.equal(shortDecision(decide(aSnapshot({ ...cordoned, record, servers }))), 'act detach: setServer drain')
})

test('a server that is written another way now than when it was recorded is the same', () => {
  const servers = [aServer('n1', { address: '[::ffff:a00:1]' }), aServer('n2')]
  assert.equal(shortDecision(decide(aSnapshot({ ...cordoned, record, servers }))), 'act detach: setServer drain')
})

test('a node whose address is not the recorded one any more is not called detached: it is held', () => {
  const before = aSnapshot({ ...out, node: { unschedulable: true, internalAddresses: moved } })
  const decision = decide(before)
  assert.equal(shortDecision(decision), 'hold detach: ServerNotListed')
  assert.equal(decision.reasons[0]?.text, 'n1 no longer has the recorded address 10.0.0.1 of web/n1 on lb-1')
})

test('a node that came back with another address is not called in service, and its server gets no command', () => {
  const back = aSnapshot({ ...settled, node: { bootId: NEW_BOOT, internalAddresses: moved } })
  assert.equal(shortDecision(decide(withPort(back))), 'hold attach: ServerNotListed')
  assert.deepEqual(keepDetached(serviceOf(back)), [])
})

test('nor where another node has its address by now: what the run took out there is not forgotten', () => {
  for (const [stage, step] of [
    [{ ...out, node: { unschedulable: true, internalAddresses: moved } }, 'detach'],
    [{ ...settled, node: { bootId: NEW_BOOT, internalAddresses: moved } }, 'attach'],
  ] as const) {
    const s = aSnapshot({ ...stage, evidence: { ...stage.evidence, setOut: { 'web/n1 on lb-1': true } } })
    const cluster = { ...s.cluster, nodes: [...s.cluster.nodes, aNode('n7', { internalAddresses: ['10.0.0.1'] })] }
    const taken = {
      ...s,
      cluster,
      budget: { limit: { kind: 'count', count: 2 }, cordons: 'unknown', slots: [] },
    } as const
    assert.equal(shortDecision(decide({ ...taken, evidence: observe(taken) })), `hold ${step}: ServerNotListed`)
    assert.deepEqual(keepDetached(serviceOf(taken)), [])
  }
})

test('after the limit it stays out, with its record, and is told to be detached', () => {
  const evidence = { ...uncordoned.evidence, attachingSince: monoMs(700_000) }
  const back = aSnapshot({ ...settled, node: { bootId: NEW_BOOT, internalAddresses: moved }, evidence })
  const verdict = judge(back)
  assert.deepEqual([verdict?.keepOut, verdict?.reasons.map(({ code }) => code)], [true, ['NotUp', 'ServerNotListed']])
  assert.equal(nodeResult(back, 'attach', 0).text, 'rebooted, uncordoned, detached')
})

test('a new process does not find a node in its soak whose address is another', () => {
  const servers = record.servers.flatMap((server) => [server, { ...server, server: 'n1b', address: '10.0.0.77' }])
  const s = aSnapshot({
    node: { bootId: NEW_BOOT, internalAddresses: moved },
    record: aRecord({ servers }),
    servers: [aServer('n1'), aServer('n1b', { address: '10.0.0.77' }), aServer('n2')],
  })
  assert.equal(observe(s).attachingSince, undefined)
})

test('a run that puts a node back needs the balancer of a server that bears the mapped address', () => {
  const elsewhere = { ...record, servers: record.servers.map((server) => ({ ...server, instance: 'lb-2' })) }
  assert.equal(outsideFile([{ node: aNode('n1'), record: elsewhere }], aSpec()).length, 1)
})

test('a re-assertion reaches a server that bears the mapped address', () => {
  const s = aSnapshot({
    ...out,
    record,
    announced: true,
    servers: [aServer('n1', { address: MAPPED }), aServer('n2')],
    evidence: detachedEvidence(),
  })
  assert.equal(keepDetached(serviceOf(s)).length, 1)
})
