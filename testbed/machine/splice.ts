import type { Socket } from 'node:net'

/** Joins two connections: what comes in on one goes out on the other, an end ends the other, a break breaks it. */
export function splice(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.setNoDelay(true)
    from.pipe(to)
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroySoon())
  }
}
