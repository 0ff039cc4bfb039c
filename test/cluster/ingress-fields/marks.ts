import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFleet } from '../../support/ingress-api/api-fleet.ts'
import { annotationOf } from '../../support/ingress-api/api-object.ts'
import type { IngressApiGround } from '../../support/ingress-api/ingress-api-ground.ts'

/** The watch tells of two changes with delays that differ by less. */
const WATCH_MS = 400

/** What asks a node to leave, and what is waited for. */
export function fieldsOfMarks(ground: () => IngressApiGround): void {
  const marks = [
    ['annotateDeploymentToDetach', 'deployments', 'marks-deployment', 'soon'],
    ['annotateDeploymentToDetach', 'deployments', 'marks-deployment-bare', ''],
    ['annotateNodeToDetach', 'nodes', 'marks-node', 'true'],
    ['annotateNodeToDetach', 'nodes', 'marks-node-bare', ''],
  ] as const
  for (const [field, of, name, value] of marks) {
    const said = value === '' ? 'its key alone' : 'its key and value'
    test(`${field}: ${said} stand for the grace before a pod changes, and are gone when the node is back`, async () => {
      const fleet = await newFleet(ground(), name, 2)
      const key = `${name}.example/detach`
      const mark = { key, ...(value === '' ? {} : { value }), gracePeriodSeconds: 2 }
      await fleet.create('web:1', fleet.detaching({ [field]: mark }))
      const since = await fleet.changeImage('web:2')
      await fleet.rolledOut('web:2')
      for (const node of fleet.nodes) {
        const tookMs = fleet.markToPods(since, { node, of, key, value })
        assert.ok(tookMs >= 2_000 - WATCH_MS, `pods of ${node} changed ${tookMs} ms after the mark`)
        const marked = of === 'nodes' ? fleet.node(node) : fleet.deploymentOf(node)
        assert.ok(marked !== undefined)
        assert.equal(annotationOf(marked, key), undefined)
      }
    })
  }
}
