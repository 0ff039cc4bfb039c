import assert from 'node:assert/strict'
import { test } from 'node:test'
import { INGRESS_FINALIZER } from '../../../src/ground/model/ingress-keys.ts'
import type { OwnedObject } from '../../../src/ground/model/owned-object.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import { decideObject } from '../../../src/ingress/decide/decide-object.ts'
import type { ObjectAction } from '../../../src/ingress/decide/housekeeping.ts'
import { templateHash, wantedRevision } from '../../../src/ingress/decide/revision.ts'
import { rollbackOf, rollbackPatch } from '../../../src/ingress/decide/rollback.ts'
import type { IngressDaemonSet } from '../../../src/ingress/model/ingress-daemon-set.ts'
import { shortIngressDecision } from '../../support/ingress-decision.ts'
import { anIngress, podsWith } from '../../support/ingress-objects.ts'
import { aNodeOf, aScene } from '../../support/ingress-world.ts'
import { served } from '../../support/served-object.ts'

const imageOf = (version: number) =>
  podsWith({ containers: [{ name: 'proxy', image: `example.com/proxy:${version}` }] })

/** At that version of its container; `to`: a rollback to that revision is asked for. */
function at(version: number, to?: number, spec: Readonly<Record<string, unknown>> = {}): IngressDaemonSet {
  const written = { selector: { matchLabels: { app: 'edge' } }, template: imageOf(version), ...spec }
  return anIngress(
    { template: imageOf(version) },
    {
      finalizers: [INGRESS_FINALIZER],
      ...(to === undefined ? {} : { rollbackTo: { revision: to, spec: { ...written, rollbackTo: { revision: to } } } }),
    },
  )
}

const revision = (version: number, number: number): OwnedObject =>
  served('ControllerRevision', wantedRevision(at(version), { number, collisionCount: 0 }))

/** Version 1 is revision 1, and so on; revision 2 is gone. */
const KEPT = [revision(1, 1), revision(3, 3), revision(4, 4)]

function decided(object: IngressDaemonSet, revisions: readonly OwnedObject[] = KEPT, rejected?: string): string {
  const back = rollbackOf(object, { revisions, rejected })
  const decision = decideObject({
    kind: 'seen',
    reading: {
      snapshot: {
        ...aScene([]),
        object,
        revisions: {
          desired: templateHash(object.spec),
          ...(rejected === undefined ? {} : { rejected: { revision: rejected, isLifted: true } }),
        },
        ...(back?.kind === 'refused' ? { rollbackRefused: back.reason } : {}),
      },
      deployments: { ours: new Map(), names: new Set(), surplus: [], orphans: [], taken: [] },
      gates: new Map(),
      otherGates: new Map(),
      revisions,
      revisionNames: new Set(revisions.map(({ name }) => name)),
    },
  })
  if (decision.kind === 'act') return decision.actions.map(shown).join('; ')
  const [reason] = decision.reasons
  return reason?.code === 'RollbackRefused' ? `refused: ${reason.text}` : decision.kind
}

function shown(action: ObjectAction): string {
  if (action.kind === 'rollBack')
    return action.template === undefined ? 'clear' : `template ${imageIn(action.template)}`
  if (action.kind === 'createRevision') return `create ${action.number}`
  return action.kind === 'renumberRevision' ? `${action.revision.content.revision} to ${action.number}` : action.kind
}

const imageIn = (template: object): string => JSON.stringify(template).match(/proxy:(\d+)/)?.[1] ?? 'none'

const ROWS: readonly (readonly [title: string, decision: string, expected: string])[] = [
  ['no rollback is asked for', decided(at(4)), 'settled'],
  ['an earlier revision: its template', decided(at(4, 1)), 'template 1'],
  ['the one before', decided(at(4, 3)), 'template 3'],
  ['the template of now: the request alone goes', decided(at(4, 4)), 'clear'],
  [
    'one that is not there: those that are are named',
    decided(at(4, 2)),
    'refused: front has no revision 2: it has revisions 1, 3 and 4',
  ],
  [
    'no other one is there',
    decided(at(4, 9), [revision(4, 4)]),
    'refused: front has no revision 9: it has revision 4 alone',
  ],
  ['a template that is not kept yet is kept first', decided(at(5, 1)), 'create 5'],
  ['a template that is used once more gets the highest number', decided(at(1)), '1 to 5'],
  ['a request goes by the number from before that', decided(at(1, 1)), 'clear'],
  [
    'one that failed before, and was left',
    decided(at(4, 3), KEPT, templateHash(at(3).spec)),
    'refused: revision 3 of front failed before, and is not rolled out again',
  ],
  [
    'one that holds something else than a template',
    decided(at(4, 2), [...KEPT, { ...revision(2, 2), content: { revision: 2, data: {} } }]),
    'refused: revision 2 of front cannot be read',
  ],
  [
    'one whose pods could not run beside each other as many as there are now',
    decided(at(4, 2, { podsPerNode: 2 }), [...KEPT, withHostPort(2)]),
    'refused: the template of revision 2 of front is not allowed beside the rest of the spec: spec.template.spec.containers: a container has a hostPort, and a second pod on the same node could not bind it (podsPerNode above 1, or maxSurgedPodsPerNode above 0)',
  ],
]

function withHostPort(number: number): OwnedObject {
  const template = podsWith({
    containers: [{ name: 'proxy', image: 'p:1', ports: [{ containerPort: 80, hostPort: 80 }] }],
  })
  return served('ControllerRevision', wantedRevision(anIngress({ template }), { number, collisionCount: 0 }))
}

for (const [title, decision, expected] of ROWS) {
  test(`a rollback by spec.rollbackTo: ${title}`, () => assert.equal(decision, expected))
}

test('a rollback replaces the whole template and removes the request in one write, of the very object that was read', () => {
  const back = rollbackOf(at(4, 1), { revisions: KEPT })
  assert.ok(back?.kind === 'done')
  assert.deepEqual(rollbackPatch(at(4, 1), back.to), [
    { op: 'test', path: '/metadata/resourceVersion', value: '1' },
    { op: 'add', path: '/spec/template', value: imageOf(1) },
    { op: 'add', path: '/spec/placement', value: 'Affinity' },
    { op: 'remove', path: '/spec/rollbackTo' },
  ])
  const same = rollbackOf(at(4, 4), { revisions: KEPT })
  assert.ok(same?.kind === 'done')
  assert.deepEqual(rollbackPatch(at(4, 4), same.to), [
    { op: 'test', path: '/metadata/resourceVersion', value: '1' },
    { op: 'remove', path: '/spec/rollbackTo' },
  ])
})

test('while a rollback is refused no further node begins an update, since the template of now is to be left', () => {
  const nodes = [aNodeOf('n1'), aNodeOf('n2', { deployment: { revision: 'r2' } })]
  const reason = { code: 'RollbackRefused', object: 'web', text: 'web has no revision 9' } as const
  assert.equal(shortIngressDecision(decideIngress(aScene(nodes))), 'n1 takeSlot 0')
  assert.equal(
    shortIngressDecision(decideIngress(aScene(nodes, { rollbackRefused: reason }))),
    'hold web RollbackRefused',
  )
})
