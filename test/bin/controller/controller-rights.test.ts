import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readManifests, shipped } from '../../support/agent-chart.ts'
import { ControllerPlace, leaderOf, until } from '../../support/controller/controller-place.ts'
import { grantedBy } from '../../support/granted-rights.ts'
import { covers, isGranted } from '../../support/requested-rights.ts'

/** Those of every controller, whatever its loops. */
const ROLES = ['evenkeel-agent-controller', 'evenkeel-agent-controller-grants', 'evenkeel-agent-controller-events']

test('a controller asks for nothing that is not granted, and for each right that every controller has', async (t) => {
  const granted = grantedBy(
    readManifests(shipped('evenkeel.yaml')).filter(({ metadata }) => ROLES.includes(metadata.name)),
  )
  const place = await ControllerPlace.of(t, 2)
  const first = await place.controller()
  await leaderOf([first])
  for (const name of ['n1', 'n2']) place.cordon(name)
  await until('one of two to be granted', () => place.grants()?.granted.length === 1)
  await until('an event of the other', () => place.events().length === 1)
  assert.equal(await first.end('SIGTERM'), 0)
  const needed = [...place.needed]
  assert.deepEqual(
    needed.filter((right) => !isGranted(right, granted)),
    [],
  )
  assert.deepEqual(
    granted.filter((right) => !needed.some((one) => covers(right, one))),
    [],
  )
})
