/**
 * Asks places for /nodecheck as a load balancer does, each check by a connection of its own, and writes a line of JSON for
 * each: `checker-process.ts EVERY_MS NAME=ADDRESS:PORT…`.
 */
import { request } from 'node:http'

export interface Check {
  readonly node: string
  /** `200 OK`, or the code of the error. */
  readonly outcome: string
  /** Of a clock that all checks share. */
  readonly atMs: number
}

/** A machine that other tests load as well is slow, which is no refusal. */
const LIMIT_MS = 3_000

function check(node: string, host: string, port: number): void {
  const atMs = performance.now()
  const report = (outcome: string): void => {
    const line: Check = { node, outcome, atMs }
    process.stdout.write(`${JSON.stringify(line)}\n`)
  }
  const sent = request({ host, port, path: '/nodecheck', agent: false, timeout: LIMIT_MS })
  sent.on('timeout', () => sent.destroy(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' })))
  sent.on('error', (error) => report('code' in error ? String(error.code) : error.message))
  sent.on('response', async (reply) => {
    let body = ''
    for await (const part of reply.setEncoding('utf8')) body += part
    report(`${reply.statusCode} ${body}`)
  })
  sent.end()
}

const [everyMs = '', ...places] = process.argv.slice(2)
for (const place of places) {
  const [, node = '', host = '', port = ''] = /^(.+)=(.+):(\d+)$/.exec(place) ?? []
  setInterval(() => check(node, host, Number(port)), Number(everyMs))
}
