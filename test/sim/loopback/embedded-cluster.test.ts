import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openCluster } from '../../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { systemSoon as soon } from '../../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { CommandHost } from '../../../src/roll/io/command-host.ts'
import { EmbeddedCluster } from '../../../src/sim/loopback/embedded-cluster.ts'
import { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'

const REBOOT = fileURLToPath(new URL('../../../bin/demo/reboot-machine.ts', import.meta.url))
const never = new AbortController().signal

async function aCluster(t: TestContext): Promise<EmbeddedCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-'))
  const net = await LoopbackNet.open()
  const nodes = [{ name: 'n1' }, { name: 'n2' }]
  const parts = { clock, timers, soon, seed: 'test', token: 'secret', folder, name: 'test', net, nodes, darkMs: 100 }
  const cluster = await EmbeddedCluster.open(parts)
  t.after(async () => {
    cluster.end()
    await net.close()
    rmSync(folder, { recursive: true })
  })
  return cluster
}

const opened = (kubeconfigPath: string) => {
  const log = { debug: () => undefined, warn: () => undefined }
  return openCluster({ kubeconfigPath, env: {}, clock, random, log, userAgent: 'test' }, never)
}

test('the kubeconfig that it writes leads the product to it, and no other user can read it', async (t) => {
  const { kubeconfig } = await aCluster(t)
  const cluster = await opened(kubeconfig)
  const ready = await waitFor({ what: 'nodes', limitMs: 20_000 }, async () => {
    const nodes = await cluster.list('nodes', never)
    return nodes.length === 2 && nodes.every((node) => node.ready === 'True') ? nodes : undefined
  })
  assert.deepEqual(ready.map(({ name }) => name).toSorted(), ['n1', 'n2'])
})

test('a client without the token is refused, in the words of an API server', async (t) => {
  const { kubeconfig } = await aCluster(t)
  const { clusters } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as { clusters: [{ cluster: { server: string } }] }
  const { server } = clusters[0].cluster
  const path = '/api/v1/nodes'
  const ask = async (url: string, token?: string): Promise<number> => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(url, { headers })
    await response.arrayBuffer()
    return response.status
  }
  const { origin } = new URL(server)
  assert.equal(await ask(`${server}${path}`), 200)
  assert.equal(await ask(`${origin}${path}`, 'secret'), 200)
  assert.equal(await ask(`${origin}${path}`), 401)
  assert.equal(await ask(`${origin}${path}`, 'guessed'), 401)
  assert.equal(await ask(`${server}x${path}`), 401)
})

test('its reboot command acts on the boot id that it was given, and on no other', async (t) => {
  const { kubeconfig, machines, powerSocket } = await aCluster(t)
  const cluster = await opened(kubeconfig)
  const bootIdOf = async (): Promise<string | undefined> => (await cluster.readNode('n1', never))?.bootId
  const bootId = await waitFor({ what: 'a boot id', limitMs: 20_000 }, async () => (await bootIdOf()) || undefined)
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', REBOOT, powerSocket, '{node}', '{bootId}']
  const host = new CommandHost({ clock, command, searchPath: '', limitMs: 20_000 })
  const target = { node: 'n1', address: '127.0.0.1' }
  const other = '00000000-0000-4000-8000-000000000000'
  assert.deepEqual(await host.reboot(target, other, never), { kind: 'otherBoot', bootId })
  assert.equal((await host.reboot({ ...target, node: 'n9' }, bootId, never)).kind, 'refused')
  assert.deepEqual(await host.reboot(target, bootId, never), { kind: 'sent' })
  await waitFor({ what: 'another boot id', limitMs: 20_000 }, async () =>
    (await bootIdOf()) !== bootId ? true : undefined,
  )
  assert.equal(machines.get('n1')?.boots, 2)
})
