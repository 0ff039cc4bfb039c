import { once } from 'node:events'
import { createServer } from 'node:net'
import { UserError } from '../../src/model/user-error.ts'
import { listenOn } from '../../src/sim/loopback/listen-on.ts'

/** The wanted port where nobody has it, else any that is free. UserError `demo.port`. */
export async function freePort(host: string, wanted: number | undefined): Promise<number> {
  const server = createServer()
  const code = await listenOn(server, { host, port: wanted ?? 0 })
  if (code !== undefined) {
    const why = code === 'EADDRINUSE' ? 'in use' : code === 'EACCES' ? 'not for everybody' : code
    throw new UserError(`port ${wanted ?? 0} of ${host} cannot be taken: ${why}`, {
      code: 'demo.port',
      fix: 'name another one, or leave --port away',
    })
  }
  const bound = server.address()
  const closed = once(server, 'close')
  server.close()
  await closed
  return typeof bound === 'object' && bound !== null ? bound.port : 0
}
