import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Answer, Ask } from './operations.ts'

export interface ControlClient {
  readonly ask: Ask
  readonly close: () => void
}

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/** Connects to a rack. Requests that are open when the rack goes away fail with what `whyGone` says. */
export async function connectControl(path: string, whyGone: () => string): Promise<ControlClient> {
  const connection = await open(path)
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  createInterface({ input: connection }).on('line', (line) => {
    const answer: Answer = JSON.parse(line)
    const asker = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('error' in answer) asker?.reject(new Error(answer.error))
    else asker?.resolve(answer.value as never)
  })
  connection.on('error', () => connection.destroy())
  connection.on('close', () => {
    for (const asker of waiting.values()) asker.reject(new Error(whyGone()))
    waiting.clear()
  })
  return {
    ask: (name, argument) =>
      new Promise((resolve, reject) => {
        if (connection.destroyed) return reject(new Error(whyGone()))
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        connection.write(`${JSON.stringify({ id: lastId, name, argument })}\n`)
      }),
    close: () => connection.destroy(),
  }
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const connection = connect(path)
    connection.once('error', reject)
    connection.once('connect', () => {
      connection.off('error', reject)
      resolve(connection)
    })
  })
}
