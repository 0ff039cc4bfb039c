/**
 * `ssh-relay.ts HOST PORT FOLDER`: the way of an ssh to a machine (ProxyCommand) on which a test has its hand. Its process
 * id stands in `pid` of the folder; where there is a file `mute`, nothing is ever connected.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

const FOREVER_MS = 2 ** 31 - 1

const [host = '', port = '', folder = ''] = process.argv.slice(2)
writeFileSync(join(folder, 'pid'), String(process.pid))
if (existsSync(join(folder, 'mute'))) setTimeout(() => undefined, FOREVER_MS)
else {
  const machine = connect({ host, port: Number(port) })
  machine.on('error', () => process.exit(1))
  machine.on('close', () => process.exit(0))
  process.stdin.pipe(machine).pipe(process.stdout)
}
