/**
 * The reboot command of an embedded cluster: `reboot-machine SOCKET NODE BOOTID`. Its exit code is the answer, as the roll
 * file's `reboot.command` has it: 0 sent; 65 another boot id, which is printed; 75 not known; else refused.
 */
import { request } from 'node:http'
import process from 'node:process'
import { text } from 'node:stream/consumers'

const [socketPath = '', node = '', bootId = ''] = process.argv.slice(2)
const path = `/${encodeURIComponent(node)}?bootId=${encodeURIComponent(bootId)}`

const CODES: Readonly<Record<number, number>> = { 202: 0, 409: 65, 503: 75 }
const REFUSED = 1

request({ socketPath, path, method: 'POST' }, (response) => {
  void text(response).then((said) => {
    process.stdout.write(`${said}\n`)
    process.exitCode = CODES[response.statusCode ?? 0] ?? REFUSED
  })
})
  .on('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = REFUSED
  })
  .end()
