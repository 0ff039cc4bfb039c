import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { formatClaims } from '../../../src/ground/model/claims.ts'
import type { FoundDeployment } from '../../../src/ground/model/owned/found-workload.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { formatOp } from '../../../src/ingress/decide/op.ts'
import { AgentsOfObjects } from '../../../src/ingress/run/agent-words.ts'
import { formatHealthOrder } from '../../../src/service/model/health-order.ts'
import type { Agents } from '../../../src/service/ports/agents.ts'
import { aClusterNode } from '../../support/ingress-world.ts'

const CLAIM = formatClaims([{ owner: 'ingress/edge.web', id: 'op-1' }])
const NEVER = new AbortController().signal

const nodeOf = (isClaimed: boolean, unschedulable = false) => {
  const annotations: Readonly<Record<string, string>> = isClaimed ? { 'evenkeel.dev/maintenance': CLAIM } : {}
  return aClusterNode('n1', { internalAddresses: ['10.0.0.1'], annotations, unschedulable })
}

function deploymentAt(phase: 'Detaching' | 'Attaching', by?: 'pods'): FoundDeployment {
  const op = { id: 'op-1', revision: 'r2', phase, t0: wallMs(0) }
  const order = { ports: [10_080], minReadyPods: 1, mark: { key: 'a', value: '' }, ...(by === undefined ? {} : { by }) }
  return {
    ...{ namespace: 'edge', name: 'web-1', uid: 'd', resourceVersion: '1', deleting: false, labels: {}, owners: [] },
    ...{ content: {}, replicas: 1, updated: 1, ready: 1, available: 1, isObserved: true },
    controller: { kind: 'IngressDaemonSet', name: 'web', uid: 'uid-web' },
    annotations: {
      'evenkeel.dev/node': 'n1',
      'evenkeel.dev/ingress-operation': formatOp(op),
      'evenkeel.dev/health-check': formatHealthOrder(order),
    },
  }
}

/** The agent of the node knows nothing yet of what the health port says, and the other way round. */
function wordsOf(heard: 'up' | 'out' | 'unheard') {
  const asked: string[] = []
  const agents: Agents = {
    ask: async (address) => {
      asked.push(`agent ${address}`)
      return { acknowledged: [], isUp: true }
    },
    check: async ({ address, port }) => {
      asked.push(`${address}:${port}`)
      return heard
    },
  }
  return { asked, words: new AgentsOfObjects({ agents, clock: systemClock }).of('uid-web') }
}

for (const [heard, isNoticed] of [
  ['up', false],
  ['unheard', false],
  ['out', true],
] as const) {
  test(`a node that leaves has left for its health checker where that answers so: ${heard}`, async () => {
    const { asked, words } = wordsOf(heard)
    await words.ask([nodeOf(true)], [deploymentAt('Detaching', 'pods')], NEVER)
    assert.deepEqual(asked, ['10.0.0.1:10080'])
    assert.equal(words.of('n1').acknowledged?.id, isNoticed ? 'op-1' : undefined)
  })
}

for (const [heard, isCordoned, isBack] of [
  ['up', false, true],
  ['out', false, false],
  ['out', true, true],
  ['unheard', false, false],
] as const) {
  test(`a node ${isCordoned ? 'that others have out ' : ''}is back where its health checker says ${heard}: ${isBack}`, async () => {
    const { words } = wordsOf(heard)
    await words.ask([nodeOf(false, isCordoned)], [deploymentAt('Attaching', 'pods')], NEVER)
    assert.equal(words.of('n1').released?.id, isBack ? 'op-1' : undefined)
  })
}

test('where agents answer the health ports they are asked, and no port', async () => {
  const { asked, words } = wordsOf('out')
  await words.ask([nodeOf(true)], [deploymentAt('Detaching')], NEVER)
  assert.deepEqual([asked, words.of('n1').acknowledged], [['agent 10.0.0.1'], undefined])
})
