import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgentsOfObjects } from '../../../src/controllers/ingress/agent-words.ts'
import type { FoundDeployment } from '../../../src/core/ingress/found.ts'
import { formatOp, OP_ANNOTATION, type Phase } from '../../../src/core/ingress/op.ts'
import { formatClaims, MAINTENANCE_ANNOTATION } from '../../../src/model/claims.ts'
import type { Node } from '../../../src/model/node.ts'
import type { Agents } from '../../../src/ports/agents.ts'
import { aClusterNode, anOp } from '../../support/ingress-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const OBJECT = 'uid-web'

type Told = Awaited<ReturnType<Agents['ask']>>

/** One node, and what its agent says. */
class Asking {
  readonly clock = new VirtualClock()
  told: Told = 'unheard'
  readonly #words = new AgentsOfObjects({ agents: { ask: async () => this.told }, clock: this.clock }).of(OBJECT);

  async in(phase: Phase, isClaimed: boolean) {
    const claim = { [MAINTENANCE_ANNOTATION]: formatClaims([{ owner: 'ingress/edge.web', id: 'op-1' }]) }
    const node: Node = aClusterNode('n1', { internalAddresses: ['10.0.0.1'], annotations: isClaimed ? claim : {} })
    const annotations = { 'evenkeel.dev/node': 'n1', [OP_ANNOTATION]: formatOp(anOp({ phase })) }
    const deployment = { controller: { uid: OBJECT }, annotations } as unknown as FoundDeployment
    await this.#words.ask([node], [deployment], new AbortController().signal)
    return this.#words.of('n1')
  }
}

const OUT = { acknowledged: ['op-1'], isUp: false }
const IN = { acknowledged: [], isUp: true }

test('a claim that is made once more is to be acknowledged once more', async () => {
  const asking = new Asking()
  asking.told = OUT
  assert.equal((await asking.in('Detaching', true)).acknowledged?.id, 'op-1')
  asking.told = IN
  assert.equal((await asking.in('Attaching', false)).released?.id, 'op-1')
  asking.told = 'unheard'
  assert.equal((await asking.in('Detaching', true)).acknowledged, undefined)
})
