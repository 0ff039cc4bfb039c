/** Asks a port of this machine again and again, as the agent does, and prints how many others are connected to it: `PORT`. */
import { setTimeout as later } from 'node:timers/promises'
import { TcpDataPort } from '../../src/adapters/host/tcp-data-port.ts'
import { ownAddresses } from '../../src/adapters/node/own-addresses.ts'
import { OwnProbes } from '../../src/adapters/node/own-probes.ts'
import { systemClock } from '../../src/adapters/node/system-clock.ts'
import { TrackedConnections } from '../../src/adapters/node/tracked-connections.ts'

const EVERY_MS = 20
const never = new AbortController().signal
const port = Number(process.argv[2])
const probes = new OwnProbes(systemClock)
const dataPort = new TcpDataPort((from) => probes.connectedFrom(from))
const isOwn = probes.has.bind(probes)
const tracked = new TrackedConnections({
  port,
  isOwn,
  lastOwnPorts: () => probes.lastPorts(),
  addresses: ownAddresses,
  clock: systemClock,
})
for (;;) {
  const answers = await dataPort.answers({ address: '127.0.0.1', port }, never)
  const seen = answers ? await tracked.count(never) : undefined
  process.stdout.write(`${answers ? (seen === undefined || seen === 'soon' ? 'unknown' : seen.open) : 'no answer'}\n`)
  await later(EVERY_MS)
}
