import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBed } from '../../testbed/bed.ts'
import { run } from '../../testbed/machine/run.ts'
import { requires } from '../support/requires.ts'

test(
  'two beds with equal names and addresses live side by side and know nothing of each other',
  requires('testbed'),
  async () => {
    const openings = await Promise.allSettled([
      openBed({ nodes: 1, addons: false }),
      openBed({ nodes: 1, addons: false, workerTaints: [{ key: 'pool', value: 'web', effect: 'NoSchedule' }] }),
    ])
    const beds = openings.flatMap((opening) => (opening.status === 'fulfilled' ? [opening.value] : []))
    try {
      for (const opening of openings) if (opening.status === 'rejected') throw opening.reason
      const [one, other] = beds
      assert.ok(one !== undefined && other !== undefined)
      assert.equal(one.nodeAddress('n1'), other.nodeAddress('n1'))
      assert.notEqual(await one.bootId('n1'), await other.bootId('n1'))
      await one.kubectl(['create', 'namespace', 'only-here'])
      assert.doesNotMatch(await other.kubectl(['get', 'namespaces', '-o', 'name']), /only-here/)
      assert.equal(await one.kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].spec.taints[*].key}']), '')
      assert.equal(await other.kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].spec.taints[*].key}']), 'pool')

      const earlier = await other.bootId('n1')
      await one.reboot('n1', { hard: true })
      assert.equal(await other.bootId('n1'), earlier)

      await one.close()
      assert.match(await run([...other.enter(['ip', 'link', 'show', 'dev', 'n1'])]), /state UP/)
      await other.waitReady()
    } finally {
      for (const bed of beds) await bed.close()
    }
  },
)
