import type { Ask, HaproxyAnswer, HaproxyArgument } from '../wire/operations.ts'

/** A HAProxy that runs within the bed. */
export interface HaproxyHandle {
  /** Path of the Runtime API's socket, the same on the machine and within the bed. */
  readonly socket: string
  /** Process id of the master, as seen within the bed (`show info` counts there too); 0 before the first start. */
  pid(): number
  /** Reloads, with another configuration where one is given; resolves when a new worker answers. */
  reload(config?: string): Promise<void>
  /** Ends master and worker at once. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Sends a signal to the master. */
  signal(signal: NodeJS.Signals): Promise<void>
}

/** Starts a HAProxy on a configuration in which `@SOCKET@` stands for the path of the Runtime API's socket. */
export async function startHaproxy(ask: Ask, name: string, config: string): Promise<HaproxyHandle> {
  let last: HaproxyAnswer = { socket: '', pid: 0 }
  const act = async (argument: Omit<HaproxyArgument, 'name'>): Promise<void> => {
    last = await ask('haproxy', { name, ...argument })
  }
  await act({ action: 'start', config })
  return {
    socket: last.socket,
    pid: () => last.pid,
    reload: (next) => act(next === undefined ? { action: 'reload' } : { action: 'reload', config: next }),
    kill: () => act({ action: 'kill' }),
    start: () => act({ action: 'start' }),
    signal: (signal) => act({ action: { signal } }),
  }
}
