import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { stringify } from 'yaml'
import { CHART } from '../../deploy/chart/plain-yaml.ts'
import type { Bed } from '../../testbed/bed.ts'
import { type RunResult, runToEnd } from '../../testbed/machine/run.ts'
import { field } from '../contract/api/field.ts'
import { HELM, shipped } from '../support/agent-chart.ts'
import { earlierChart } from '../support/earlier-chart.ts'
import type { RawApi } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'
import { KubeGround } from './kube-ground.ts'

const RELEASE = 'evenkeel-agent'
const NAMESPACE = 'evenkeel'
const OBJECTS = '/apis/evenkeel.dev/v1alpha1/namespaces/default/ingressdaemonsets'
const CRD = 'crd/ingressdaemonsets.evenkeel.dev'
const ON = ['--set', 'controller.enabled=true,ingress.enabled=true']

const WATCHED = [
  '/api/v1/namespaces/evenkeel/services',
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
]

interface WatchEvent {
  readonly type: string
  readonly object: { readonly metadata: { readonly name: string; readonly resourceVersion: string } }
}

/** Those of the chart 0.1.0. */
const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'evenkeel-agent-webhook', namespace: NAMESPACE },
  spec: { ports: [{ port: 443, targetPort: 9443 }] },
}
const asks = (failurePolicy: 'Ignore' | 'Fail'): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'evenkeel-ingress' },
  webhooks: [
    {
      name: 'ingress.evenkeel.dev',
      clientConfig: { service: { name: 'evenkeel-agent-webhook', namespace: NAMESPACE, path: '/review', port: 443 } },
      rules: [
        {
          apiGroups: ['evenkeel.dev'],
          apiVersions: ['v1alpha1'],
          resources: ['ingressdaemonsets'],
          operations: ['CREATE', 'UPDATE'],
        },
      ],
      failurePolicy,
      timeoutSeconds: 1,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
})

describe('the chart on a real API server', { ...requires('testbed', 'helm'), concurrency: 1 }, () => {
  const ground = new KubeGround()
  let bed: Bed
  let raw: RawApi

  before(async () => {
    ;({ bed, raw } = await ground.open())
    await bed.kubectl(['create', 'namespace', NAMESPACE])
  })
  after(() => ground.close())

  function tryHelm(...words: readonly string[]): Promise<RunResult> {
    const home = join(bed.dir, 'helm')
    mkdirSync(home, { recursive: true })
    const env = { KUBECONFIG: bed.kubeconfig, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home }
    return runToEnd([HELM, '-n', NAMESPACE, ...words], { env, limitMs: 120_000 })
  }
  async function helm(...words: readonly string[]): Promise<void> {
    const { code, stderr } = await tryHelm(...words)
    assert.equal(code, 0, `helm ${words.join(' ')}: ${stderr}`)
  }
  const uidOf = (what: string, ...words: readonly string[]): Promise<string> =>
    bed.kubectl(['get', what, '-o', 'jsonpath={.metadata.uid}', '--ignore-not-found', ...words])
  const uidsOfWorkloads = (): Promise<readonly string[]> =>
    Promise.all(
      [`daemonset/${RELEASE}`, `deployment/${RELEASE}-controller`].map((what) => uidOf(what, '-n', NAMESPACE)),
    )

  const versionOf = async (path: string): Promise<string> =>
    String(field((await raw('GET', path)).body, 'metadata.resourceVersion'))

  /** The version of the cluster when the object of ours was deleted: the API server counts one after the other. */
  async function deletedAt(path: string, since: string): Promise<number> {
    const lines = await bed.kubectl(['get', '--raw', `${path}?watch=1&resourceVersion=${since}&timeoutSeconds=2`])
    const events = lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as WatchEvent)
    const found = events.find(
      ({ type, object: { metadata } }) =>
        type === 'DELETED' && /^evenkeel-(ingress|agent-webhook)$/.test(metadata.name),
    )
    return Number(found?.object.metadata.resourceVersion)
  }

  test('takes a release of the chart evenkeel-agent 0.1.0 over: same objects, and the definition beside them', async () => {
    await helm('install', RELEASE, earlierChart(join(bed.dir, 'earlier-chart')), ...ON)
    const were = await uidsOfWorkloads()
    assert.equal(await uidOf(CRD), '')
    await helm('upgrade', RELEASE, CHART, '--reuse-values')
    assert.deepEqual(await uidsOfWorkloads(), were)
    assert.notEqual(await uidOf(CRD), '')
  })

  test('deletes no object when it is uninstalled, and goes on with the definition when it is installed again', async () => {
    await bed.established([CRD])
    await bed.apply([anIngressManifest('v1')])
    const object = await uidOf('ingressdaemonset/web')
    await helm('uninstall', RELEASE)
    assert.deepEqual(await uidsOfWorkloads(), ['', ''])
    assert.equal(await uidOf('ingressdaemonset/web'), object)
    await helm('install', RELEASE, CHART, ...ON)
    assert.equal(await uidOf('ingressdaemonset/web'), object)
  })

  test('refuses a definition that kubectl has applied and changes nothing, until it is told what to do with it', async () => {
    await helm('uninstall', RELEASE)
    await bed.kubectl(['delete', CRD, '--timeout=60s'])
    await bed.apply(shipped('crd/ingressdaemonsets.evenkeel.dev.yaml'))
    const { code, stderr } = await tryHelm('install', RELEASE, CHART, ...ON)
    assert.equal(code, 1)
    assert.match(stderr, /invalid ownership metadata/)
    assert.deepEqual(await uidsOfWorkloads(), ['', ''])
    const there = await uidOf(CRD)
    await helm('upgrade', '--install', RELEASE, CHART, ...ON, '--set', 'crds.install=false')
    await helm('upgrade', RELEASE, CHART, ...ON, '--take-ownership')
    assert.equal(await uidOf(CRD), there)
    await helm('upgrade', RELEASE, CHART, ...ON)
  })

  test('in its plain YAML is taken as well', async () => {
    await helm('uninstall', RELEASE)
    const taken = await bed.kubectl(['apply', '--dry-run=server', '-o', 'name', '-f', '-'], {
      stdin: shipped('evenkeel.yaml'),
    })
    assert.match(taken, /^clusterrole\.rbac\.authorization\.k8s\.io\/evenkeel-agent-controller-ingress$/m)
  })

  test('with Rolls and the rebooter is taken, its Rolls are explained field by field, and one with too long a name is refused', async () => {
    await tryHelm('uninstall', RELEASE)
    const rolls = ['--set', 'controller.enabled=true,rolls.enabled=true,rebooter.enabled=true']
    await helm('upgrade', '--install', RELEASE, CHART, ...rolls)
    await bed.established(['crd/rolls.evenkeel.dev', 'crd/rollschedules.evenkeel.dev'])
    const explained = await bed.kubectl(['explain', 'roll.spec'])
    for (const name of ['paused', 'approved', 'balancers', 'probes', 'soak'])
      assert.match(explained, new RegExp(`^ {2}${name}\\b`, 'm'))
    const roll = (name: string): object => ({
      apiVersion: 'evenkeel.dev/v1alpha1',
      kind: 'Roll',
      metadata: { namespace: NAMESPACE, name },
      spec: { nodes: { all: true } },
    })
    await bed.apply([roll('a'.repeat(40))])
    await assert.rejects(bed.apply([roll('a'.repeat(41))]), /metadata\.name.*longer than 40 characters/s)
    await helm('uninstall', RELEASE)
  })

  for (const failurePolicy of ['Ignore', 'Fail'] as const)
    test(`takes a release with a webhook that ${failurePolicy === 'Fail' ? 'refuses' : 'passes'} what nothing answers for, and no write fails from then on`, async () => {
      await tryHelm('uninstall', RELEASE)
      const old = earlierChart(join(bed.dir, `webhook-chart-${failurePolicy}`))
      writeFileSync(
        join(old, 'templates/controller-webhook.yaml'),
        `${stringify(SERVICE)}---\n${stringify(asks(failurePolicy))}`,
      )
      const crds = ['--set', 'crds.install=false']
      await helm('install', RELEASE, old, ...ON, ...crds)
      const before = await Promise.all(WATCHED.map(versionOf))
      let isOver = false
      const writes: boolean[] = []
      const writing = (async () => {
        while (!isOver) {
          const { status } = await raw('POST', `${OBJECTS}?dryRun=All`, anIngressManifest('v1', {}, { name: 'other' }))
          writes.push(status === 201)
        }
      })()
      await helm('upgrade', RELEASE, CHART, '--reuse-values', ...crds)
      isOver = true
      await writing
      const [service = Number.NaN, configuration = Number.NaN] = await Promise.all(
        WATCHED.map((path, at) => deletedAt(path, before[at] ?? '')),
      )
      assert.ok(configuration < service, `configuration ${configuration}, Service ${service}`)
      const firstStored = writes.indexOf(true)
      assert.deepEqual([...new Set(writes.slice(firstStored))], [true])
      if (failurePolicy === 'Ignore') assert.equal(firstStored, 0)
      assert.equal(await uidOf('validatingwebhookconfiguration/evenkeel-ingress'), '')
    })
})
