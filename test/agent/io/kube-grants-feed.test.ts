import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { kubeGrantsFeed } from '../../../src/agent/io/kube-grants-feed.ts'
import type { GrantsReading } from '../../../src/agent/ports/grants-feed.ts'
import { ApiClient } from '../../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import { ServiceAccount } from '../../../src/ground/kube/service-account.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { answering, FakeApiServer, status } from '../../ground/kube/fake-api-server.ts'
import { aFolder, serverUrl } from '../../ground/kube/opened.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const PATH = '/api/v1/namespaces/evenkeel/configmaps'
const NAME = 'evenkeel-cordon-grants'
const GRANTS = '{"version":1,"granted":["n1","n2"],"max":2,"of":4}'

/** What an agent hears of the brake, over real TLS. */
class Fed {
  readonly server = new FakeApiServer(PATH)
  readonly #events: FollowEvent<GrantsReading>[] = []
  readonly #clock = new VirtualClock()
  #version = 1_000

  static async of(t: TestContext, ...items: readonly unknown[]): Promise<Fed> {
    const fed = new Fed()
    fed.lists(...items)
    await fed.server.start()
    const directory = await aFolder(t)
    await writeFile(join(directory, 'ca.crt'), fed.server.authority.certificatePem)
    await writeFile(join(directory, 'token'), 'token')
    const stop = new AbortController()
    const over = new Error('the test is over')
    const log = { debug: () => undefined, warn: () => undefined }
    const clock = fed.#clock
    const credentials = new ServiceAccount({ server: new URL(serverUrl(fed.server)), directory })
    const client = new ApiClient({ credentials, clock, userAgent: 'evenkeel/test' })
    const parts = { client, reach: new ApiReach(clock), clock, random: new SeededRandom(1), log }
    const following = kubeGrantsFeed(parts, 'evenkeel').follow((event) => fed.#events.push(event), stop.signal)
    t.after(async () => {
      stop.abort(over)
      await assert.rejects(following, over)
      await fed.server.stop()
    })
    return fed
  }

  /** What the next list shows. */
  lists(...items: readonly unknown[]): void {
    this.server.putInTheWay('list', answering(200, { metadata: { resourceVersion: '900' }, items }), 1)
  }

  says(type: string, name: unknown, data?: unknown): void {
    this.#version += 1
    this.server.say({ type, object: aConfigMap(name, data, String(this.#version)) })
  }

  /** The last thing told but for proofs of life, once it is what is wanted. */
  async heard(wanted: string): Promise<void> {
    const last = (): string => textOf(this.#events.findLast(({ type }) => type !== 'fresh'))
    await waitFor({ what: wanted, limitMs: 10_000, everyMs: 1, explain: last }, async () => {
      await this.#clock.advance(50)
      return last() === wanted ? true : undefined
    })
  }

  /** And goes on to watch. */
  async tells(wanted: string): Promise<void> {
    await this.heard(wanted)
    const isOpen = async (): Promise<true | undefined> => {
      await this.#clock.advance(50)
      return this.server.watches === 1 ? true : undefined
    }
    await waitFor({ what: 'the watch to be open', limitMs: 10_000, everyMs: 1 }, isOpen)
  }
}

const aConfigMap = (name: unknown, data?: unknown, resourceVersion = '100'): unknown => ({
  metadata: { namespace: 'evenkeel', name, uid: 'uid', resourceVersion },
  data,
})

function textOf(event: FollowEvent<GrantsReading> | undefined): string {
  if (event === undefined) return 'nothing'
  if (event.type === 'broken') return `broken ${event.error.code}`
  if (event.type === 'fresh') return event.type
  const objects = event.type === 'listed' ? event.objects : [event.object]
  return [
    event.type,
    ...objects.map(({ grants }) => (grants === undefined ? 'senseless' : grants.granted.join())),
  ].join(' ')
}

test('one ConfigMap is asked for by its name, as its rights are given, and its grants are told on', async (t) => {
  const fed = await Fed.of(t, aConfigMap(NAME, { grants: GRANTS }))
  await fed.tells('listed n1,n2')
  fed.says('MODIFIED', NAME, { grants: GRANTS.replace('"n1",', '') })
  await fed.tells('applied n2')
  fed.says('DELETED', NAME, { grants: GRANTS })
  await fed.tells('deleted n1,n2')
  assert.deepEqual(
    [...new Set(fed.server.requests.map(({ path, query }) => `${path} ${query.get('fieldSelector')}`))],
    [`${PATH} metadata.name=${NAME}`],
  )
})

test('no such ConfigMap is reported as none, and other ConfigMaps of the namespace are ignored', async (t) => {
  const fed = await Fed.of(t, aConfigMap('kube-root-ca.crt', { 'ca.crt': 'x' }))
  await fed.tells('listed')
  fed.says('ADDED', 'kube-root-ca.crt', { grants: GRANTS })
  fed.says('ADDED', NAME, { grants: GRANTS })
  await fed.tells('applied n1,n2')
})

const SENSELESS: readonly (readonly [what: string, item: unknown])[] = [
  ['it has no data', aConfigMap(NAME)],
  ['it has another key', aConfigMap(NAME, { granted: GRANTS })],
  ['its grants are of another version', aConfigMap(NAME, { grants: GRANTS.replace('1', '2') })],
  ['its grants are cut off', aConfigMap(NAME, { grants: GRANTS.slice(0, -4) })],
  ['its grants are no text', aConfigMap(NAME, { grants: 7 })],
  ['its data are no map', aConfigMap(NAME, 'all')],
  ['its name is none', aConfigMap(7, { grants: GRANTS })],
  ['it is no object', 'all'],
]
for (const [what, item] of SENSELESS)
  test(`a ConfigMap that makes no sense is not taken for none: ${what}`, async (t) => {
    const fed = await Fed.of(t, item)
    await fed.tells('listed senseless')
  })

test('a ConfigMap that makes no sense and is then deleted is gone', async (t) => {
  const fed = await Fed.of(t, aConfigMap(NAME, 'all'))
  await fed.tells('listed senseless')
  fed.says('DELETED', NAME, 'all')
  await fed.heard('listed')
  // By what was said of it, and not by asking once more.
  assert.equal(fed.server.count('list'), 1)
})

test('a feed that may not list the ConfigMap says so', async (t) => {
  const fed = await Fed.of(t, aConfigMap(NAME, { grants: GRANTS }))
  await fed.tells('listed n1,n2')
  fed.server.putInTheWay('list', answering(403, status(403, 'forbidden')), 1_000)
  fed.server.compact()
  fed.server.say({ type: 'ERROR', object: status(410, 'too old') })
  await fed.heard('broken KUBE_FORBIDDEN')
})
