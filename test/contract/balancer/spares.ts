import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BalancerDoor, OpenBalancerDoor } from './balancer-door.ts'
import { onceServer, serverOf, statOf } from './server-of.ts'

async function totalsAfter(door: BalancerDoor, requests: number): Promise<readonly number[]> {
  for (let i = 0; i < requests; i += 1) {
    const client = await door.client('spare')
    await client.begin('/').answer()
    client.close()
  }
  return [(await serverOf(door, 'spare/a')).totalSessions, (await serverOf(door, 'spare/b')).totalSessions]
}

export function sparesContract(open: OpenBalancerDoor): void {
  test('a backup is sent nothing while another server may be used, and all once none may', async (t) => {
    const door = await open(t, { beside: 'spare' })
    for (const path of ['spare/a', 'spare/b']) await onceServer(door, path, ({ check }) => check === 'passing')
    assert.deepEqual(
      [(await serverOf(door, 'spare/a')).backup, (await serverOf(door, 'spare/b')).backup],
      [false, true],
    )
    assert.deepEqual([await statOf(door, 'spare/b', 'act'), await statOf(door, 'spare/b', 'bck')], ['0', '1'])
    assert.deepEqual(await totalsAfter(door, 3), [3, 0])
    await door.command('set server spare/a state drain')
    assert.deepEqual(await totalsAfter(door, 2), [3, 2])
    await door.command('set server spare/a state ready; set server spare/a weight 0')
    assert.deepEqual(await totalsAfter(door, 2), [3, 4])
    await door.command('set server spare/a weight 1')
    assert.deepEqual(await totalsAfter(door, 1), [4, 4])
  })
}
