import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { correctedExample } from '../support/ingress/ingress-examples.ts'
import { ApiFleet } from '../support/ingress-api/api-fleet.ts'
import { annotationOf, claimsOn, hostOf } from '../support/ingress-api/api-object.ts'
import { IngressApiGround } from '../support/ingress-api/ingress-api-ground.ts'
import { RolloutLaw } from '../support/ingress-api/rollout-law.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { writesOf } from '../support/roll-bed/audit.ts'

const ACCOUNT = 'system:serviceaccount:evenkeel:evenkeel-agent-controller'
const THEIRS = 'ingressdaemonsets.mumoshu.github.io'
const MARKS = {
  deployment: 'ingressdaemonsets.mumoshu.github.com/to-be-updated',
  node: 'node-detacher.variant.run/detached',
}
const ANSWERED = 'node-detacher.variant.run/detachment-timestamp'
/** So many renewals of the leader take some five seconds. */
const QUIET_RENEWALS = 12

interface Example {
  readonly metadata: object
  readonly spec: {
    readonly updateStrategy: { readonly rollingUpdate: Readonly<Record<string, object>> }
    readonly template: { readonly spec: { readonly containers: readonly object[] } }
  }
}

const [EXAMPLE] = correctedExample() as unknown as readonly [Example]
const [CONTAINER] = EXAMPLE.spec.template.spec.containers
const MARK_FIELDS = ['annotateDeploymentToDetach', 'annotateNodeToDetach', 'waitForDetachmentByAnnotatedTimestamp']

/** The example that is shipped, in that group, with graces of one second and that image. */
function example({ group, name, image, port }: { group: string; name: string; image: string; port: number }): object {
  const { rollingUpdate } = EXAMPLE.spec.updateStrategy
  const quick = MARK_FIELDS.map((field) => [field, { ...rollingUpdate[field], gracePeriodSeconds: 1 }])
  return {
    ...EXAMPLE,
    apiVersion: `${group}/v1alpha1`,
    metadata: { ...EXAMPLE.metadata, name, namespace: 'default' },
    spec: {
      ...EXAMPLE.spec,
      healthCheckNodePorts: [port],
      updateStrategy: { rollingUpdate: { ...rollingUpdate, ...Object.fromEntries(quick), attachGraceSeconds: 0 } },
      template: {
        ...EXAMPLE.spec.template,
        spec: { ...EXAMPLE.spec.template.spec, containers: [{ ...CONTAINER, image }] },
      },
    },
  }
}

describe('the groups of Even Keel and of the original on one real API server', requires('testbed', 'helm'), () => {
  let ground: IngressApiGround
  let law: RolloutLaw
  let nodes: readonly string[] = []
  let renewals = 0

  before(async () => {
    ground = await IngressApiGround.open('1')
    ground.history.onChange(({ kind, object }) => {
      if (kind === 'slots' && object.metadata.name === 'evenkeel-controller') renewals += 1
    })
    await ground.controller()
    ground.detacher(MARKS.node, ANSWERED)
    law = new RolloutLaw(ground, MARKS)
    await ground.bed.apply([
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'nginx-ingress-serviceaccount', namespace: 'default' },
      },
    ])
    nodes = ['edge-1', 'edge-2', 'edge-3']
    await ground.nodes(nodes, { 'ingress-controller-node': 'true' })
  })
  after(() => ground?.close())

  const fleet = (group: string, name: string): ApiFleet => new ApiFleet(ground, { name, nodes: 3, group, on: 'edge' })
  const setImage = (of: ApiFleet, image: string): Promise<number> =>
    of.change({ template: { spec: { containers: [{ ...CONTAINER, image }] } } })
  const ownWrites = (): readonly string[] =>
    writesOf(
      readFileSync(ground.bed.auditLog, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}')),
      ACCOUNT,
    ).filter((write) => !/ evenkeel-(controller|cordon-grants)$/.test(write))

  /** The leader renews its Lease so many times, and neither writes nor tries to write anything else. */
  async function untilQuiet(): Promise<void> {
    let last: readonly string[] = []
    const explain = (): string => last.join('\n')
    await waitFor({ what: 'no more writes', limitMs: 120_000, everyMs: 50, explain }, async () => {
      const before = ownWrites().length
      const until = renewals + QUIET_RENEWALS
      await ground.until('renewals of the Lease', () => renewals >= until)
      last = ownWrites().slice(before)
      return last.length === 0 || undefined
    })
  }

  test('take the corrected example, roll it out side by side under one budget, and come to rest', async () => {
    const [ours, theirs] = [fleet('evenkeel.dev', 'edge'), fleet(THEIRS, 'nginx-ingress')]
    await ground.mustAsk(
      'POST',
      ours.path,
      example({ group: 'evenkeel.dev', name: 'edge', image: 'web:1', port: 10_081 }),
    )
    await ground.mustAsk(
      'POST',
      theirs.path,
      example({ group: THEIRS, name: 'nginx-ingress', image: 'web:1', port: 10_080 }),
    )
    const both = [ours, theirs]
    for (const one of both) await one.rolledOut('web:1')
    for (const one of both) assert.deepEqual(one.pods().map(hostOf).toSorted(), [...nodes, ...nodes].toSorted())
    await untilQuiet()
    const since = Math.min(...(await Promise.all(both.map((one) => setImage(one, 'web:2')))))
    for (const one of both) await one.rolledOut('web:2')
    const { mostOut, early } = law.broken(since, both, 2)
    assert.deepEqual([mostOut.length, early], [1, []])
    assert.deepEqual([...new Set(ownersSince(since))].toSorted(), [
      'ingress/default.edge',
      'ingress/default.nginx-ingress@mumoshu',
    ])
    await untilQuiet()
    for (const one of both) assert.deepEqual(await law.leftOver(one), [])
    assert.deepEqual(ground.failures(), [])
  })

  function ownersSince(since: number): readonly string[] {
    const owners: string[] = []
    ground.history.replay(since, (_world, { kind, object }) => {
      if (kind === 'nodes') owners.push(...claimsOn(object))
    })
    return owners
  }

  atNight(
    'of two objects of one name the second is refused while the first is there, and takes nothing from it',
    {},
    async () => {
      const [ours, theirs] = [fleet('evenkeel.dev', 'same'), fleet(THEIRS, 'same')]
      await ground.mustAsk(
        'POST',
        ours.path,
        example({ group: 'evenkeel.dev', name: 'same', image: 'web:1', port: 10_082 }),
      )
      await ours.rolledOut('web:1')
      await ground.mustAsk('POST', theirs.path, example({ group: THEIRS, name: 'same', image: 'web:1', port: 10_083 }))
      await ground.until('it to say so', () =>
        /has an IngressDaemonSet default\/same as well/.test(JSON.stringify(theirs.object()?.status ?? {})),
      )
      await untilQuiet()
      const since = await setImage(ours, 'web:2')
      await ours.rolledOut('web:2')
      assert.deepEqual([theirs.pods(), theirs.deployments()], [[], []])
      assert.deepEqual(law.broken(since, [ours], 2).mostOut.length, 1)
      await untilQuiet()
      await ground.mustAsk('DELETE', `${ours.path}/same`)
      await theirs.rolledOut('web:1')
      assert.equal(theirs.pods().length, 6)
      for (const name of nodes) {
        const node = theirs.node(name)
        assert.ok(node !== undefined && annotationOf(node, 'evenkeel.dev/maintenance') === undefined)
      }
    },
  )
})
