import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBed } from '../../testbed/bed.ts'
import { kubeletSettings } from '../../testbed/rack/node-settings.ts'
import type { RackPlan } from '../../testbed/rack/plan.ts'
import { requires } from '../support/requires.ts'

const PLAN: RackPlan = {
  name: 'stacked',
  disk: '/nowhere',
  runtime: '/nowhere',
  programs: '/nowhere',
  nodes: ['n1', 'n2', 'n3', 'n4'],
  taints: [{ key: 'example.com/own', effect: 'NoSchedule' }],
  addons: true,
  fast: true,
  monitorGraceSeconds: 10,
  darkMs: 500,
}

const taintsOf = (plan: RackPlan, node: string): readonly string[] =>
  (kubeletSettings(plan, node) as { registerWithTaints: RackPlan['taints'] }).registerWithTaints.map(({ key }) => key)

test('a stacked control plane needs the nodes that keep the quorum of etcd', requires('testbed'), async () => {
  await assert.rejects(openBed({ nodes: 2, stacked: 'untainted' }), {
    message: 'a stacked control plane needs 3 nodes, and the bed has 2',
  })
  await assert.rejects(openBed({ controlPlaneOnly: true, stacked: 'untainted' }), /the bed has 0$/)
})

test('the first three nodes of a tainted control plane register with the taint of kubeadm', () => {
  const plane = 'node-role.kubernetes.io/control-plane'
  for (const node of ['n1', 'n2', 'n3'])
    assert.deepEqual(taintsOf({ ...PLAN, stacked: 'tainted' }, node), ['example.com/own', plane])
  assert.deepEqual(taintsOf({ ...PLAN, stacked: 'tainted' }, 'n4'), ['example.com/own'])
  assert.deepEqual(taintsOf({ ...PLAN, stacked: 'untainted' }, 'n1'), ['example.com/own'])
})
