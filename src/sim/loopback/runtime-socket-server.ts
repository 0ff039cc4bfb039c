import { createServer, type Server, type Socket } from 'node:net'
import { UserError } from '../../ground/model/user-error.ts'
import { listenOn } from './listen-on.ts'

/** More than any line of commands is long. */
const LINE_CHARS_MAX = 16_384

/** A balancer's runtime API on a unix socket, as HAProxy has it: one line, its answer, and the connection is closed. */
export class RuntimeSocketServer {
  readonly #server: Server
  readonly #open = new Set<Socket>()

  private constructor(answer: (line: string) => string) {
    this.#server = createServer((socket) => this.#serve(socket, answer))
  }

  static async listen(path: string, answer: (line: string) => string): Promise<RuntimeSocketServer> {
    const made = new RuntimeSocketServer(answer)
    const code = await listenOn(made.#server, { path })
    if (code === undefined) return made
    throw new UserError(`no socket can be made at ${path} (${code})`, {
      code: 'demo.socket',
      fix: 'set TMPDIR to a directory with a short path',
    })
  }

  end(): void {
    this.#server.close()
    for (const socket of this.#open) socket.destroy()
  }

  #serve(socket: Socket, answer: (line: string) => string): void {
    let text = ''
    this.#open.add(socket)
    socket.setEncoding('utf8')
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#open.delete(socket))
    socket.on('data', (chunk: string) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end >= 0) socket.end(answer(text.slice(0, end)))
      else if (text.length > LINE_CHARS_MAX) socket.destroy()
    })
  }
}
