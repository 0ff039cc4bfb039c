import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { nodesReady } from '../../bin/demo/settling.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemSoon as soon } from '../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import { posixQuote } from '../../src/ground/model/posix-quote.ts'
import { EmbeddedCluster } from '../../src/sim/loopback/embedded-cluster.ts'
import { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { BINARY } from './evenkeel-process.ts'

const REBOOT = fileURLToPath(new URL('../../bin/demo/reboot-machine.ts', import.meta.url))

export interface EmbeddedRoll {
  /** Its name has a space and a quote, as have those of the files in it. */
  readonly folder: string
  readonly cluster: EmbeddedCluster
  /** A folder with a program `evenkeel`, for PATH. */
  readonly programs: string
  /** From now on the reboot command reboots; before it only says so. */
  readonly letReboot: () => Promise<void>
}

/** An embedded cluster of two nodes, with a kubeconfig, a roll file and a state directory that a shell would take apart. */
export async function anEmbeddedRoll(t: TestContext): Promise<EmbeddedRoll> {
  const root = await mkdtemp(join(tmpdir(), 'evenkeel-where-'))
  const net = await LoopbackNet.open()
  const facts = { clock, timers, soon, seed: 'test', token: 'secret', folder: root, name: 'it', net, darkMs: 200 }
  const cluster = await EmbeddedCluster.open({ ...facts, nodes: [{ name: 'n1' }, { name: 'n2' }] })
  t.after(async () => {
    cluster.end()
    await net.close()
    await rm(root, { recursive: true, force: true })
  })
  await waitFor({ what: 'nodes', limitMs: 60_000 }, async () => nodesReady(cluster.world, 2) || undefined)
  const folder = await mkdtemp(join(root, "it's a "))
  await rename(cluster.kubeconfig, join(folder, 'my kube.yaml'))
  const reboot = join(root, 'reboot')
  await script(reboot, 'exit 0')
  const programs = await mkdtemp(join(root, 'bin-'))
  await script(join(programs, 'evenkeel'), `exec ${[process.execPath, BINARY].map(posixQuote).join(' ')} "$@"`)
  const spec = {
    nodes: { all: true, allowUnbalanced: true },
    reboot: { command: [reboot, '{node}', '{bootId}'], resendAfter: '10s', returnLimit: '120s' },
    dns: { check: false },
    settle: { dataPort: false },
    soak: '0s',
  }
  const file = { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'Roll', metadata: { name: 'it' }, spec }
  await writeFile(join(folder, 'roll one.yaml'), stringify(file))
  const sends = [process.execPath, REBOOT, cluster.powerSocket].map(posixQuote).join(' ')
  return { folder, cluster, programs, letReboot: () => script(reboot, `exec ${sends} "$@"`) }
}

async function script(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, `#!/bin/sh\n${text}\n`)
  await chmod(`${path}.new`, 0o755)
  await rename(`${path}.new`, path)
}
