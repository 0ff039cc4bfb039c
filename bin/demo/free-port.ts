import { once } from 'node:events'
import { createServer } from 'node:net'
import { UserError } from '../../src/ground/model/user-error.ts'
import { listenOn } from '../../src/sim/loopback/listen-on.ts'

/** The wanted port where it is free, else any that is free. UserError `demo.port`. */
export async function freePort(host: string, wanted: number | undefined): Promise<number> {
  const server = createServer()
  const code = await listenOn(server, { host, port: wanted ?? 0 })
  if (code !== undefined) {
    const why = code === 'EADDRINUSE' ? 'in use' : code === 'EACCES' ? 'not allowed for this user' : code
    throw new UserError(`port ${wanted ?? 0} of ${host} cannot be taken: ${why}`, {
      code: 'demo.port',
      fix: 'choose another port, or omit --port',
    })
  }
  const bound = server.address()
  const closed = once(server, 'close')
  server.close()
  await closed
  return typeof bound === 'object' && bound !== null ? bound.port : 0
}

const PORTS_TRIED = 5

/**
 * Calls `start` with the wanted port, or with a free one. Another process can take a free port before `start` does; `start`
 * then rejects with `demo.port`, and is called again with another free port. A wanted port is tried once.
 */
export async function onFreePort<T>(
  { host, wanted }: { readonly host: string; readonly wanted: number | undefined },
  start: (port: number) => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await start(await freePort(host, wanted))
    } catch (error) {
      const isTaken = error instanceof UserError && error.code === 'demo.port'
      if (!isTaken || wanted !== undefined || tried === PORTS_TRIED) throw error
    }
  }
}
