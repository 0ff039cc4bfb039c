import { once } from 'node:events'
import { connect } from 'node:net'

/** One command to HAProxy's runtime API, spoken by the test itself: what judges shares nothing with what is judged. */
export async function askSocket(path: string, command: string): Promise<string> {
  const socket = connect(path)
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text
  })
  socket.end(`${command}\n`)
  await once(socket, 'close')
  return answer
}
