import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterGround } from './cluster-ground.ts'
import type { Change } from './cluster-log.ts'
import { condition, isGoing, isReady } from './pod-facts.ts'
import type { SeenScale } from './seen-objects.ts'

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const NAME = 'scaled'
const HASH = 'pod-template-hash'

const template = {
  metadata: { labels: { app: NAME, edition: 'first' } },
  spec: {
    containers: [
      {
        name: 'app',
        image: 'testbed.local/app:1',
        imagePullPolicy: 'Never',
        env: [{ name: 'STOP', value: 'immediate' }],
        ports: [{ containerPort: 8080 }],
        readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 },
      },
    ],
  },
}

const numbers = ({ status }: SeenScale): readonly unknown[] => [
  status.observedGeneration,
  status.replicas,
  status.updatedReplicas,
  status.readyReplicas,
  status.availableReplicas,
  status.unavailableReplicas,
]

/** A Deployment is made, scaled, rolled out and deleted. */
export function rolloutsContract(ground: () => ClusterGround): void {
  let from = 0
  const deployment = (): SeenScale | undefined => ground().log.named('deployment', NAME)
  const history = (): readonly Change<'deployment'>[] =>
    ground()
      .log.changes('deployment', from)
      .filter(({ object }) => object.metadata.name === NAME)
  const sets = (upToRevision?: number) =>
    ground()
      .log.all('replicaSet', upToRevision)
      .filter(({ metadata }) => metadata.labels?.app === NAME)
  const begin = async (): Promise<void> => {
    from = (await ground().now()).revision
  }
  const generation = async (count: number, replicas: number): Promise<void> => {
    await ground().until(`generation ${count} to be complete`, () => {
      const now = deployment()
      return (
        now?.status.observedGeneration === count &&
        now.status.updatedReplicas === replicas &&
        now.status.replicas === replicas &&
        now.status.availableReplicas === replicas &&
        condition(now, 'Progressing')?.reason === 'NewReplicaSetAvailable'
      )
    })
  }
  /** Until no controller has anything left to do. */
  const calm = (pods: number): Promise<void> =>
    ground().until(`${pods} pods of ${NAME}`, () => {
      const set = sets().find(({ spec }) => spec.replicas > 0)
      return (
        ground().pods(NAME).length === pods && !ground().pods(NAME).some(isGoing) && set?.status.readyReplicas === pods
      )
    })

  test('a Deployment makes a ReplicaSet, which makes pods, each under its owner and with one hash', async () => {
    await begin()
    await ground().create(DEPLOYMENTS, {
      metadata: { name: NAME },
      spec: { replicas: 2, selector: { matchLabels: { app: NAME } }, template },
    })
    await generation(1, 2)
    await calm(2)
    const [set, ...others] = sets()
    assert.ok(set)
    assert.deepEqual(others, [])
    const hash = set.metadata.labels?.[HASH] ?? ''
    assert.match(hash, /^[a-z0-9]+$/)
    assert.equal(set.metadata.name, `${NAME}-${hash}`)
    const [owner] = set.metadata.ownerReferences ?? []
    assert.deepEqual([owner?.kind, owner?.uid, owner?.controller], ['Deployment', deployment()?.metadata.uid, true])
    for (const { metadata } of ground().pods(NAME)) {
      assert.ok(metadata.name.startsWith(`${set.metadata.name}-`))
      assert.equal(metadata.labels?.[HASH], hash)
      const [owns] = metadata.ownerReferences ?? []
      assert.deepEqual([owns?.kind, owns?.uid, owns?.controller], ['ReplicaSet', set.metadata.uid, true])
    }
  })

  test('its status counts from nothing: replicas, then what is ready and available, what is not by being left out', () => {
    const [made] = history()
    assert.deepEqual([made?.type, made?.object.status], ['ADDED', {}])
    const set = ground()
      .log.changes('replicaSet', from)
      .find(({ type }) => type === 'ADDED')
    assert.ok(set && set.revision > (made?.revision ?? 0))
    assert.equal(set.object.status.replicas, 0)
    const counted = history().find(({ object }) => object.status.replicas === 2)
    assert.ok(counted && counted.revision > set.revision)
    assert.deepEqual(numbers(counted.object), [1, 2, 2, undefined, undefined, 2])
    assert.equal(condition(counted.object, 'Available')?.reason, 'MinimumReplicasUnavailable')
    const now = deployment()
    assert.ok(now)
    assert.deepEqual(numbers(now), [1, 2, 2, 2, 2, undefined])
    const { status, reason } = condition(now, 'Available') ?? {}
    assert.deepEqual([status, reason], ['True', 'MinimumReplicasAvailable'])
    const last = sets()[0]?.status
    assert.deepEqual(
      [last?.replicas, last?.fullyLabeledReplicas, last?.readyReplicas, last?.availableReplicas],
      [2, 2, 2, 2],
    )
  })

  test('scaled up, its status is of the old generation at first', async () => {
    await begin()
    await ground().patch(`${DEPLOYMENTS}/${NAME}`, { spec: { replicas: 4 } })
    await generation(2, 4)
    await calm(4)
    const [asked] = history()
    assert.ok(asked)
    assert.deepEqual([asked.object.metadata.generation, ...numbers(asked.object)], [2, 1, 2, 2, 2, 2, undefined])
    assert.ok(history().some(({ object }) => object.status.unavailableReplicas === 2))
    assert.equal(sets().length, 1)
  })

  test('scaled down, it counts without those that go, before they are gone', async () => {
    await begin()
    await ground().patch(`${DEPLOYMENTS}/${NAME}`, { spec: { replicas: 2 } })
    await generation(3, 2)
    await calm(2)
    const counted = history().find(({ object }) => object.status.replicas === 2)
    const pods = ground()
      .log.changes('pod', from)
      .filter(({ object }) => object.metadata.labels?.app === NAME)
    const going = pods.findLast(({ object, revision }) => isGoing(object) && revision < (counted?.revision ?? 0))
    const gone = pods.filter(({ type }) => type === 'DELETED')
    assert.equal(gone.length, 2)
    assert.ok(counted && going)
    assert.ok(gone.every(({ revision }) => revision > counted.revision))
    assert.deepEqual(numbers(counted.object), [3, 2, 2, 2, 2, undefined])
  })

  test('rolled out, it never has fewer available than wanted nor more than its surge allows', async () => {
    await begin()
    await ground().patch(`${DEPLOYMENTS}/${NAME}`, {
      spec: { template: { metadata: { labels: { edition: 'second' } } } },
    })
    await generation(4, 2)
    await calm(2)
    // The surge bounds what is wanted of all ReplicaSets together. Each of them is served by a worker of its own:
    // a new pod may come before the old pod that makes room for it has been deleted.
    for (const { revision } of ground().log.changes('replicaSet', from)) {
      const wanted = sets(revision).map(({ spec }) => spec.replicas)
      const sum = wanted.reduce((total, replicas) => total + replicas, 0)
      assert.ok(sum <= 3, `at revision ${revision} the ReplicaSets want ${wanted.join(' + ')} pods`)
    }
    for (const { revision } of ground().log.changes('pod', from)) {
      const ready = ground()
        .log.all('pod', revision)
        .filter((pod) => pod.metadata.labels?.app === NAME && !isGoing(pod) && isReady(pod))
      assert.ok(ready.length >= 2, `at revision ${revision} only ${ready.length} of the pods that stay are ready`)
    }
    const updated = history()
      .map(({ object }) => object.status)
      .filter(({ observedGeneration }) => observedGeneration === 4)
      .map(({ updatedReplicas = 0 }) => updatedReplicas)
    // A real controller that has heard of its new ReplicaSet's pod already leaves the nought out.
    assert.deepEqual([...new Set([0, ...updated])], [0, 1, 2])
    assert.deepEqual(
      updated,
      updated.toSorted((a, b) => a - b),
    )
    const [old, fresh] = sets().toSorted((a, b) => a.spec.replicas - b.spec.replicas)
    assert.ok(old && fresh && old.metadata.name !== fresh.metadata.name)
    assert.deepEqual([old.spec.replicas, old.status.replicas, fresh.spec.replicas], [0, 0, 2])
    const hashes = new Set(
      ground()
        .pods(NAME)
        .map(({ metadata }) => metadata.labels?.[HASH]),
    )
    assert.deepEqual([...hashes], [fresh.metadata.labels?.[HASH]])
  })

  test('deleted in the background, it is gone first, then its ReplicaSets, then its pods by their grace', async () => {
    await begin()
    const names = ground()
      .pods(NAME)
      .map(({ metadata }) => metadata.name)
    const { status } = await ground().ask('DELETE', `${DEPLOYMENTS}/${NAME}`, {
      body: { propagationPolicy: 'Background' },
    })
    assert.equal(status, 200)
    await ground().until('all of it to be gone', () => ground().pods(NAME).length === 0 && sets().length === 0)
    const { log } = ground()
    const [gone] = history().filter(({ type }) => type === 'DELETED')
    const setsGone = log.changes('replicaSet', from).filter(({ type }) => type === 'DELETED')
    assert.equal(setsGone.length, 2)
    assert.ok(gone && setsGone.every(({ revision }) => revision > gone.revision))
    for (const name of names) {
      const changes = log.changes('pod', from).filter(({ object }) => object.metadata.name === name)
      const [going] = changes
      assert.ok(going?.type === 'MODIFIED' && isGoing(going.object) && going.revision > gone.revision)
      assert.equal(going.object.metadata.deletionGracePeriodSeconds, 30)
      assert.equal(changes.at(-1)?.type, 'DELETED')
    }
  })
}
