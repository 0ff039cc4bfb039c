import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deploymentPatch } from '../../../src/ground/model/owned/difference.ts'
import { shortHash } from '../../../src/ground/model/owned/node-names.ts'
import type { OwnedObject } from '../../../src/ground/model/owned-object.ts'
import { wantedDeployment } from '../../../src/ingress/decide/deployment.ts'
import { wantedGate } from '../../../src/ingress/decide/drain-gate.ts'
import { identityOf, newIdentity } from '../../../src/ingress/decide/names.ts'
import { ownershipOf, sortDeployments } from '../../../src/ingress/decide/ownership.ts'
import { wantedRevision } from '../../../src/ingress/decide/revision.ts'
import type { IngressDaemonSet } from '../../../src/ingress/model/ingress-daemon-set.ts'
import { anIngress } from '../../support/ingress-objects.ts'
import { patched, served } from '../../support/served-object.ts'

const IDS = anIngress()
const FIRST = anIngress({}, { uid: 'uid-of-the-first' })
const ORDER = { revision: { number: 1, hash: 'kruagiged4' }, replicas: 2 }
const NODES = ['n1', 'n2', 'n3']
const identities = (ids: IngressDaemonSet, count = 0) => NODES.map((node) => newIdentity(ids, node, count))

const deploymentOf = (ids: IngressDaemonSet, node: string, count = 0): OwnedObject =>
  served('Deployment', wantedDeployment(ids, { ...ORDER, identity: newIdentity(ids, node, count) }))

/** As `kubectl delete --cascade=orphan` leaves it. */
function orphaned(found: OwnedObject): OwnedObject {
  const { controller: _, ...orphan } = found
  return { ...orphan, owners: [] }
}

const controlledBy = (found: OwnedObject, kind: string, name: string): OwnedObject => ({
  ...found,
  controller: { kind, name, uid: 'u' },
})

/** `ours n1; orphan n2; foreign n3 TEXT; surplus NAME`. */
function sorted(found: readonly OwnedObject[], ids = IDS): string {
  const { ours, surplus, orphans, taken } = sortDeployments(ids, found, identities(ids))
  return [
    ...[...ours]
      .toSorted()
      .map(([node, { name }]) => `ours ${node}${name === `front-${shortHash(node)}` ? '' : ` ${name}`}`),
    ...surplus.map(({ name }) => `surplus ${name}`),
    ...orphans.map(({ node }) => `orphan ${node}`),
    ...taken.map(({ node, kind, text }) => `${kind} ${node} ${text}`),
  ].join('; ')
}

const N1 = deploymentOf(IDS, 'n1')
const ORPHAN = orphaned(deploymentOf(FIRST, 'n1'))

const ROWS: readonly (readonly [what: string, found: readonly OwnedObject[], sorted: string])[] = [
  ['ours by UID', [N1, deploymentOf(IDS, 'n2')], 'ours n1; ours n2'],
  ['ours of a node that is gone', [deploymentOf(IDS, 'n9')], 'ours n9'],
  ['ours without any of its labels', [{ ...N1, labels: {} }], 'ours n1'],
  ['ours whose annotation was removed', [{ ...N1, annotations: {} }], 'ours n1'],
  [
    'ours from before a collision was counted',
    [deploymentOf(IDS, 'n1', 1)],
    `ours n1 ${deploymentOf(IDS, 'n1', 1).name}`,
  ],
  ['two of ours for one node', [deploymentOf(IDS, 'n1', 1), N1], `ours n1; surplus ${deploymentOf(IDS, 'n1', 1).name}`],
  [
    'two of ours for one node, of which one has the name of another node',
    [{ ...deploymentOf(IDS, 'n1'), name: deploymentOf(IDS, 'n2').name }, N1, deploymentOf(IDS, 'n2', 1)],
    `ours n1; ours n2 ${deploymentOf(IDS, 'n2', 1).name}; surplus ${deploymentOf(IDS, 'n2').name}`,
  ],
  ['ours that does not say for which node', [{ ...N1, name: 'front-x', annotations: {} }], 'surplus front-x'],
  [
    'what is not ours and has no name of ours',
    [controlledBy({ ...N1, name: 'web' }, 'A', 'b'), orphaned({ ...N1, name: 'x' })],
    '',
  ],
  ['an orphan of ours', [orphaned(N1)], 'orphan n1'],
  ['an orphan of an IngressDaemonSet that had our name', [ORPHAN], 'orphan n1'],
  [
    'an orphan of a node that has another',
    [ORPHAN, deploymentOf(IDS, 'n1', 1)],
    `ours n1 ${deploymentOf(IDS, 'n1', 1).name}`,
  ],
  [
    'an orphan that is being deleted',
    [{ ...ORPHAN, deleting: true }],
    'leaving n1 is being deleted, and has no controller',
  ],
  ['one of another controller', [controlledBy(N1, 'Shop', 'a')], 'foreign n1 is controlled by Shop a'],
  [
    'one of the IngressDaemonSet that had our name, whose owner is still named',
    [deploymentOf(FIRST, 'n1')],
    'foreign n1 is controlled by IngressDaemonSet front',
  ],
  [
    'one without a controller and without our labels',
    [{ ...ORPHAN, labels: { app: 'edge' } }],
    'foreign n1 has no controller, and not the label evenkeel.dev/ingress=front',
  ],
  [
    'an orphan of another node',
    [{ ...ORPHAN, annotations: { 'evenkeel.dev/node': 'n2' } }],
    'foreign n1 has no controller, and is for the node n2',
  ],
  [
    'an orphan that does not say for which node',
    [{ ...ORPHAN, annotations: {} }],
    'foreign n1 has no controller, and does not say for which node it is',
  ],
  [
    'an orphan that selects other pods too',
    [{ ...ORPHAN, content: { spec: { selector: { matchLabels: { app: 'edge' } } } } }],
    'foreign n1 has no controller, and may select pods that are not its own',
  ],
  [
    'an orphan that selects the pods of its node, of whichever IngressDaemonSet',
    [{ ...ORPHAN, content: { spec: { selector: { matchLabels: { 'evenkeel.dev/node': 'n1' } } } } }],
    'foreign n1 has no controller, and may select pods that are not its own',
  ],
  [
    'ours whose annotation was changed to that of a node that is gone',
    [{ ...N1, annotations: { 'evenkeel.dev/node': 'n9' } }],
    'ours n1',
  ],
  [
    'ours of a node whose hash is that of another',
    [{ ...deploymentOf(IDS, 'n9'), name: N1.name }],
    `ours n9 ${N1.name}; collision n1 is for the node n9, whose hash is the same`,
  ],
]

for (const [what, found, want] of ROWS) {
  test(`Deployments are sorted: ${what}`, () => assert.equal(sorted(found), want))
}

test('an IngressDaemonSet that is being deleted adopts nothing', () => {
  const ids = anIngress({}, { deleting: true })
  assert.equal(
    sorted([ORPHAN, deploymentOf(IDS, 'n2')], ids),
    'ours n2; foreign n1 has no controller, and front is being deleted',
  )
})

test('two nodes of one name are distinguished, whichever comes first', () => {
  const [long, other] = ['n'.repeat(64), 'm'.repeat(64)]
  const one = newIdentity(IDS, long)
  const same = { ...one, node: other }
  const found = served('Deployment', wantedDeployment(IDS, { ...ORDER, identity: one }))
  for (const both of [
    [one, same],
    [same, one],
  ]) {
    const { ours, taken } = sortDeployments(IDS, [found], both)
    assert.deepEqual([...ours.keys()], [long])
    assert.deepEqual(
      taken.map(({ node, kind }) => `${kind} ${node}`),
      [`collision ${other}`],
    )
  }
})

test('what was adopted is ours, with the pods that it has', () => {
  const identity = identityOf(ORPHAN, 'n1')
  const patch = deploymentPatch(ORPHAN, wantedDeployment(IDS, { ...ORDER, identity }), 'keep')
  const adopted = patched('Deployment', ORPHAN, patch ?? {})
  assert.equal(sorted([adopted]), 'ours n1')
  assert.deepEqual(adopted.content, ORPHAN.content)
  assert.equal(deploymentPatch(adopted, wantedDeployment(IDS, { ...ORDER, identity }), 'replace'), undefined)
})

test('gates and revisions belong by the same rule', () => {
  const gate = wantedGate(IDS, newIdentity(IDS, 'n1'), 'closed')
  const revision = wantedRevision(IDS, { number: 1, collisionCount: 0 })
  for (const [kind, wanted] of [
    ['PodDisruptionBudget', gate],
    ['ControllerRevision', revision],
  ] as const) {
    const found = served(kind, wanted)
    const { labels } = wanted.metadata
    assert.equal(ownershipOf(IDS, found, labels).kind, 'ours')
    assert.equal(ownershipOf(IDS, orphaned(found), labels).kind, 'orphan')
    assert.equal(ownershipOf(FIRST, orphaned(found), labels).kind, 'orphan')
    assert.equal(ownershipOf(FIRST, found, labels).kind, 'foreign')
    assert.equal(ownershipOf(IDS, { ...orphaned(found), labels: {} }, labels).kind, 'foreign')
  }
})

test('no Deployment is counted twice, and what another controls is never ours nor adopted', () => {
  const one = fc
    .record({
      ids: fc.constantFrom(IDS, FIRST),
      node: fc.constantFrom(...NODES, 'n9'),
      count: fc.nat(1),
      change: fc.constantFrom('none', 'orphaned', 'controlled', 'leaving', 'unlabelled'),
    })
    .map(({ ids, node, count, change }) => {
      const found = deploymentOf(ids, node, count)
      if (change === 'none') return found
      if (change === 'controlled') return controlledBy(found, 'Shop', 'a')
      const orphan = orphaned(found)
      return change === 'leaving'
        ? { ...orphan, deleting: true }
        : change === 'unlabelled'
          ? { ...orphan, labels: {} }
          : orphan
    })
  fc.assert(
    fc.property(fc.uniqueArray(one, { selector: ({ name }) => name }), (found) => {
      const { ours, surplus, orphans, taken } = sortDeployments(IDS, found, identities(IDS))
      const all = [...ours.values(), ...surplus, ...orphans.map(({ deployment }) => deployment), ...taken]
      assert.equal(new Set(all.map(({ name }) => name)).size, all.length)
      for (const { controller } of [...ours.values(), ...surplus]) assert.equal(controller?.uid, IDS.uid)
      for (const { deployment, node } of orphans) {
        assert.equal(deployment.controller, undefined)
        assert.ok(!ours.has(node))
      }
      assert.ok(taken.every(({ node }) => !ours.has(node)))
    }),
  )
})
