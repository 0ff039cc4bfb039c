import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentAnswerOf, parseAgentHealth } from '../../../../../src/service/actuators/agent/io/parse-agent-health.ts'

const page = (ingress?: unknown): string =>
  JSON.stringify({
    ...{ node: 'n1', answer: 'up', reasons: [], maintenance: { acknowledged: ['op-1'], kept: null } },
    ...{ brake: {}, dataPort: 'open', connections: 3, polls: [], ...(ingress === undefined ? {} : { ingress }) },
  })

const answer = (ingress?: unknown) => {
  const health = parseAgentHealth(page(ingress))
  assert.ok(health !== undefined)
  return agentAnswerOf(health)
}

const web = { namespace: 'edge', name: 'web', answer: 'up', ports: [{ port: 10_080, open: true }] }

test('a page without objects is that of an agent that answers for none', () => {
  for (const ingress of [undefined, null, 'x', {}])
    assert.deepEqual(answer(ingress), { acknowledged: ['op-1'], isUp: true })
})

test('of each object it is read whether it is up, and at which ports that are open', () => {
  const ports = [...web.ports, { port: 10_081, open: false }, { port: '1', open: true }, 7]
  assert.deepEqual(
    answer([
      { ...web, ports },
      { ...web, name: 'api', answer: 'drain' },
    ]).ingresses,
    [
      { namespace: 'edge', name: 'web', isUp: true, ports: [10_080] },
      { namespace: 'edge', name: 'api', isUp: false, ports: [10_080] },
    ],
  )
  assert.deepEqual(answer([7, null, { ...web, ports: {} }, { ...web, name: 4 }]).ingresses, [])
})

test('of the claims on the disk of the node it is read whose they are, and which Node object bore them', () => {
  const claims = [{ owner: 'roll/run-1', id: 'a', uid: 'u1' }, { owner: 7, uid: 'u1' }, { owner: 'person/x' }, null]
  const health = (kept: unknown): string =>
    JSON.stringify({ node: 'n1', answer: 'drain', maintenance: { acknowledged: [], kept }, polls: [] })
  assert.deepEqual(parseAgentHealth(health({ version: 2, uid: 'u1', claims }))?.kept, [
    { owner: 'roll/run-1', uid: 'u1' },
  ])
  for (const kept of [null, [], { claims: 'x' }, { claims: [] }])
    assert.equal(parseAgentHealth(health(kept))?.kept, undefined)
})
