import { connect } from 'node:net'

const SILENCE_MS = 5_000

/** The whole reply of a runtime API to one line of commands. Rejects where it cannot be asked. */
export async function askSocket(path: string, line: string): Promise<string> {
  const socket = connect({ path, timeout: SILENCE_MS }).setEncoding('utf8')
  socket.on('timeout', () => socket.destroy(new Error(`no answer at ${path}`)))
  socket.write(`${line}\n`)
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}
