import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CHART } from '../../deploy/chart/plain-yaml.ts'
import { rebooterOptions } from '../../src/rebooter/cli/rebooter-options.ts'
import { runToEnd } from '../../testbed/machine/run.ts'
import { HELM, readManifests, renderChart } from '../support/agent-chart.ts'
import { grantedBy } from '../support/granted-rights.ts'
import { requires } from '../support/requires.ts'

interface Container {
  readonly name: string
  readonly args: readonly string[]
  readonly securityContext: object
  readonly volumeMounts?: readonly { readonly mountPath: string; readonly readOnly?: boolean }[]
}

interface PodOfChart {
  readonly hostPID?: boolean
  readonly hostNetwork?: boolean
  readonly containers: readonly Container[]
  readonly volumes: readonly object[] | null
}

interface Template {
  readonly metadata: { readonly annotations?: object }
  readonly spec: PodOfChart
}

const named = ({ metadata }: { readonly metadata: { readonly name: string } }): boolean =>
  metadata.name === 'evenkeel-agent-rebooter'

async function rendered(...values: readonly string[]) {
  const { stdout, stderr } = await renderChart('rebooter.enabled=true', ...values)
  const all = readManifests(stdout).filter(named)
  const pod = all.find(({ kind }) => kind === 'DaemonSet')?.spec?.template?.spec as PodOfChart | undefined
  assert.ok(pod !== undefined, stderr)
  return { all, pod }
}

const optionsOf = ({ args }: Container) => rebooterOptions(args.slice(1), { NODE_NAME: 'n1' })

const NO_PRIVILEGE = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  runAsUser: 65532,
  runAsGroup: 65532,
  capabilities: { drop: ['ALL'] },
}

describe('the rebooter of the chart', requires('helm'), () => {
  test('is not there unless it is wanted, and has the rights that it needs alone', async () => {
    const without = readManifests((await renderChart()).stdout)
    assert.deepEqual(without.filter(named), [])
    const { all } = await rendered()
    assert.deepEqual(grantedBy(all).toSorted(), [
      'get  nodes * *',
      'get coordination.k8s.io leases evenkeel *',
      'list  nodes * *',
      'patch  nodes/status * *',
      'watch  nodes * *',
    ])
  })

  test('has no privilege with the path door, and one directory of the machine', async () => {
    const { pod } = await rendered()
    const [container] = pod.containers
    assert.ok(container !== undefined)
    assert.deepEqual(optionsOf(container), {
      node: 'n1',
      door: { kind: 'path', directory: '/run/evenkeel-reboot' },
      slotsNamespace: 'evenkeel',
    })
    assert.deepEqual([pod.containers.length, pod.hostPID, pod.hostNetwork], [1, undefined, undefined])
    assert.deepEqual(container.securityContext, NO_PRIVILEGE)
    assert.deepEqual(pod.volumes, [
      { name: 'door', hostPath: { path: '/run/evenkeel-reboot', type: 'DirectoryOrCreate' } },
    ])
  })

  test('has root without a capability and hostPID with the signal door, and what reads files of the machine is never root', async () => {
    const { pod } = await rendered('rebooter.door=signal', 'rebooter.need=auto', 'rebooter.needFiles={/run/mine}')
    const [door, need] = pod.containers
    assert.ok(door !== undefined && need !== undefined && pod.hostPID === true)
    assert.deepEqual(door.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsUser: 0,
      appArmorProfile: { type: 'Unconfined' },
      capabilities: { drop: ['ALL'] },
    })
    assert.deepEqual([door.volumeMounts, optionsOf(door)?.door], [undefined, { kind: 'signal' }])
    assert.deepEqual(need.securityContext, NO_PRIVILEGE)
    assert.deepEqual(optionsOf(need)?.need?.sources, { of: 'auto', files: ['/run/mine'] })
    assert.ok(
      need.volumeMounts?.every(({ readOnly, mountPath }) => readOnly === true && mountPath.startsWith('/host/')),
    )
  })

  test('takes the signal door out of AppArmor alone, by an annotation before Kubernetes 1.30', async () => {
    const key = 'container.apparmor.security.beta.kubernetes.io/rebooter'
    for (const [version, door, own] of [
      ['1.29.9', 'signal', { [key]: 'unconfined' }],
      ['1.30.0', 'signal', undefined],
      ['1.29.9', 'path', undefined],
    ] as const) {
      const values = ['rebooter.enabled=true', `rebooter.door=${door}`, 'rebooter.need=auto']
      const flags = [...values.flatMap((value) => ['--set', value]), '--kube-version', version]
      const { stdout, stderr } = await runToEnd([HELM, 'template', 'evenkeel-agent', CHART, '-n', 'evenkeel', ...flags])
      const set = readManifests(stdout).find((one) => one.kind === 'DaemonSet' && named(one))
      assert.ok(set?.spec?.template !== undefined, stderr)
      const { metadata, spec } = set.spec.template as unknown as Template
      assert.deepEqual(metadata.annotations, own)
      const fields = spec.containers.map(({ securityContext }) => 'appArmorProfile' in securityContext)
      assert.deepEqual(fields, [door === 'signal' && own === undefined, false])
    }
  })

  test('may only say what machines need, without a door and its rights', async () => {
    const { all, pod } = await rendered('rebooter.door=', 'rebooter.need=auto')
    assert.deepEqual(
      pod.containers.map(({ name }) => name),
      ['need'],
    )
    assert.deepEqual(grantedBy(all).toSorted(), ['get  nodes * *', 'patch  nodes/status * *'])
    const nothing = await renderChart('rebooter.enabled=true', 'rebooter.door=')
    assert.match(nothing.stderr, /rebooter\.enabled requires something to do/)
  })
})
