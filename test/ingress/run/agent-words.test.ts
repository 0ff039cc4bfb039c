import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatClaims, MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { INGRESS_LABEL } from '../../../src/ground/model/ingress-keys.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import type { FoundDeployment } from '../../../src/ground/model/owned/found-workload.ts'
import { formatOp, OP_ANNOTATION, type Phase } from '../../../src/ingress/decide/op.ts'
import { AgentsOfObjects } from '../../../src/ingress/run/agent-words.ts'
import { formatHealthOrder, HEALTH_ANNOTATION } from '../../../src/service/model/health-order.ts'
import type { Agents } from '../../../src/service/ports/agents.ts'
import { aClusterNode, anOp } from '../../support/ingress-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const OBJECT = 'uid-web'

type Told = Awaited<ReturnType<Agents['ask']>>

/** One node, and what its agent says. */
class Asking {
  readonly clock = new VirtualClock()
  word: Told = 'unheard'
  check: Awaited<ReturnType<Agents['check']>> | 'hangs' = 'unheard'
  ports: readonly number[] = []
  readonly #words = new AgentsOfObjects({
    agents: {
      ask: async () => this.word,
      check: async () => (this.check === 'hangs' ? new Promise(() => undefined) : this.check),
    },
    clock: this.clock,
  }).of(OBJECT);

  async in(phase: Phase, isClaimed: boolean) {
    const claim = { [MAINTENANCE_ANNOTATION]: formatClaims([{ owner: 'ingress/edge.web', id: 'op-1' }]) }
    const node: Node = aClusterNode('n1', { internalAddresses: ['10.0.0.1'], annotations: isClaimed ? claim : {} })
    const order = formatHealthOrder({ ports: this.ports, minReadyPods: 2, mark: { key: 'a/b', value: '' } })
    const annotations = {
      'evenkeel.dev/node': 'n1',
      [OP_ANNOTATION]: formatOp(anOp({ phase })),
      [HEALTH_ANNOTATION]: order,
    }
    const found = { namespace: 'edge', labels: { [INGRESS_LABEL]: 'web' }, annotations }
    const deployment = { controller: { uid: OBJECT }, ...found } as unknown as FoundDeployment
    await this.#words.ask([node], [deployment], new AbortController().signal)
    return this.#words.of('n1')
  }
}

const OUT = { acknowledged: ['op-1'], isUp: false }
const IN = { acknowledged: [], isUp: true }

test('a claim that is made once more is to be acknowledged once more', async () => {
  const asking = new Asking()
  asking.word = OUT
  assert.equal((await asking.in('Detaching', true)).acknowledged?.id, 'op-1')
  asking.word = IN
  assert.equal((await asking.in('Attaching', false)).released?.id, 'op-1')
  asking.word = 'unheard'
  assert.equal((await asking.in('Detaching', true)).acknowledged, undefined)
})

test('a node is not out while a health check of it passes, though its agent has acknowledged: another program holds the port', async () => {
  const asking = new Asking()
  asking.word = OUT
  asking.ports = [10_080]
  asking.check = 'up'
  assert.equal((await asking.in('Detaching', true)).acknowledged, undefined)
  for (const check of ['out', 'foreign', 'unheard', 'hangs'] as const) {
    const other = new Asking()
    Object.assign(other, { word: OUT, ports: [10_080], check })
    const heard = other.in('Detaching', true)
    await other.clock.advance(500)
    assert.equal((await heard).acknowledged?.id, 'op-1', check)
  }
})

const PORTS = [10_080, 10_081]
const web = { namespace: 'edge', name: 'web', isUp: true, ports: PORTS }

const BACK: readonly (readonly [title: string, told: Told, ports: readonly number[], isBack: boolean])[] = [
  ['an agent that answers for no object speaks for the node', IN, PORTS, true],
  ['it is up at all ports of the object', { ...IN, ingresses: [web] }, PORTS, true],
  ['it has one port more', { ...IN, ingresses: [web] }, [10_080], true],
  ['a port of the object is not open', { ...IN, ingresses: [{ ...web, ports: [10_080] }] }, PORTS, false],
  ['it is not up for the object', { ...IN, ingresses: [{ ...web, isUp: false }] }, PORTS, false],
  ['it has not heard of the object', { ...IN, ingresses: [] }, PORTS, false],
  ['it answers for another object of that name', { ...IN, ingresses: [{ ...web, namespace: 'shop' }] }, PORTS, false],
  ['the object has no port', { ...IN, ingresses: [] }, [], true],
  ['the node itself is not up', { ...IN, isUp: false, ingresses: [web] }, PORTS, false],
]

for (const [title, word, ports, isBack] of BACK)
  test(`a node is back once its agent says so at the health ports of the object as well: ${title}`, async () => {
    const asking = new Asking()
    asking.word = word
    asking.ports = ports
    assert.equal((await asking.in('Attaching', false)).released !== undefined, isBack)
  })

test('on the way back it is heard whose claims the agent keeps from a Node before this one, also while the node is claimed again', async () => {
  const asking = new Asking()
  const kept = (uid: string) => ({ ...OUT, kept: [{ owner: 'ingress/edge.web', uid }] })
  asking.word = kept('uid of the Node before')
  assert.deepEqual((await asking.in('Attaching', false)).keptFor, ['ingress/edge.web'])
  asking.word = 'unheard'
  assert.deepEqual((await asking.in('Attaching', true)).keptFor, ['ingress/edge.web'])
  asking.word = kept('uid-n1')
  assert.deepEqual(await asking.in('Attaching', true), {})
  asking.word = IN
  assert.equal((await asking.in('Attaching', false)).released?.id, 'op-1')
})
