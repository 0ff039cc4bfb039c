import { once } from 'node:events'
import type { ListenOptions, Server } from 'node:net'
import { present } from '../model/present.ts'
import { UserError } from '../model/user-error.ts'
import type { Timers } from '../ports/timers.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import { errorCode } from './error-text.ts'
import { portTaken } from './port-taken.ts'

interface DoorPlace {
  /** 0: any that is free. */
  readonly port: number
  /** Absent: all addresses of the machine. */
  readonly host?: string
  /**
   * Several processes may listen at once, so that a new agent replaces an old one without a moment in which none listens
   * (socket(7), SO_REUSEPORT).
   */
  readonly reusePort?: boolean
}

export interface DoorParts {
  readonly place: DoorPlace
  readonly timers: Timers
  readonly limits?: ConnectionLimits
}

export interface OpenDoor {
  readonly port: number
  /**
   * Accepts no new connection, and resolves when the requests under way have their answers. A connection that waits to be
   * accepted at that moment is reset, also where another process listens (the kernel moves such connections only with
   * net.ipv4.tcp_migrate_req, ip-sysctl.rst).
   */
  close(): Promise<void>
}

/** Rejects with UserError PORT_TAKEN or PORT_REFUSED. */
export async function openDoor(server: Server, { place, timers }: DoorParts): Promise<OpenDoor> {
  const { port, host, reusePort = false } = place
  const options: ListenOptions = { port, backlog: 1_024, ...present({ host }), reusePort }
  await listen(server, { options, timers, tries: reusePort ? TRIES : 1 })
  // An error of one connection (accept(2), ENOBUFS) does not close the door.
  server.on('error', ignoreOne)
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      // A timer runs right after waiting connections were accepted: then hardly any connection waits.
      await new Promise<void>((resolve) => timers.later(1, resolve))
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** Another agent that starts checks whether the port is free by opening it for a moment. */
const TRIES = 5
const RETRY_EVERY_MS = 20

interface Listening {
  readonly options: ListenOptions
  readonly timers: Timers
  readonly tries: number
}

async function listen(server: Server, { options, timers, tries }: Listening): Promise<void> {
  try {
    server.listen(options)
    await once(server, 'listening')
  } catch (error) {
    if (tries <= 1 || errorCode(error) !== 'EADDRINUSE') throw await refused(error, options.port ?? 0)
    await new Promise<void>((resolve) => timers.later(RETRY_EVERY_MS, resolve))
    await listen(server, { options, timers, tries: tries - 1 })
  }
}

const ignoreOne = (_error: Error): void => undefined

async function refused(error: unknown, port: number): Promise<unknown> {
  const code = errorCode(error)
  if (code === 'EADDRINUSE') return portTaken(port, error)
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
    const why = code === 'EACCES' ? 'this user is not allowed to listen there' : 'this machine has no such address'
    return new UserError(`port ${port} cannot be listened at: ${why}`, {
      code: 'PORT_REFUSED',
      fix: 'choose a port from 1024 upwards, or another address',
      cause: error,
    })
  }
  return error
}
