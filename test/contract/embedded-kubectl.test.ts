import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { httpDoor } from '../../src/sim/doors/http-door.ts'
import { DEPLOYMENTS, NAMESPACES, NODES, PODS } from '../../src/sim/world/api-resource.ts'
import { createObject } from '../../src/sim/world/create-object.ts'
import { replaceObject } from '../../src/sim/world/replace-object.ts'
import { ensureBuilt } from '../../testbed/build.ts'
import { type Kubectl, kubectlFor } from '../../testbed/owner/kubectl.ts'
import { requires } from '../support/requires.ts'
import { eventually } from './api/eventually.ts'
import { smallWorld } from './doors/small-world.ts'

describe('a real kubectl on the embedded cluster', requires('testbed'), () => {
  const { world, close } = smallWorld()
  const server = httpDoor({ world, timers: systemTimers })
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-'))
  const kubeconfig = join(folder, 'kubeconfig')
  let programs = ''
  let kubectl: Kubectl

  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'embedded', cluster: { server: url } }],
      users: [{ name: 'anybody', user: {} }],
      contexts: [{ name: 'embedded', context: { cluster: 'embedded', user: 'anybody' } }],
      'current-context': 'embedded',
    }
    writeFileSync(kubeconfig, JSON.stringify(config))
    programs = (await ensureBuilt(() => undefined)).programs
    kubectl = kubectlFor({ programs, kubeconfig, disk: folder })
    populate()
  })
  after(() => {
    close()
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  })

  function populate(): void {
    const ready = { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { kubeletVersion: 'v1.35.4' } }
    const labels = { 'node-role.kubernetes.io/worker': '' }
    createObject(world, { resource: NODES, body: { metadata: { name: 'n2', labels }, status: ready } })
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'none' }] } }
    const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template }
    createObject(world, { resource: DEPLOYMENTS, namespace: 'default', body: { metadata: { name: 'web' }, spec } })
    const pod = { metadata: { name: 'web-1', labels: { app: 'web' } }, spec: { ...template.spec, nodeName: 'n2' } }
    createObject(world, { resource: PODS, namespace: 'default', body: pod })
  }

  test('get shows what it shows of a real one', async () => {
    const nodes = (await kubectl(['get', 'nodes'])).split('\n').map((line) => line.trim().split(/\s{2,}/))
    assert.deepEqual(nodes[0], ['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION'])
    assert.deepEqual(nodes.find(([name]) => name === 'n2')?.toSpliced(3, 1), ['n2', 'Ready', 'worker', 'v1.35.4'])
    const pods = await kubectl(['get', 'pods', '-A', '-o', 'wide'])
    assert.match(pods, /^default +web-1 +0\/1 +Pending +0 +\d+s +<none> +n2/m)
    assert.equal(await kubectl(['get', 'deployments', 'web', '-o', 'jsonpath={.spec.replicas}']), '2')
    await assert.rejects(kubectl(['get', 'nodes', 'n9']), /nodes "n9" not found/)
  })

  test('describe tells of a node and what is on it', async () => {
    const text = await kubectl(['describe', 'node', 'n2'])
    assert.match(text, /^Name: +n2$/m)
    assert.match(text, /^Unschedulable: +false$/m)
    assert.match(text, /default +web-1/)
  })

  test('cordon and uncordon change the node', async () => {
    assert.match(await kubectl(['cordon', 'n2']), /node\/n2 cordoned/)
    assert.match(await kubectl(['get', 'node', 'n2']), /Ready,SchedulingDisabled/)
    assert.match(await kubectl(['cordon', 'n2']), /already cordoned/)
    assert.match(await kubectl(['uncordon', 'n2']), /node\/n2 uncordoned/)
    assert.equal(await kubectl(['get', 'node', 'n2', '-o', 'jsonpath={.spec.unschedulable}']), '')
  })

  test('apply of the rights of a roll validates and creates each object, and applies them once more', async () => {
    createObject(world, { resource: NAMESPACES, body: { metadata: { name: 'kube-node-lease' } } })
    const file = join(import.meta.dirname, '../../deploy/roll-rbac.yaml')
    const applied = await kubectl(['apply', '-f', file])
    assert.match(applied, /clusterrole\.rbac\.authorization\.k8s\.io\/evenkeel-roll created/)
    assert.doesNotMatch(applied, /configured|unchanged|error/)
    assert.match(
      await kubectl(['apply', '-f', file]),
      /rolebinding\.rbac\.authorization\.k8s\.io\/evenkeel-slots unchanged/,
    )
  })

  test('scale changes the replicas that are wanted', async () => {
    assert.match(await kubectl(['scale', 'deployment/web', '--replicas=5']), /deployment.apps\/web scaled/)
    assert.equal(await kubectl(['get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}']), '5')
    await assert.rejects(
      kubectl(['scale', 'deployment/web', '--current-replicas=2', '--replicas=1']),
      /Expected replicas to be 2, was 5/,
    )
  })

  test('a watch prints each change as a line', async (t) => {
    const words = ['get', 'pods', '--watch', '--no-headers', '-o', 'custom-columns=N:.metadata.name,P:.status.phase']
    const child = spawn(join(programs, 'kube'), ['kubectl', `--cache-dir=${folder}/watch`, ...words], {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    await eventually('the pod', () => /web-1 +Pending/.test(said))
    const old = world.store.get(PODS, { namespace: 'default', name: 'web-1' })
    assert.ok(old)
    replaceObject(world, { resource: PODS, old, body: { status: { phase: 'Running' } }, statusOnly: true })
    await eventually('its change', () => /web-1 +Running/.test(said))
  })

  test('what it makes, changes and deletes is made, changed and deleted', async () => {
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' }, data: { k: 'v' } }
    const made = await kubectl(['create', '--validate=false', '-f', '-'], { stdin: JSON.stringify(manifest) })
    assert.match(made, /configmap\/made created/)
    await kubectl(['label', 'configmap', 'made', 'colour=red'])
    assert.equal(await kubectl(['get', 'configmaps', '-l', 'colour=red', '-o', 'name']), 'configmap/made\n')
    assert.match(await kubectl(['delete', 'configmap', 'made']), /deleted/)
    await assert.rejects(kubectl(['get', 'configmap', 'made']), /not found/)
  })
})
