import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePlan } from '../../../../src/roll/decide/plan/make-plan.ts'
import type { RebootNeed } from '../../../../src/roll/decide/plan/reboot-need.ts'
import { aNode, aPod, aSpec } from '../../../support/roll-world.ts'
import { planSnapshot } from '../plan-snapshot.ts'

const spec = aSpec({ nodes: { names: [], all: true, allowUnbalanced: true } })
const nodes = [aNode('n1'), aNode('n2'), aNode('n3')]
const NONE: RebootNeed = { kind: 'none', why: 'needs no reboot: no file' }
const NEEDED: RebootNeed = { kind: 'needed', why: 'the file is there' }
const NOT_KNOWN: RebootNeed = {
  kind: 'unknown',
  findings: [{ severity: 'error', code: 'RebootNeedUnknown', node: 'n2', text: 'not known' }],
}
const needs = (...of: readonly RebootNeed[]) => new Map(of.map((need, i) => [`n${i + 1}`, need]))
/** Would lose its data in a drain. */
const PODS = nodes.map(({ name }) => aPod(`cart-${name}`, name, { usesEmptyDir: true }))

test('a node that needs no reboot is skipped, and what stands against rolling it is no finding', () => {
  const plan = makePlan(planSnapshot({ spec, needs: needs(NEEDED, NONE, NEEDED) }, { nodes, pods: PODS }))
  assert.deepEqual(
    plan.nodes.map(({ node, needs: why }) => [node, why]),
    [
      ['n1', 'the file is there'],
      ['n3', 'the file is there'],
    ],
  )
  assert.deepEqual(plan.skipped, [{ node: 'n2', why: 'needs no reboot: no file' }])
  const ofPods = plan.findings.filter(({ code }) => code === 'PodEmptyDir').flatMap(({ pods = [] }) => pods)
  assert.deepEqual(ofPods, ['shop/cart-n1', 'shop/cart-n3'])
})

test('a node of which it is not known is planned, and fails the plan', () => {
  const plan = makePlan(planSnapshot({ spec, needs: needs(NONE, NOT_KNOWN, NONE) }, { nodes }))
  assert.deepEqual(
    plan.nodes.map(({ node }) => node),
    ['n2'],
  )
  assert.ok(plan.findings.some(({ code, severity }) => code === 'RebootNeedUnknown' && severity === 'error'))
})

test('where no node needs a reboot there is nothing to hold or block, and no error', () => {
  const bad = [...nodes.slice(0, 2), aNode('n3', { ready: 'False' })]
  const whole = makePlan(planSnapshot({ spec, needs: needs(NEEDED, NEEDED, NEEDED) }, { nodes: bad, pods: PODS }))
  assert.ok(whole.findings.length > 0)
  const plan = makePlan(planSnapshot({ spec, needs: needs(NONE, NONE, NONE) }, { nodes: bad, pods: PODS }))
  assert.deepEqual([plan.nodes, plan.findings, plan.skipped.length], [[], [], 3])
})

test('a right that is missing is an error also where no node needs a reboot', () => {
  const forbidden = [{ verb: 'patch', group: '', resource: 'nodes' }] as const
  const plan = makePlan(planSnapshot({ spec, forbidden, needs: needs(NONE, NONE, NONE) }, { nodes }))
  assert.deepEqual(
    plan.findings.map(({ code }) => code),
    ['Forbidden'],
  )
})
