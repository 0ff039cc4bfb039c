import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { rolloutActions } from '../../bin/rollout/rollout-actions.ts'
import { runProgram } from '../../src/cli/program.ts'
import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import { openApi } from '../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import type { Objects } from '../../src/ground/ports/objects.ts'
import { addRolloutCommand } from '../../src/ingress/cli/rollout-command.ts'
import { ingressKind } from '../../src/ingress/decide/ingress-kind.ts'
import { wantedRevision } from '../../src/ingress/decide/revision.ts'
import { rollbackOf, rollbackPatch } from '../../src/ingress/decide/rollback.ts'
import { REVISIONS } from '../../src/ingress/run/ingress-kinds.ts'
import { memoryContext } from '../cli/memory-context.ts'
import { field } from '../contract/api/field.ts'
import { shipped } from '../support/agent-chart.ts'
import { ingress } from '../support/ingress/ingress-row.ts'
import type { RawApi } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'
import { KubeGround } from './kube-ground.ts'

const GROUP = 'evenkeel.dev'
const KIND = ingressKind(GROUP)
const PATH = `/apis/${GROUP}/v1alpha1/namespaces/default/ingressdaemonsets`
const log = { debug: () => undefined, warn: () => undefined }

describe('the commands of a rollout on a real API server', requires('testbed'), () => {
  const ground = new KubeGround()
  let raw: RawApi
  let objects: Objects
  let kubeconfig = ''

  const web = async () => {
    const found = await objects.get({ kind: KIND, namespace: 'default', name: 'web' }, ground.signal)
    assert.ok(found !== undefined)
    return found
  }
  const keepRevision = async (number: number): Promise<void> => {
    const object = wantedRevision(await web(), { number, collisionCount: 0 })
    await objects.create({ kind: REVISIONS, namespace: 'default', object }, ground.signal)
  }
  const type = async (line: string) => {
    const { context } = memoryContext()
    const commands = [addRolloutCommand(async () => rolloutActions({ version: '0', env: {}, log }))]
    const words = ['rollout', ...line.split(' '), '--kubeconfig', kubeconfig]
    const code = await runProgram({ version: '0', context: { ...context, clock }, commands }, words)
    return { code, out: context.out.text, err: context.err.text }
  }

  before(async () => {
    const opened = await ground.open()
    raw = opened.raw
    kubeconfig = opened.bed.kubeconfig
    await opened.bed.apply(shipped(`crd/ingressdaemonsets.${GROUP}.yaml`))
    await opened.bed.established([`crd/ingressdaemonsets.${GROUP}`])
    const options = { kubeconfigPath: kubeconfig, context: undefined, env: {}, clock, random, log, userAgent: 'test' }
    objects = kubeObjects((await openApi(options, ground.signal)).parts)
    const made = await raw('POST', PATH, ingress({}))
    assert.equal(made.status, 201, JSON.stringify(made.body))
    await keepRevision(1)
    const template = { spec: { containers: [{ name: 'web', image: 'web:2' }] } }
    assert.equal((await raw('PATCH', `${PATH}/web`, { spec: { template } })).status, 200)
    await keepRevision(2)
  })
  after(() => ground.close())

  test('pause and resume write their field under the generation that they read', async () => {
    assert.equal((await type('pause ids/web')).code, 0)
    assert.equal((await web()).spec.rollout.paused, true)
    assert.match((await type('pause ids/web')).out, /paused already/)
    assert.equal((await type('resume ids/web')).code, 0)
    assert.equal((await web()).spec.rollout.paused, false)
  })

  test('undo asks by one field, which the schema takes, and the write of the controller replaces the template and removes it', async () => {
    assert.equal((await raw('PATCH', `${PATH}/web`, { spec: { rollbackTo: { revision: 0 } } })).status, 422)
    const { code, err } = await type('undo ids/web')
    assert.equal(code, 0, err)
    const asked = await web()
    assert.equal(asked.rollbackTo?.revision, 1)
    const revisions = await objects.list({ kind: REVISIONS, namespace: 'default' }, ground.signal)
    const back = rollbackOf(asked, { revisions })
    assert.ok(back?.kind === 'done', JSON.stringify(back))
    const at = { kind: KIND, namespace: 'default', name: 'web' }
    const stale = rollbackPatch({ ...asked, resourceVersion: '1' }, back.to)
    await assert.rejects(objects.patch({ ...at, patch: stale }, ground.signal), { code: 'KUBE_CONFLICT' })
    await objects.patch({ ...at, patch: rollbackPatch(asked, back.to) }, ground.signal)
    const { body } = await raw('GET', `${PATH}/web`)
    assert.equal(field(body, 'spec.rollbackTo'), undefined)
    assert.match(JSON.stringify(field(body, 'spec.template')), /"web:1"/)
    const history = JSON.parse((await type('history ids/web -o json')).out)
    assert.deepEqual(
      history.revisions.map((row: object) => [field(row, 'revision'), field(row, 'isWanted')]),
      [
        [1, true],
        [2, false],
      ],
    )
  })

  test('status says that no controller has seen the object, and that none runs', async () => {
    const { code, out } = await type('status ids/web --watch=false')
    assert.equal(code, 3)
    assert.match(out.replaceAll(/\s+/g, ' '), /has not seen it at all .*no Lease evenkeel\/evenkeel-controller/)
  })
})
