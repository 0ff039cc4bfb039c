/** `serve ADDRESS PORT`: a server that takes its time. `ask ADDRESS PORT`: one request, on a connection that is closed after it. */
import { createServer, request } from 'node:http'
import process from 'node:process'

const ANSWER_MS = 700

function serve(port: number): void {
  const server = createServer((_, response) => setTimeout(() => response.end('ok'), ANSWER_MS))
  server.listen(port, () => process.stdout.write('ready\n'))
}

function ask(host: string, port: number): void {
  const asked = request({ host, port, agent: false }, (response) => {
    response.resume()
    response.once('end', () => process.stdout.write(`${response.statusCode} at ${Date.now()}\n`))
  })
  asked.once('error', (error) => process.stdout.write(`${error.message}\n`))
  asked.once('socket', (socket) => socket.once('connect', () => process.stdout.write('sent\n')))
  asked.end()
}

const [what, address = '', port = ''] = process.argv.slice(2)
if (what === 'serve') serve(Number(port))
else ask(address, Number(port))
