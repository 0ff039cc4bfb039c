import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { kubeNodeFeed } from '../../../src/agent/io/kube-node-feed.ts'
import { ApiClient } from '../../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import { ServiceAccount } from '../../../src/ground/kube/service-account.ts'
import type { NodeReading } from '../../../src/ground/model/node-reading.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { answering, FakeApiServer, status } from '../../ground/kube/fake-api-server.ts'
import { aFolder, serverUrl } from '../../ground/kube/opened.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

/** An agent's view of node n1 by its service account, over real TLS. */
class Fed {
  readonly server = new FakeApiServer()
  readonly events: FollowEvent<NodeReading>[] = []
  readonly #clock = new VirtualClock()
  #directory = ''

  static async of(t: TestContext): Promise<Fed> {
    const fed = new Fed()
    fed.server.tokens = ['first']
    await fed.server.start()
    fed.#directory = await aFolder(t)
    await writeFile(join(fed.#directory, 'ca.crt'), fed.server.authority.certificatePem)
    await fed.token('first')
    const stop = new AbortController()
    const over = new Error('the test is over')
    const log = { debug: () => undefined, warn: () => undefined }
    const clock = fed.#clock
    const account = new ServiceAccount({ server: new URL(serverUrl(fed.server)), directory: fed.#directory })
    const client = new ApiClient({ credentials: account, clock, userAgent: 'evenkeel/test' })
    const parts = { client, reach: new ApiReach(clock), clock, random: new SeededRandom(1), log }
    const following = kubeNodeFeed(parts, 'n1').follow((event) => fed.events.push(event), stop.signal)
    t.after(async () => {
      stop.abort(over)
      await assert.rejects(following, over)
      await fed.server.stop()
    })
    return fed
  }

  /** As the kubelet renews it. */
  token(text: string): Promise<void> {
    return writeFile(join(this.#directory, 'token'), `${text}\n`)
  }

  async watches(): Promise<void> {
    await waitFor({ what: 'the watch to be open', limitMs: 10_000, everyMs: 1 }, async () => {
      await this.#clock.advance(50)
      return this.server.watches === 1 ? true : undefined
    })
  }

  /** The last thing told but for proofs of life, once it is what is wanted. */
  async tells(wanted: string): Promise<void> {
    const last = (): string => textOf(this.events.findLast(({ type }) => type !== 'fresh'))
    await waitFor({ what: `${wanted} to be told`, limitMs: 10_000, everyMs: 1, explain: last }, async () => {
      await this.#clock.advance(50)
      return last() === wanted ? true : undefined
    })
  }
}

function textOf(event: FollowEvent<NodeReading> | undefined): string {
  if (event === undefined) return 'nothing'
  if (event.type === 'broken') return `broken ${event.error.code}`
  if (event.type === 'fresh') return event.type
  const facts = event.type === 'listed' ? event.objects : [event.object]
  return [event.type, ...facts.map(({ unschedulable }) => (unschedulable ? 'cordoned' : 'open'))].join(' ')
}

test('of all nodes that a server tells of, only its own are told on', async (t) => {
  const fed = await Fed.of(t)
  fed.server.apply('n2', { unschedulable: true })
  fed.server.apply('n1')
  fed.server.resetConnections()
  await fed.tells('listed open')
  fed.server.apply('n1', { unschedulable: true })
  await fed.tells('applied cordoned')
  fed.server.apply('n2')
  fed.server.delete('n1')
  await fed.tells('deleted open')
})

test('a token that was renewed is the one that the next request bears', async (t) => {
  const fed = await Fed.of(t)
  fed.server.apply('n1')
  await fed.tells('listed open')
  fed.server.tokens = ['second']
  await fed.token('second')
  fed.server.compact()
  fed.server.resetConnections()
  fed.server.apply('n1', { unschedulable: true })
  await fed.tells('listed cordoned')
})

test('a Node that makes no sense is bad news of the server, not of the node', async (t) => {
  const fed = await Fed.of(t)
  fed.server.apply('n1')
  await fed.tells('listed open')
  await fed.watches()
  const senseless = { metadata: { name: 'n1', uid: 7 }, spec: { taints: 'many' } }
  fed.server.say({
    type: 'MODIFIED',
    object: { ...senseless, metadata: { ...senseless.metadata, resourceVersion: '900' } },
  })
  await fed.tells('broken KUBE_REPLY')
  const page = { metadata: { resourceVersion: '901' }, items: [senseless] }
  fed.server.putInTheWay('list', answering(200, page), 1)
  await fed.watches()
  fed.server.compact()
  fed.server.say({ type: 'ERROR', object: status(410, 'too old') })
  fed.server.apply('n1', { unschedulable: true })
  await fed.tells('listed cordoned')
})
