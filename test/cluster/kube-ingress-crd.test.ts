import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { INGRESS_GROUPS, type IngressGroup } from '../../src/ground/model/ingress-keys.ts'
import { Untrusted } from '../../src/ground/model/untrusted.ts'
import { ingressKind } from '../../src/ingress/decide/ingress-kind.ts'
import { validateIngress } from '../../src/ingress/decide/validate.ts'
import type { IngressSpec } from '../../src/ingress/model/ingress-daemon-set.ts'
import type { Bed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { field } from '../contract/api/field.ts'
import { shipped } from '../support/agent-chart.ts'
import { correctedExample, originalExample } from '../support/ingress/ingress-examples.ts'
import { ingress, rolling } from '../support/ingress/ingress-row.ts'
import { INGRESS_ROWS } from '../support/ingress/ingress-rows.ts'
import type { RawApi, RawReply } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'
import { KubeGround } from './kube-ground.ts'

interface Cause {
  readonly field: string
  readonly message: string
}

/** What the schema says without a rule of ours: the API server has words for it. */
const OF_SHAPE = new Set(['wrongType', 'missingField', 'outOfBounds', 'notAChoice', 'twice', 'tooMany'])

describe('the CustomResourceDefinitions of a real API server', requires('testbed'), () => {
  const ground = new KubeGround()
  let bed: Bed
  let raw: RawApi

  const pathIn = (group: IngressGroup): string => `/apis/${group}/v1alpha1/namespaces/default/ingressdaemonsets`
  const asIn = (group: IngressGroup, object: object): object => ({ ...object, apiVersion: `${group}/v1alpha1` })
  const tryOut = (group: IngressGroup, object: object): Promise<RawReply> =>
    raw('POST', `${pathIn(group)}?dryRun=All`, asIn(group, object))
  const causesOf = ({ body }: RawReply): readonly Cause[] =>
    ((field(body, 'details.causes') ?? []) as readonly Cause[]).filter((cause) => cause.field !== '<nil>')

  before(async () => {
    ;({ bed, raw } = await ground.open())
    for (const group of INGRESS_GROUPS) {
      await bed.apply(shipped(`crd/ingressdaemonsets.${group}.yaml`))
      await bed.established([`crd/ingressdaemonsets.${group}`])
    }
  })
  after(() => ground.close())

  for (const group of INGRESS_GROUPS) {
    describe(`in ${group}`, () => {
      test('are taken as structural, with the names that they ask for', async () => {
        const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ingressdaemonsets.${group}`
        const conditions = field((await raw('GET', path)).body, 'status.conditions') as readonly unknown[]
        assert.deepEqual(
          conditions.map((condition) => [field(condition, 'type'), field(condition, 'status')]).toSorted(),
          [
            ['Established', 'True'],
            ['NamesAccepted', 'True'],
          ],
        )
      })

      test('are explained by kubectl', async () => {
        const explain = (name: string): Promise<string> =>
          bed.kubectl(['explain', `ingressdaemonsets.${name}`, `--api-version=${group}/v1alpha1`])
        // The API server publishes a new schema a moment after it serves the kind.
        const first = await waitFor({ what: 'the schema to be published', limitMs: 30_000, everyMs: 500 }, () =>
          explain('spec.podsPerNode').catch(() => undefined),
        )
        assert.match(first, /The number of pods on each node/)
        const strategy = await explain('spec.updateStrategy.rollingUpdate.detachTimeoutPolicy')
        assert.match(strategy, /ENUM:\s+Pause\s+Proceed\s+Abort/)
        assert.match(strategy, /Defaults\s+to\s+Pause/)
      })

      for (const { title, object } of INGRESS_ROWS) {
        const errors = validateIngress(object).filter(({ severity }) => severity === 'error')
        test(`${errors.length === 0 ? 'take' : 'refuse'} ${title}`, async () => {
          const reply = await tryOut(group, object)
          assert.equal(reply.status, errors.length === 0 ? 201 : 422, JSON.stringify(reply.body))
          const causes = causesOf(reply)
          for (const error of errors) {
            const said = OF_SHAPE.has(error.code) ? '' : `${error.text}: ${error.fix}`
            assert.ok(
              causes.some((cause) => cause.field === error.field && cause.message.includes(said)),
              `${error.field}: ${said}\n${JSON.stringify(causes, undefined, 2)}`,
            )
          }
          assert.deepEqual([...new Set(causes.map((cause) => cause.field))].toSorted(), fieldsOf(errors))
        })
      }

      test('refuse the example of the original for both of its contradictions', async () => {
        const reply = await tryOut(group, originalExample())
        assert.equal(reply.status, 422)
        const said = causesOf(reply).map((cause) => `${cause.field}: ${cause.message}`)
        for (const part of [/maxUnavailableNodes and maxDegradedNodes are both set/, /a hostPort that a second pod/])
          assert.ok(
            said.some((line) => part.test(line)),
            said.join('\n'),
          )
      })

      test('take the example that is shipped, with every field of it', async () => {
        const [example = {}, ...others] = correctedExample()
        const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [asIn(group, example), ...others] })
        await bed.kubectl(['apply', '--validate=strict', '--warnings-as-errors', '-f', '-'], { stdin })
      })

      test('fill in what the model fills in', async () => {
        for (const object of [
          ingress({}),
          rolling({}),
          rolling({ maxUnavailableNodes: 1, annotateNodeToDetach: { key: 'a' } }),
        ]) {
          const { status, body } = await tryOut(group, object)
          assert.equal(status, 201)
          assert.deepEqual(specOf(group, body), specOf(group, { ...object, metadata: field(body, 'metadata') }))
        }
      })

      test('say of a field that there is not that it does nothing, or refuse it where that is asked for', async () => {
        const stdin = JSON.stringify(asIn(group, ingress({ podPerNode: 2 }, 'unknown')))
        const create = (validate: string): Promise<string> =>
          bed.kubectl(['create', '--dry-run=server', `--validate=${validate}`, '--warnings-as-errors', '-f', '-'], {
            stdin,
          })
        await assert.rejects(create('warn'), /unknown field "spec\.podPerNode"/)
        await assert.rejects(create('strict'), /strict decoding error: unknown field "spec\.podPerNode"/)
      })

      test('leave a selector as it was', async () => {
        const selector = { matchLabels: { app: 'web' } }
        const made = async (name: string, spec: object): Promise<void> => {
          const reply = await raw('POST', pathIn(group), asIn(group, ingress({ ...spec }, name)))
          assert.equal(reply.status, 201, JSON.stringify(reply.body))
        }
        await made('selected', { selector })
        await made('unselected', {})
        const patched = (name: string, spec: object): Promise<RawReply> =>
          raw('PATCH', `${pathIn(group)}/${name}`, { spec })
        const labels = { app: 'web', tier: 'edge' }
        const template = { metadata: { labels } }
        for (const refused of [
          await patched('selected', { selector: { matchLabels: labels }, template }),
          await patched('selected', { selector: null }),
          await patched('unselected', { selector }),
        ]) {
          assert.equal(refused.status, 422)
          assert.deepEqual(
            causesOf(refused).map((cause) => cause.field),
            ['spec.selector'],
          )
        }
        assert.equal((await patched('selected', { podsPerNode: 2, template })).status, 200)
      })

      test('show how far it is', async () => {
        const status = {
          desiredNodes: 5,
          readyNodes: 4,
          updatedNodes: 2,
          detachedNodes: 1,
          stuckNodes: 0,
          updateRevision: 'shown-7c9',
          rollout: { startedAt: '2026-03-01T12:00:00Z', admitted: ['n1'] },
          nodes: [{ name: 'n1', state: 'Detaching', reason: 'GraceRuns', since: '2026-03-01T12:00:00Z' }],
          conditions: [
            {
              type: 'Ready',
              status: 'False',
              reason: 'Progressing',
              message: '2 of 5 nodes are updated',
              lastTransitionTime: '2026-03-01T12:00:00Z',
            },
          ],
        }
        const shown = asIn(group, ingress({ podsPerNode: 2 }, 'shown'))
        assert.equal((await raw('POST', pathIn(group), shown)).status, 201)
        const { body } = await raw('PATCH', `${pathIn(group)}/shown/status`, { status })
        assert.deepEqual(field(body, 'status'), status)
        const table = await bed.kubectl(['get', `ingressdaemonsets.${group}`, 'shown', '-o', 'wide'])
        const [heads, cells] = table
          .trim()
          .split('\n')
          .map((line) => line.trim().split(/\s+/))
        assert.deepEqual(
          heads,
          'NAME DESIRED READY UPDATED DETACHED STUCK AGE STATUS PODS/NODE REVISION IMAGES'.split(' '),
        )
        assert.deepEqual(
          cells?.filter((_, i) => heads?.[i] !== 'AGE'),
          'shown 5 4 2 1 0 Progressing 2 shown-7c9 web:1'.split(' '),
        )
      })
    })
  }
})

const fieldsOf = (errors: readonly { readonly field: string }[]): readonly string[] =>
  [...new Set(errors.map((error) => error.field))].toSorted()

/** As the controller reads it; the template is kept as it came, and is not compared. */
function specOf(group: IngressGroup, object: unknown): Omit<IngressSpec, 'template'> {
  const stored = { ...(object as object), metadata: { resourceVersion: '0', ...(field(object, 'metadata') as object) } }
  const { template: _, ...spec } = ingressKind(group).parse(new Untrusted(stored, 'object')).spec
  return spec
}
