import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'

/** Listens with a short queue, and then never looks at a new connection. */
const DEAF = `
const { parentPort } = require('node:worker_threads')
const server = require('node:net').createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
`
const PATIENCE_MS = 200

/** A port of loopback that answers nothing, as a machine without power: its queue is full, so that Linux drops what comes. */
export async function silentPort(t: TestContext): Promise<number> {
  const worker = new Worker(DEAF, { eval: true })
  const queue: Socket[] = []
  t.after(async () => {
    for (const socket of queue) socket.destroy()
    await worker.terminate()
  })
  const [port] = await once(worker, 'message')
  for (let isFull = false; !isFull; ) {
    const socket = connect({ host: '127.0.0.1', port: Number(port) }).on('error', () => socket.destroy())
    queue.push(socket)
    const late = AbortSignal.timeout(PATIENCE_MS)
    isFull = await once(socket, 'connect', { signal: late }).then(
      () => false,
      () => true,
    )
  }
  return Number(port)
}
