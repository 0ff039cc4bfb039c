import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { WorldError } from '../../src/ground/model/world-error.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import type { Bed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { restartsContract } from '../contract/api/restarts.ts'
import { httpClientDoor } from '../contract/doors/http-client-door.ts'
import { type Followed, followNodes } from '../ground/kube/opened.ts'
import { administrator } from '../support/administrator.ts'
import { requires } from '../support/requires.ts'
import { KubeGround } from './kube-ground.ts'

describe('an API server that goes away and comes back', requires('testbed'), () => {
  const ground = new KubeGround()
  const { signal } = ground
  let bed: Bed
  let cluster: Cluster
  let events: Followed['events']
  let view: Followed['view']
  let client: ReturnType<typeof httpClientDoor>

  const until = (what: string, holds: () => boolean) =>
    waitFor({ what, limitMs: 40_000, everyMs: 10 }, () => holds() || undefined)
  const broken = () => events.filter(({ type }) => type === 'broken').length
  const aNode = (name: string) => bed.apply([{ apiVersion: 'v1', kind: 'Node', metadata: { name } }])

  before(async () => {
    ;({ bed, cluster } = await ground.open())
    await aNode('n1')
    ;({ events, view } = followNodes({ cluster, signal }))
    await until('the list', () => view.has('n1'))
    const { server, tls } = administrator(bed.kubeconfig)
    client = httpClientDoor(server, tls)
  })
  after(async () => {
    client?.close()
    await ground.close()
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

  restartsContract(
    () => client.door,
    async () => {
      await bed.api.kill()
      await bed.api.start()
    },
  )

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
