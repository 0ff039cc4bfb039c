import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Node } from '../../src/model/node.ts'
import { WorldError } from '../../src/model/world-error.ts'
import type { Cluster, FollowEvent } from '../../src/ports/cluster.ts'
import { type Bed, openBed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { requires } from '../support/requires.ts'
import { openOnBed } from './open-on-bed.ts'

describe('an API server that goes away and comes back', requires('testbed'), () => {
  const stop = new AbortController()
  const { signal } = stop
  let bed: Bed
  let cluster: Cluster
  const events: FollowEvent<Node>[] = []
  const view = new Map<string, boolean>()

  const sink = (event: FollowEvent<Node>): void => {
    events.push(event)
    if (event.type === 'listed') view.clear()
    for (const node of event.type === 'listed' ? event.objects : []) view.set(node.name, node.unschedulable)
    if (event.type === 'applied') view.set(event.object.name, event.object.unschedulable)
    if (event.type === 'deleted') view.delete(event.object.name)
  }
  const until = (what: string, holds: () => boolean) =>
    waitFor({ what, limitMs: 40_000, everyMs: 10 }, () => holds() || undefined)
  const broken = () => events.filter(({ type }) => type === 'broken').length
  const aNode = (name: string) => bed.apply([{ apiVersion: 'v1', kind: 'Node', metadata: { name } }])

  before(async () => {
    bed = await openBed({ controlPlaneOnly: true })
    cluster = await openOnBed(bed.kubeconfig, signal)
    await aNode('n1')
    cluster.follow('nodes', sink, signal).catch(() => undefined)
    await until('the list', () => view.has('n1'))
  })
  after(async () => {
    stop.abort(new Error('the tests are over'))
    await bed?.close()
  })

  test('a watch goes on after the API server was killed and came back', async () => {
    await bed.api.kill()
    await until('a failure', () => broken() >= 2)
    await assert.rejects(cluster.readNode('n1', signal), { name: 'WorldError', code: 'KUBE_UNREACHABLE' })
    await bed.api.start()
    await bed.kubectl(['cordon', 'n1'])
    await until('the change', () => view.get('n1') === true)
  })

  test('a watch goes on after the API server was stopped in good order, and a deletion is seen', async () => {
    await aNode('n2')
    await until('the second node', () => view.has('n2'))
    await bed.api.stop()
    await bed.api.start()
    await bed.kubectl(['delete', 'node', 'n2'])
    await until('the deletion', () => !view.has('n2'))
    assert.ok(view.has('n1'))
  })

  test('reads and writes in an outage fail as world errors that may pass, and work again by themselves', async () => {
    const codes = new Set<string>()
    let over = false
    const outage = (async () => {
      await bed.api.kill()
      await bed.api.start()
      over = true
    })()
    while (!over) {
      await cluster.patchNode('n1', [], signal).catch((error: unknown) => {
        assert.ok(error instanceof WorldError, String(error))
        assert.equal(error.retry, 'backoff', error.message)
        codes.add(error.code)
      })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await outage
    assert.ok(codes.has('KUBE_UNREACHABLE'), [...codes].join())
    assert.equal((await cluster.readNode('n1', signal))?.name, 'n1')
  })
})
