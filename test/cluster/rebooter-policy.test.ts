import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CHART } from '../../deploy/chart/plain-yaml.ts'
import type { Bed } from '../../testbed/bed.ts'
import { run } from '../../testbed/machine/run.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { HELM } from '../support/agent-chart.ts'
import type { RawApi } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'
import { KubeGround } from './kube-ground.ts'

/** The admission of a real API server hears of a policy in its own time. */
const IN_FORCE_WITHIN_MS = 30_000
const NODE = 'policy-1'
const REBOOTER = { 'impersonate-user': 'system:serviceaccount:evenkeel:evenkeel-agent-rebooter' }
/** As the API server knows a token of a pod on that node. */
const on = (node: string) => ({ ...REBOOTER, 'impersonate-extra-authentication.kubernetes.io%2fnode-name': node })

describe('what a rebooter may change, by the rights and the policy of the chart', requires('testbed', 'helm'), () => {
  const ground = new KubeGround()
  let bed: Bed
  let raw: RawApi

  /** What the API server says to that patch, where it refuses it. */
  async function refusalOf(status: object, as: Readonly<Record<string, string>>, more: object = {}) {
    const headers = { 'content-type': 'application/strategic-merge-patch+json', ...as }
    const reply = await raw('PATCH', `/api/v1/nodes/${NODE}/status`, { status, ...more }, headers)
    return reply.status === 200 ? undefined : JSON.stringify(reply.body)
  }
  const condition = (type: string) => ({ conditions: [{ type, status: 'True', reason: 'Ready', message: 'it waits' }] })

  before(async () => {
    ;({ bed, raw } = await ground.open())
    // As helm finds it on a cluster with such policies.
    const has = ['--api-versions', 'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy']
    const place = ['evenkeel-agent', CHART, '-n', 'evenkeel', '--set', 'rebooter.enabled=true']
    const chart = await run([HELM, 'template', ...place, ...has])
    const documents = chart
      .split(/^---$/m)
      .filter((text) => text.includes('-rebooter"') && !/NetworkPolicy|DaemonSet/.test(text))
    assert.equal(documents.length, 7)
    await bed.kubectl(['create', 'namespace', 'evenkeel'])
    await bed.apply(documents.join('\n---\n'))
    const made = await raw('POST', '/api/v1/nodes', { metadata: { name: NODE, labels: { team: 'a' } } })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.equal(await refusalOf({ capacity: { cpu: '2' }, ...condition('Ready') }, {}), undefined)
    const what = 'the policy to be in force'
    await waitFor({ what, limitMs: IN_FORCE_WITHIN_MS, everyMs: 200 }, async () => {
      const refusal = await refusalOf(condition('EvenKeelRebooter'), on('policy-2'))
      return refusal?.includes('its own Node alone') === true ? true : undefined
    })
  })
  after(() => ground.close())

  test('it writes its two conditions on its own Node', async () => {
    for (const type of ['EvenKeelRebooter', 'RebootRequired'])
      assert.equal(await refusalOf(condition(type), on(NODE)), undefined)
  })

  test('it writes nothing on a Node that has changed since it was read', async () => {
    const { body } = await raw('GET', `/api/v1/nodes/${NODE}`)
    const { resourceVersion } = (body as { readonly metadata: { readonly resourceVersion: string } }).metadata
    const own = { conditions: [{ ...condition('EvenKeelRebooter').conditions[0], reason: 'Asked' }] }
    assert.equal(await refusalOf(own, on(NODE), { metadata: { resourceVersion } }), undefined)
    const refusal = await refusalOf(condition('EvenKeelRebooter'), on(NODE), { metadata: { resourceVersion } })
    assert.match(refusal ?? 'it was done', /the object has been modified/)
  })

  test('it changes no other Node, no other condition, and nothing else of its Node', async () => {
    const own = condition('EvenKeelRebooter')
    for (const [status, flags, refusal, more] of [
      [own, on('policy-2'), /its own Node alone/],
      [own, REBOOTER, /its own Node alone/],
      [{ conditions: [{ type: 'Ready', status: 'False' }] }, on(NODE), /no condition but its own/],
      [{ conditions: [{ type: 'Ready', $patch: 'delete' }] }, on(NODE), /no condition but its own/],
      [{ capacity: { cpu: '64' } }, on(NODE), /does not change capacity/],
      [{ nodeInfo: { bootID: 'x' } }, on(NODE), /does not change nodeInfo/],
      [own, on(NODE), /does not change the labels/, { metadata: { labels: { team: 'b' } } }],
      [own, on(NODE), /does not change the annotations/, { metadata: { annotations: { 'evenkeel.dev/intent': 'x' } } }],
    ] as const)
      assert.match((await refusalOf(status, flags, more)) ?? 'it was done', refusal)
  })

  test('it alone is held to that', async () => {
    assert.equal(await refusalOf({ capacity: { cpu: '4' } }, {}), undefined)
  })
})
