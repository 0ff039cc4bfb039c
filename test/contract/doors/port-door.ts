import type { Timers } from '../../../src/ground/ports/timers.ts'
import { answerRequest } from '../../../src/sim/world/answer-request.ts'
import { type ApiRequest, isWatch } from '../../../src/sim/world/api-request.ts'
import { serveWatch } from '../../../src/sim/world/serve-watch.ts'
import type { World } from '../../../src/sim/world/world.ts'
import type { ApiDoor, Ask, SeenEvent } from '../api/api-door.ts'

/** The world asked directly, as what runs beside it in one process does. */
export function portDoor(world: World, timers: Timers): ApiDoor {
  const requestOf = (
    method: string,
    path: string,
    { body, contentType = 'application/json', accept = 'application/json' }: Ask,
  ): ApiRequest => {
    const url = new URL(path, 'http://embedded')
    return { method, path: url.pathname, query: url.searchParams, body, contentType, accept }
  }
  return {
    ask: async (method, path, ask = {}) => {
      const reply = answerRequest(world, requestOf(method, path, ask))
      if (isWatch(reply)) throw new Error('a watch was asked for as an object')
      const { code, body, retryAfterSeconds } = reply
      return {
        status: code,
        body,
        ...(retryAfterSeconds === undefined ? {} : { retryAfter: String(retryAfterSeconds) }),
      }
    },
    watch: async (path, hear = () => undefined) => {
      const reply = answerRequest(world, requestOf('GET', path, {}))
      if (!isWatch(reply)) throw new Error(JSON.stringify(reply.body))
      const events: SeenEvent[] = []
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      const event = (seen: SeenEvent): void => {
        events.push(seen)
        hear(seen)
      }
      const close = serveWatch(timers, reply, { event, end: resolve })
      return { events, ended, close }
    },
  }
}
