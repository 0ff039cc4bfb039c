import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { CHART } from '../../deploy/chart/plain-yaml.ts'
import type { Bed } from '../../testbed/bed.ts'
import { type RunResult, runToEnd } from '../../testbed/machine/run.ts'
import { HELM, shipped } from '../support/agent-chart.ts'
import { earlierChart } from '../support/earlier-chart.ts'
import { requires } from '../support/requires.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'
import { KubeGround } from './kube-ground.ts'

const RELEASE = 'evenkeel-agent'
const NAMESPACE = 'evenkeel'
const CRD = 'crd/ingressdaemonsets.evenkeel.dev'
const ON = ['--set', 'controller.enabled=true,ingress.enabled=true']

describe('the chart on a real API server', { ...requires('testbed', 'helm'), concurrency: 1 }, () => {
  const ground = new KubeGround()
  let bed: Bed

  before(async () => {
    ;({ bed } = await ground.open())
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

  test('takes a release of the chart evenkeel-agent 0.1.0 over: same objects, and the definition beside them', async () => {
    await helm('install', RELEASE, earlierChart(join(bed.dir, 'earlier-chart')), ...ON)
    const were = await uidsOfWorkloads()
    assert.equal(await uidOf(CRD), '')
    await helm('upgrade', RELEASE, CHART, '--reuse-values')
    assert.deepEqual(await uidsOfWorkloads(), were)
    assert.notEqual(await uidOf(CRD), '')
  })

  test('deletes no object when it is uninstalled, and goes on with the definition when it is installed again', async () => {
    await bed.kubectl(['wait', '--for=condition=Established', CRD, '--timeout=30s'])
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
})
