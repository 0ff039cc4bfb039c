import type { ListenOptions, Server } from 'node:net'

/** Undefined once it listens there; else the code of why it cannot (`EADDRINUSE`, `EADDRNOTAVAIL`, `EACCES`). */
export function listenOn(server: Server, at: ListenOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const refused = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message)
    server.once('error', refused)
    server.listen(at, () => {
      server.off('error', refused)
      resolve(undefined)
    })
  })
}
