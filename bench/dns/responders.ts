import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Endpoint } from '../../src/ground/model/endpoint.ts'

interface Wanted {
  readonly servers: number
  /** Over UDP each drops one in so many queries. */
  readonly dropOneIn?: number
  /** So many of them, the first ones, drop all queries over UDP. */
  readonly silent?: number
}

/** Runs `work` with DNS servers of another process. */
export async function withResponders<T>(
  { servers, dropOneIn = 0, silent = 0 }: Wanted,
  work: (servers: readonly Endpoint[]) => Promise<T>,
): Promise<T> {
  const program = fileURLToPath(new URL('responder.ts', import.meta.url))
  const child = fork(program, [servers, dropOneIn, silent].map(String))
  try {
    const [endpoints] = await once(child, 'message')
    return await work(endpoints)
  } finally {
    child.kill()
  }
}
