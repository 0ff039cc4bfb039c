import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFleet } from '../../support/ingress-api/api-fleet.ts'
import {
  type ApiObject,
  annotationOf,
  hostOf,
  imageOf,
  isLeaving,
  isReady,
  operationOf,
} from '../../support/ingress-api/api-object.ts'
import type { IngressApiGround } from '../../support/ingress-api/ingress-api-ground.ts'
import { atNight } from '../../support/roll-bed/at-night.ts'

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
    const declare = value === '' ? atNight : test
    declare(
      `${field}: ${said} stand for the grace before a pod changes, and are gone when the node is back`,
      {},
      async () => {
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
      },
    )
  }

  atNight('annotateNodeToDetach: a mark that was there before keeps its value, and stays', {}, async () => {
    const fleet = await newFleet(ground(), 'marked-before', 2)
    const key = 'marked-before.example/detach'
    await ground().annotateNode('marked-before-1', { [key]: 'by hand' })
    const annotateNodeToDetach = { key, value: 'true', gracePeriodSeconds: 0 }
    const spec = fleet.detaching({ annotateNodeToDetach, maxUnavailableNodes: 2, minInServiceNodes: 0 })
    await ground().mustAsk('POST', fleet.path, fleet.manifest('web:1', spec))
    const allOf = (image: string) =>
      ground().until(`four pods of ${image}`, () => {
        const pods = fleet.pods().filter((pod) => imageOf(pod) === image && isReady(pod))
        const isQuiet = fleet.deployments().every((one) => operationOf(one) === undefined)
        return pods.length === 4 && fleet.pods().length === 4 && isQuiet
      })
    await allOf('web:1')
    const since = await fleet.changeImage('web:2')
    await allOf('web:2')
    await ground().until('the mark of the second node to go', () => {
      const node = fleet.node('marked-before-2')
      return node !== undefined && annotationOf(node, key) === undefined
    })
    const values = new Map<string, Set<string | undefined>>(fleet.nodes.map((name) => [name, new Set()]))
    fleet.replay(since, (_world, { kind, object }) => {
      if (kind === 'nodes') values.get(object.metadata.name)?.add(annotationOf(object, key))
    })
    assert.deepEqual(
      [...values.values()].map((seen) => [...seen]),
      [['by hand'], [undefined, 'true']],
    )
  })

  test('waitForDetachmentByAnnotatedTimestamp: pods change when the grace from a new timestamp on the Node is over, and no earlier', async () => {
    const fleet = await newFleet(ground(), 'acknowledged', 2)
    const [asked, answered] = ['acknowledged.example/detach', 'acknowledged.example/detached-at']
    const annotateNodeToDetach = { key: asked, value: 'true', gracePeriodSeconds: 0 }
    const waitForDetachmentByAnnotatedTimestamp = { key: answered, format: 'RFC3339', gracePeriodSeconds: 2 }
    await fleet.create('web:1', fleet.detaching({ annotateNodeToDetach, waitForDetachmentByAnnotatedTimestamp }))
    // Of an earlier cycle.
    const stale = '2026-01-01T00:00:00Z'
    for (const node of fleet.nodes) await ground().annotateNode(node, { [answered]: stale })
    const since = await fleet.changeImage('web:2')
    const message = () => JSON.stringify(fleet.object()?.status?.nodes)
    const said = (why: RegExp) => ground().until(`it to say that ${why}`, () => why.test(message()))
    await said(/is still the one from before the request/)
    const { name: node } = ground()
      .history.now('nodes')
      .find((one) => annotationOf(one, asked) !== undefined)?.metadata ?? { name: '' }
    assert.ok(fleet.nodes.includes(node))
    await ground().annotateNode(node, { [answered]: '2026-01-01T00:00:01Z' })
    await said(/is older than the request/)
    await ground().annotateNode(node, { [answered]: 'yes' })
    await said(/is no RFC 3339 time/)
    const deployment = fleet.deploymentOf(node)?.metadata
    await ground().annotateNode(node, { [answered]: null })
    await said(/is missing/)
    // Where the original looked for it, and no detacher writes it.
    await ground().mustAsk('PATCH', `/apis/apps/v1/namespaces/default/deployments/${deployment?.name}`, {
      metadata: { annotations: { [answered]: new Date().toISOString() } },
    })
    await ground().until('the Deployment to be seen', () => {
      const seen = fleet.deploymentOf(node)
      return seen !== undefined && annotationOf(seen, answered) !== undefined
    })
    assert.ok(fleet.pods().every((pod) => imageOf(pod) === 'web:1' && !isLeaving(pod)))
    const stamp = new Date().toISOString()
    ground().detacher(asked, answered)
    await fleet.rolledOut('web:2')
    for (const one of fleet.nodes) {
      const isNew = (object: ApiObject): boolean =>
        object.metadata.name === one && (annotationOf(object, answered) ?? stale) >= stamp
      const answeredAt = fleet.firstSeen(since, 'nodes', isNew)
      const left = fleet.firstSeen(since, 'pods', (pod) => hostOf(pod) === one && isLeaving(pod))
      const tookMs = (left ?? Number.NaN) - (answeredAt ?? Number.NaN)
      assert.ok(tookMs >= 2_000 - WATCH_MS, `pods of ${one} changed ${tookMs} ms after the timestamp`)
    }
    for (const one of fleet.nodes) assert.equal(annotationOf(fleet.node(one) ?? NOTHING, asked), undefined)
  })
}

const NOTHING = { metadata: { name: '', uid: '', resourceVersion: '' } }
