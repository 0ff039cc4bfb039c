import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemSoon as soon } from '../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import { database, whoami } from '../../src/sim/cluster/article-workloads.ts'
import { EmbeddedCluster } from '../../src/sim/loopback/embedded-cluster.ts'
import { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { ensureBuilt } from '../../testbed/build.ts'
import { type Kubectl, kubectlFor } from '../../testbed/owner/kubectl.ts'
import { requires } from '../support/requires.ts'
import { eventually } from './api/eventually.ts'

const NODES = ['n1', 'n2', 'n3']

describe('a real kubectl on an embedded cluster that runs', requires('testbed'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-'))
  let net: LoopbackNet
  let cluster: EmbeddedCluster
  let programs = ''
  let kubectl: Kubectl

  const readyPods = async (): Promise<number> =>
    (await kubectl(['get', 'pods', '--no-headers'])).split('\n').filter((line) => / 1\/1 +Running /.test(line)).length

  before(async () => {
    net = await LoopbackNet.open()
    const nodes = NODES.map((name) => ({ name }))
    const parts = { clock, timers, soon, seed: 'kubectl', token: 'secret', folder, name: 'test', net, nodes }
    cluster = await EmbeddedCluster.open({ ...parts, darkMs: 100 })
    programs = (await ensureBuilt(() => undefined)).programs
    kubectl = kubectlFor({ programs, kubeconfig: cluster.kubeconfig, disk: folder })
    const listed = async (): Promise<string> => kubectl(['get', 'nodes', '--no-headers'])
    await eventually('nodes', async () => ((await listed()).match(/ Ready /g) ?? []).length === NODES.length)
    cluster.apply([...whoami({ service: 'improved', graceSeconds: 1 }), ...database(NODES)])
    await eventually('pods', async () => (await readyPods()) === 7)
  })
  after(async () => {
    cluster.end()
    await net.close()
    rmSync(folder, { recursive: true })
  })

  test('drain moves every pod away, as the budget allows, and uncordon lets pods come back', async () => {
    const on = async (node: string): Promise<string> =>
      kubectl(['get', 'pods', '--no-headers', '-o', 'name', `--field-selector=spec.nodeName=${node}`])
    const counts = await Promise.all(
      NODES.map(async (node) => ({ node, pods: (await on(node)).trim().split('\n').length })),
    )
    const { node = '' } = counts.toSorted((a, b) => b.pods - a.pods)[0] ?? {}
    const said = await kubectl(['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=50s'])
    assert.match(said, new RegExp(`node/${node} (cordoned|already cordoned)`))
    assert.match(said, new RegExp(`node/${node} drained`))
    assert.equal(await on(node), '')
    await eventually('its pods elsewhere', async () => (await readyPods()) === 7)
    assert.match(await kubectl(['uncordon', node]), /uncordoned/)
    assert.match(await kubectl(['get', 'node', node]), / Ready /)
  })

  test('describe tells of a node that lives, and of a pod with its address', async () => {
    const node = await kubectl(['describe', 'node', 'n1'])
    assert.match(node, /^ +Ready +True /m)
    assert.match(node, new RegExp(`InternalIP: +${net.nodeAddress(1)}`))
    const [pod = ''] = (await kubectl(['get', 'pods', '-l', 'app=whoami', '-o', 'name'])).split('\n')
    assert.match(await kubectl(['describe', pod]), /^IP: +127\.\d+\.\d+\.\d+$/m)
  })

  test('scale starts pods, and a watch prints how they come', async (t) => {
    const words = ['get', 'pods', '-l', 'app=whoami', '--watch', '--no-headers']
    const child = spawn(join(programs, 'kube'), ['kubectl', `--cache-dir=${folder}/watch`, ...words], {
      env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    await eventually('the watch', () => said.split('\n').length > 5)
    said = ''
    assert.match(await kubectl(['scale', 'deployment/whoami', '--replicas=6']), /scaled/)
    const rollout = await kubectl(['rollout', 'status', 'deployment/whoami', '--timeout=30s'])
    assert.match(rollout, /deployment "whoami" successfully rolled out\n$/)
    await eventually('another pod', () => / 0\/1 +Pending /.test(said) && / 1\/1 +Running /.test(said))
    await eventually('eight pods', async () => (await readyPods()) === 8)
  })
})
