import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CHART } from '../../deploy/chart/plain-yaml.ts'
import type { IngressGroup } from '../../src/ground/model/ingress-keys.ts'
import { guardCrd } from '../../src/guard/decide/schema/guard-crd.ts'
import { ingressCrd } from '../../src/ingress/decide/schema/ingress-crd.ts'
import { runToEnd } from '../../testbed/machine/run.ts'
import { HELM, readManifests, renderChart } from '../support/agent-chart.ts'
import { requires } from '../support/requires.ts'

const ON = ['controller.enabled=true', 'ingress.enabled=true'] as const
const GUARDS = ['controller.enabled=true', 'guard.enabled=true'] as const
const MUMOSHU = 'ingressdaemonsets.mumoshu.github.io'

interface Definition {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec: object
}

async function definitions(...values: readonly string[]): Promise<readonly Definition[]> {
  const { code, stdout, stderr } = await renderChart(...values)
  assert.equal(code, 0, stderr)
  return (readManifests(stdout) as unknown as readonly Definition[]).filter(
    ({ kind }) => kind === 'CustomResourceDefinition',
  )
}

const namesOf = (all: readonly Definition[]): readonly string[] => all.map(({ metadata }) => metadata.name)

describe('the CustomResourceDefinitions of the chart', requires('helm'), () => {
  test('are there where IngressDaemonSets are acted on, for the groups that are asked for', async () => {
    const rows: readonly (readonly [values: readonly string[], groups: readonly IngressGroup[]])[] = [
      [[], []],
      [['controller.enabled=true'], []],
      [ON, ['evenkeel.dev']],
      // As helm upgrade --reuse-values has it after an earlier chart.
      [[...ON, 'crds=null'], ['evenkeel.dev']],
      [[...ON, 'crds.install=false'], []],
      [[...ON, `ingress.groups={${MUMOSHU}}`], [MUMOSHU]],
      [
        [...ON, `ingress.groups={evenkeel.dev,${MUMOSHU}}`],
        ['evenkeel.dev', MUMOSHU],
      ],
    ]
    for (const [values, groups] of rows)
      assert.deepEqual(
        namesOf(await definitions(...values)),
        groups.map((group) => `ingressdaemonsets.${group}`),
        values.join(),
      )
  })

  for (const group of ['evenkeel.dev', MUMOSHU] as const) {
    test(`are those of the code: ${group}`, async () => {
      const [found] = await definitions(...ON, `ingress.groups={${group}}`)
      const { apiVersion, kind, spec } = ingressCrd(group)
      assert.deepEqual(
        { apiVersion: found?.apiVersion, kind: found?.kind, spec: found?.spec },
        { apiVersion, kind, spec },
      )
    })
  }

  test('are there for NodeGuards where the controller acts on them', async () => {
    const rows: readonly (readonly [values: readonly string[], names: readonly string[]])[] = [
      [GUARDS, ['nodeguards.evenkeel.dev']],
      [[...GUARDS, 'crds=null'], ['nodeguards.evenkeel.dev']],
      [[...GUARDS, 'crds.install=false'], []],
      // As helm upgrade --reuse-values has it after an earlier chart.
      [['controller.enabled=true', 'guard=null', 'crds=null'], []],
      [
        [...GUARDS, ...ON],
        ['ingressdaemonsets.evenkeel.dev', 'nodeguards.evenkeel.dev'],
      ],
    ]
    for (const [values, names] of rows) assert.deepEqual(namesOf(await definitions(...values)), names, values.join())
    const [found] = await definitions(...GUARDS)
    const { apiVersion, kind, spec } = guardCrd()
    assert.deepEqual(
      { apiVersion: found?.apiVersion, kind: found?.kind, spec: found?.spec },
      { apiVersion, kind, spec },
    )
    assert.equal(found?.metadata.annotations?.['helm.sh/resource-policy'], 'keep')
  })

  test('NodeGuards are refused without a controller, and on a cluster that cannot check their rules', async () => {
    const alone = await renderChart('guard.enabled=true')
    assert.match(alone.stderr, /guard\.enabled requires controller\.enabled/)
    const set = GUARDS.flatMap((value) => ['--set', value])
    const old = await runToEnd([HELM, 'template', 'evenkeel-agent', CHART, ...set, '--kube-version', '1.28.9'])
    assert.match(old.stderr, /guard\.enabled requires Kubernetes 1\.29 or newer, .*; this is v1\.28\.9/)
  })

  test('stay when the release goes, since their objects would go with them', async () => {
    const [found] = await definitions(...ON)
    assert.equal(found?.metadata.annotations?.['helm.sh/resource-policy'], 'keep')
  })

  const REFUSED: readonly (readonly [title: string, words: readonly string[], says: RegExp])[] = [
    [
      'a cluster that cannot check their rules',
      ['--kube-version', '1.28.9'],
      /ingress\.enabled requires Kubernetes 1\.29 or newer, .*; this is v1\.28\.9/,
    ],
    [
      'agents that the controller cannot ask',
      ['--set', 'agent.address=127.0.0.1'],
      /ingress\.enabled requires agents that answer at the addresses of their nodes.*: remove agent\.address/,
    ],
    ['a group that there is not', ['--set', 'ingress.groups={evenkeel.io}'], /ingress\/groups/],
    ['a namespace that is no name', ['--set', 'ingress.slotsNamespace=Slots'], /ingress\/slotsNamespace/],
    ['an installation that is neither', ['--set', 'crds.install=maybe'], /crds\/install/],
  ]
  for (const [title, words, says] of REFUSED) {
    test(`${title} is refused`, async () => {
      const set = ON.flatMap((value) => ['--set', value])
      const { code, stderr } = await runToEnd([HELM, 'template', 'evenkeel-agent', CHART, ...set, ...words])
      assert.equal(code, 1)
      assert.match(stderr, says)
    })
  }
})
