import { renameSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Answer, Handlers, OperationName, Operations, Request } from './operations.ts'

/** Answers requests on a unix socket, several at a time. The path is not there before it can be connected to. */
export function serveControl(path: string, handlers: Handlers): Promise<void> {
  const server = createServer((connection) => {
    // The asker went away: its answers have nowhere to go, and the next asker has a connection of its own.
    connection.on('error', () => connection.destroy())
    createInterface({ input: connection }).on('line', (line) => void answerLine(connection, handlers, line))
  })
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(`${path}.new`, () => {
      renameSync(`${path}.new`, path)
      resolve()
    })
  })
}

async function answerLine(connection: Socket, handlers: Handlers, line: string): Promise<void> {
  const request: Request = JSON.parse(line)
  const answer = await answerTo(handlers, request)
  if (connection.writable) connection.write(`${JSON.stringify(answer)}\n`)
}

async function answerTo(handlers: Handlers, request: Request): Promise<Answer> {
  try {
    return { id: request.id, value: await call(handlers, request.name, request.argument) }
  } catch (error) {
    return { id: request.id, error: error instanceof Error ? error.message : String(error) }
  }
}

function call<K extends OperationName>(
  handlers: Handlers,
  name: K,
  argument: Operations[K]['argument'],
): Promise<unknown> {
  return handlers[name](argument)
}
