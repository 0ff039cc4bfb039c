import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { asAsked } from '../../../src/service/actuators/agent/as-asked.ts'
import type { EndpointReading } from '../../../src/service/model/health-endpoint.ts'
import { ASKED, agents, anEndpoint } from '../../support/endpoint-world.ts'
import { aNode, anInstance, aServer } from '../../support/roll-world.ts'

/** Own state, and what traffic sees, of a node whose agent tells that. */
function states(endpoint: Partial<EndpointReading>, asks: boolean | string): readonly (string | undefined)[] {
  const [facts] = agents([anEndpoint('n1', endpoint)])
  assert.ok(facts)
  const annotated = typeof asks === 'string' ? { annotations: { [MAINTENANCE_ANNOTATION]: asks } } : asks ? ASKED : {}
  const [server] = asAsked(facts, (name) => aNode(name, annotated)).reading?.servers ?? []
  return [server?.ownState, server?.adminState]
}

test('what a node is told stands on its Node, whatever its agent says', () => {
  assert.deepEqual(states({ answer: 'up' }, false), ['ready', 'ready'])
  assert.deepEqual(states({ answer: 'up' }, true), ['drain', 'drain'])
  assert.deepEqual(states({ heard: false }, true), ['drain', 'drain'])
})

test('a request that makes no sense counts as a request; the word that withdrew a request does not', () => {
  assert.deepEqual(states({ answer: 'drain' }, 'until Monday'), ['drain', 'drain'])
  assert.deepEqual(states({ answer: 'up' }, 'withdrawn'), ['ready', 'ready'])
})

test('a node that its agent takes out for something else is out, and asked for nothing', () => {
  assert.deepEqual(states({ answer: 'drain' }, false), ['ready', 'drain'])
})

test('a node where no ingress answers was not taken out, unless a claim asks for that, too', () => {
  assert.deepEqual(states({ answer: 'down', onlyClosed: true }, false), ['ready', 'ready'])
  assert.deepEqual(states({ answer: 'down', onlyClosed: true }, true), ['drain', 'drain'])
  // A drain beyond its limit, an override, a machine that has just booted.
  assert.deepEqual(states({ answer: 'down' }, false), ['ready', 'drain'])
})

test('a balancer that is asked itself is as it said', () => {
  const facts = anInstance([aServer('n1', { adminState: 'maint' })])
  assert.equal(
    asAsked(facts, (name) => aNode(name, ASKED)),
    facts,
  )
})
