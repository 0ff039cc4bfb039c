import type { ServerReading, ServerRef } from '../../../src/service/model/balancer.ts'
import type { BalancerDoor, DoorAnswer, DoorClient } from './balancer-door.ts'

export const never = new AbortController().signal

export function ref(path: string): ServerRef {
  const [backend = '', server = ''] = path.split('/')
  return { instance: 'lb-1', backend, server }
}

/** `web/a`, as the adapter reads it. */
export async function serverOf(door: BalancerDoor, path: string): Promise<ServerReading> {
  const { servers } = await door.balancer.read('lb-1', never)
  const found = servers.find(({ ref: { backend, server } }) => `${backend}/${server}` === path)
  if (found === undefined) throw new Error(`there is no ${path}`)
  return found
}

/** One cell of `show stat`. */
export async function statOf(door: BalancerDoor, path: string, column: string): Promise<string> {
  const [header = '', ...rows] = (await door.command('show stat -1 4 -1')).trim().split('\n')
  const at = header.replace('# ', '').split(',').indexOf(column)
  const row = rows.map((text) => text.split(',')).find(([backend, server]) => `${backend}/${server}` === path)
  return row?.[at] ?? `no ${column} of ${path}`
}

export const onceServer = (
  door: BalancerDoor,
  path: string,
  holds: (server: ServerReading) => boolean,
): Promise<void> => door.until(`${path} to be as wanted`, async () => holds(await serverOf(door, path)))

/** Both servers have passed a check. */
export async function onceProven(door: BalancerDoor): Promise<void> {
  for (const path of ['web/a', 'web/b']) await onceServer(door, path, ({ check }) => check === 'passing')
}

export const ask = (client: DoorClient, path = '/'): Promise<DoorAnswer | 'closed'> => client.begin(path).answer()

/** One request on a connection of its own. */
export async function askOnce(door: BalancerDoor, path = '/'): Promise<DoorAnswer | 'closed'> {
  const client = await door.client('web')
  const answer = await ask(client, path)
  client.close()
  return answer
}

/** How long until it holds, in milliseconds. */
export async function durationUntil(
  door: BalancerDoor,
  what: string,
  holds: () => Promise<boolean> | boolean,
): Promise<number> {
  const startMs = door.nowMs()
  await door.until(what, holds)
  return door.nowMs() - startMs
}
