import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { kubeKuredLocks } from '../../../src/roll/io/kube-kured-locks.ts'
import { DAEMON_SETS } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { EmbeddedApi } from '../../support/embedded-api.ts'

const never = new AbortController().signal
const KURED = { namespace: 'kube-system', name: 'kured' }
const KEY = 'weave.works/kured-node-lock'

interface Made {
  readonly container?: object
  readonly annotations?: Readonly<Record<string, string>>
}

class Ground extends EmbeddedApi {
  readonly locks = kubeKuredLocks(this.client())

  constructor({ container = {}, annotations = {} }: Made = {}) {
    super('kube-system')
    const containers = [{ name: 'kured', image: 'kured', ...container }]
    const spec = {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers } },
    }
    const body = { metadata: { name: 'kured', annotations }, spec }
    createObject(this.world, { resource: DAEMON_SETS, namespace: 'kube-system', body })
  }

  read = () => this.done(this.locks.read(KURED, never))

  /** Without that which the API server puts on every DaemonSet. */
  get annotations(): unknown {
    const { annotations = {} } = this.world.store.get(DAEMON_SETS, KURED)?.metadata ?? {}
    const { 'deprecated.daemonset.template.generation': _, ...others } = annotations
    return others
  }
}

test('the lock is written, read and removed, and other annotations stay', async () => {
  const ground = new Ground({ annotations: { owner: 'ops' } })
  const free = await ground.read()
  assert.ok(free)
  assert.deepEqual([free.namespace, free.name, free.lock, free.concurrency], ['kube-system', 'kured', undefined, 1])
  await ground.done(ground.locks.write(free, 'ours', never))
  const taken = await ground.read()
  assert.equal(taken?.lock, 'ours')
  await ground.done(ground.locks.write(taken, null, never))
  assert.deepEqual(ground.annotations, { owner: 'ops' })
})

for (const container of [
  { args: ['--lock-annotation=ops.example/lock'] },
  { args: ['--lock-annotation', 'ops.example/lock'] },
  { env: [{ name: 'KURED_LOCK_ANNOTATION', value: 'ops.example/lock' }] },
])
  test(`the lock is where kured looks for it: ${JSON.stringify(container)}`, async () => {
    const ground = new Ground({ container, annotations: { [KEY]: 'of nobody' } })
    const free = await ground.read()
    assert.ok(free)
    assert.equal(free.lock, undefined)
    await ground.done(ground.locks.write(free, 'ours', never))
    assert.deepEqual(ground.annotations, { [KEY]: 'of nobody', 'ops.example/lock': 'ours' })
    assert.equal((await ground.read())?.lock, 'ours')
  })

test('a DaemonSet that was written to since it was read is left alone', async () => {
  const ground = new Ground()
  const [first, second] = [await ground.read(), await ground.read()]
  assert.ok(first && second)
  await ground.done(ground.locks.write(first, 'theirs', never))
  await assert.rejects(
    ground.done(ground.locks.write(second, 'ours', never)),
    (error) => error instanceof WorldError && error.code === 'KUBE_CONFLICT',
  )
  assert.deepEqual(ground.annotations, { [KEY]: 'theirs' })
})

test('a DaemonSet that does not exist is absence', async () => {
  const ground = new Ground()
  assert.equal(await ground.done(ground.locks.read({ ...KURED, name: 'other' }, never)), undefined)
})

const CONCURRENCY: readonly (readonly [title: string, made: Made, concurrency: number])[] = [
  ['no flag', { container: { args: ['--period=5s'] } }, 1],
  ['an argument', { container: { args: ['--concurrency=3'] } }, 3],
  ['two words', { container: { args: ['--concurrency', '4'] } }, 4],
  ['a word of the command', { container: { command: ['/usr/bin/kured', '--concurrency=2'] } }, 2],
  ['a variable', { container: { env: [{ name: 'KURED_CONCURRENCY', value: '5' }] } }, 5],
  ['a variable that is read from elsewhere', { container: { env: [{ name: 'KURED_CONCURRENCY', valueFrom: {} }] } }, 1],
  ['what makes no sense', { container: { args: ['--concurrency=many', '--concurrency'] } }, 1],
  ['what kured wrote last', { annotations: { [KEY]: '{"maxOwners":2,"locks":[]}' } }, 2],
]

for (const [title, made, concurrency] of CONCURRENCY)
  test(`how many nodes kured reboots at the same time, by ${title}: ${concurrency}`, async () => {
    assert.equal((await new Ground(made).read())?.concurrency, concurrency)
  })
