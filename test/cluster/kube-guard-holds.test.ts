import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe } from 'node:test'
import { GuardApiGround } from '../support/guard-api/guard-api-ground.ts'
import { CONTROLLER_USER } from '../support/ingress-api/ingress-plane.ts'
import { requires } from '../support/requires.ts'
import { refusedRequests } from '../support/roll-bed/audit.ts'
import { holdsByHand } from './guard-holds/by-hand.ts'
import { kindsOfHolds, unknownHolds } from './guard-holds/kinds.ts'
import { refusedGuards } from './guard-holds/refusals.ts'

/** A right that an administrator gives for a hold, as docs/guard-holds.md shows. */
const RIGHT = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'evenkeel-hold-state', namespace: 'default' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'evenkeel-hold-state', namespace: 'default' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'evenkeel-hold-state' },
    subjects: [{ kind: 'ServiceAccount', name: 'evenkeel-agent-controller', namespace: 'evenkeel' }],
  },
]

/** Every hold of a NodeGuard, what persons write by hand, and what is refused. All of them at once. */
describe('NodeGuards on a real API server', { ...requires('testbed', 'helm'), concurrency: true }, () => {
  let opened: GuardApiGround | undefined
  const ground = (): GuardApiGround => {
    assert.ok(opened)
    return opened
  }

  before(async () => {
    // Room for every node here at once.
    opened = await GuardApiGround.open('40')
    await opened.bed.apply(RIGHT)
  })
  after(async () => {
    if (opened === undefined) return
    const lines = readFileSync(opened.bed.auditLog, 'utf8').split('\n')
    const failures = opened.failures()
    await opened.close()
    const asked = lines.filter((line) => line !== '')
    const refused = new Set(refusedRequests(asked, CONTROLLER_USER))
    assert.deepEqual(
      [failures, [...refused]],
      [[], ['get configmaps']],
      'the rights of the chart are enough but for one hold',
    )
  })

  kindsOfHolds(ground)
  unknownHolds(ground)
  refusedGuards(ground)
  holdsByHand(ground)
})
