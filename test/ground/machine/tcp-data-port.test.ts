import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import process from 'node:process'
import { test } from 'node:test'
import { TcpDataPort } from '../../../src/ground/machine/tcp-data-port.ts'

const never = new AbortController().signal
const answers = (port: number): Promise<boolean> => new TcpDataPort().answers({ address: '127.0.0.1', port }, never)

test('a data port answers while something listens there, and not after', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  assert.ok(typeof at === 'object' && at !== null)
  assert.equal(await answers(at.port), true)
  server.close()
  await once(server, 'close')
  assert.equal(await answers(at.port), false)
})

for (const port of [0, -1, 65_536, 99_999, 1.5]) {
  test(`nothing answers at what is no port, and the check does not crash: ${port}`, async () => {
    assert.equal(await answers(port), false)
  })
}

test('a process that has no file left for a connection does not say that the port is closed', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const at = server.address()
  assert.ok(typeof at === 'object' && at !== null)
  const script = `
    import { openSync } from 'node:fs'
    import { TcpDataPort } from '${new URL('../../../src/ground/machine/tcp-data-port.ts', import.meta.url)}'
    try { for (;;) openSync('/dev/null') } catch {}
    await new TcpDataPort().answers({ address: '127.0.0.1', port: ${at.port} }, AbortSignal.timeout(5_000))
      .then((said) => console.log(said), ({ code, message }) => console.log(code, message))`
  const limited = 'ulimit -n 64; exec "$0" --input-type=module --eval "$1"'
  const said = execFileSync('sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' })
  assert.match(said, /^DATA_PORT_UNASKED this machine can make no connection to the data port: .*EMFILE/)
})
