import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, stringify } from 'yaml'
import { DAEMON_SETS, NAMESPACES } from '../../src/sim/world/api-resource.ts'
import { createObject } from '../../src/sim/world/create-object.ts'
import { daemonSetOf } from '../explain/decide/init/kured/real-kureds.ts'
import { anEmbeddedRoll } from './embedded-roll.ts'
import { aMachine, good, HERE } from './init-machine.ts'

interface KuredDocument {
  readonly kured: readonly { readonly flag: string; readonly as?: string }[]
}

/** Its pods would run on no node: the DaemonSet is only read. */
function kuredBody(flags: readonly string[]) {
  const { spec, metadata, ...same } = daemonSetOf({ namespace: 'ops', flags })
  const labels = { name: 'kured' }
  const pod = { ...spec.template.spec, nodeSelector: { nowhere: 'true' } }
  return {
    ...same,
    metadata,
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
  }
}

const FLAGS = ['--start-time=2am', '--end-time=6am', '--time-zone=Europe/Berlin', '--concurrency=2', '--tomorrow']

test('init takes over the kured of a cluster, and the same of its manifest', async (t) => {
  const roll = await anEmbeddedRoll(t)
  const { world } = roll.cluster
  createObject(world, { resource: NAMESPACES, body: { metadata: { name: 'ops' } } })
  createObject(world, { resource: DAEMON_SETS, namespace: 'ops', body: kuredBody(FLAGS) })
  const { folder, paste } = await aMachine(t, roll.folder)
  await writeFile(join(folder, 'kured.yaml'), stringify(kuredBody(FLAGS)))
  const written = async (from: string, file: string) => {
    const line = `evenkeel init --yes --no-haproxy --probe http://a/ ${HERE} --from ${from} -f ${file} -o json`
    const { kured } = JSON.parse(await good(paste(line))) as KuredDocument
    const { spec } = parse(await readFile(join(folder, file), 'utf8'))
    return { kured, spec }
  }
  const ofCluster = await written('kured', 'one.yaml')
  assert.deepEqual(
    ofCluster.kured.map(({ flag, as }) => [flag, as]),
    [
      ['--start-time', 'window'],
      ['--end-time', 'window'],
      ['--time-zone', 'window'],
      ['--concurrency', 'parallel, slots.maxOut'],
      ['--tomorrow', undefined],
    ],
  )
  assert.deepEqual(ofCluster.spec.window, { zone: 'Europe/Berlin', open: [{ cron: '0 2 * * *', duration: '4h' }] })
  assert.deepEqual(ofCluster.spec.reboot.kuredLock, { namespace: 'ops', daemonSet: 'kured' })
  assert.deepEqual(await written('kured=kured.yaml', 'two.yaml'), ofCluster)
})
