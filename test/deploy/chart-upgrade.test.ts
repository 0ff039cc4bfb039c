import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readManifests, renderChart } from '../support/agent-chart.ts'
import { requires } from '../support/requires.ts'

/** What an API server refuses to change: selectors, and what a binding gives. A name that changes is another object. */
const FIXED_BY_OLD_CHART = [
  'ServiceAccount evenkeel/evenkeel-agent',
  'ServiceAccount evenkeel/evenkeel-agent-controller',
  'ClusterRole evenkeel-agent',
  'ClusterRole evenkeel-agent-controller',
  'ClusterRoleBinding evenkeel-agent gives ClusterRole evenkeel-agent',
  'ClusterRoleBinding evenkeel-agent-controller gives ClusterRole evenkeel-agent-controller',
  'Role default/evenkeel-agent-controller-events',
  'Role evenkeel/evenkeel-agent',
  'Role evenkeel/evenkeel-agent-controller',
  'Role evenkeel/evenkeel-agent-controller-grants',
  'RoleBinding default/evenkeel-agent-controller-events gives Role evenkeel-agent-controller-events',
  'RoleBinding evenkeel/evenkeel-agent gives Role evenkeel-agent',
  'RoleBinding evenkeel/evenkeel-agent-controller gives Role evenkeel-agent-controller',
  'RoleBinding evenkeel/evenkeel-agent-controller-grants gives Role evenkeel-agent-controller-grants',
  'DaemonSet evenkeel/evenkeel-agent selects agent of evenkeel, release evenkeel-agent',
  'Deployment evenkeel/evenkeel-agent-controller selects controller of evenkeel, release evenkeel-agent',
]

interface Selecting {
  readonly selector?: { readonly matchLabels: Readonly<Record<string, string>> }
}

describe('the chart', requires('helm'), () => {
  test('upgrades a release of the chart evenkeel-agent 0.1.0 without a change that the API server refuses', async () => {
    const fixed = readManifests((await renderChart('controller.enabled=true')).stdout).map((manifest) => {
      const { kind, metadata, roleRef } = manifest
      const { namespace, name } = metadata
      const { selector } = (manifest.spec ?? {}) as Selecting
      const line = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
      if (roleRef !== undefined) return `${line} gives ${roleRef.kind} ${roleRef.name}`
      if (selector === undefined) return line
      const { 'app.kubernetes.io/component': part, ...of } = selector.matchLabels
      assert.deepEqual(Object.keys(of), ['app.kubernetes.io/name', 'app.kubernetes.io/instance'])
      return `${line} selects ${part} of ${Object.values(of).join(', release ')}`
    })
    // What the old chart did not have is made, and refused by nothing.
    assert.deepEqual(
      FIXED_BY_OLD_CHART.filter((line) => !fixed.includes(line)),
      [],
    )
  })
})
